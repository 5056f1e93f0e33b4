// Writes all changes of a batch in one statement. Rows travel as JSON, one parameter per table.
import type { PoolClient } from 'pg';
import { logColumns } from '#server/billing/engine/operations.ts';
import type { LogFields } from '#server/billing/engine/operations.ts';
import type { Window } from '#server/billing/engine/memory.ts';
import type {
  HoldState,
  LedgerEntry,
  TokenState,
  UsageEntry,
  UserState,
} from '#server/billing/engine/rows.ts';

export interface LogEntry {
  at: number;
  requestId: string;
  quota: number;
  fields: LogFields;
}

export interface MailEntry {
  at: number;
  recipient: string;
  subject: string;
  body: string;
  dedupeKey: string;
}

export interface BatchChanges {
  users: UserState[];
  tokens: TokenState[];
  deletedHolds: string[];
  newHolds: HoldState[];
  changedHolds: HoldState[];
  entries: LedgerEntry[];
  logs: LogEntry[];
  usage: UsageEntry[];
  windows: Window[];
  mails: MailEntry[];
  channels: { id: number; quota: number }[];
}

const logTypes: Partial<Record<(typeof logColumns)[number], string>> = {
  type: 'bigint',
  user_id: 'bigint',
  token_id: 'bigint',
  channel_id: 'bigint',
  prompt_tokens: 'bigint',
  completion_tokens: 'bigint',
  use_time: 'bigint',
  is_stream: 'bigint',
  estimated: 'bigint',
};
const quoted = logColumns.map((name) => `"${name}"`).join(', ');
// A log row is a JSON list: positions instead of names keep the text short.
const logValues = logColumns
  .map((name, index) => {
    const value = `x.fields ->> ${index}`;
    const type = logTypes[name];
    return type === undefined ? value : `(${value})::${type}`;
  })
  .join(', ');

const holdTypes = `id text, "userId" bigint, "tokenId" bigint, "nodeId" text, epoch bigint, amount bigint,
  "createdAt" bigint, "expiresAt" bigint, dispatched boolean, "checkpointQuota" bigint, checkpoint text, snapshot text`;

const writeText = `
  with changed_users as (
    update users u set quota = x.quota, held_quota = x.held, used_quota = x.used, request_count = x."requestCount",
      low_balance_mail_at = x."lowBalanceMailAt"
    from json_to_recordset($1::json) as x(id bigint, quota bigint, held bigint, used bigint, "requestCount" bigint,
      "lowBalanceMailAt" bigint) where u.id = x.id
  ), changed_tokens as (
    update tokens t set status = x.status, remain_quota = x.remain, held_quota = x.held, used_quota = x.used,
      accessed_time = x."accessedTime"
    from json_to_recordset($2::json) as x(id bigint, status bigint, remain bigint, held bigint, used bigint,
      "accessedTime" bigint) where t.id = x.id
  ), deleted_holds as (
    delete from holds where id = any($3::text[])
  ), new_holds as (
    insert into holds (id, user_id, token_id, node_id, epoch, amount, created_at, expires_at, dispatched,
      checkpoint_quota, checkpoint, snapshot)
    select id, "userId", "tokenId", "nodeId", epoch, amount, "createdAt", "expiresAt", dispatched::int,
      "checkpointQuota", checkpoint, snapshot from json_to_recordset($4::json) as x(${holdTypes})
  ), changed_holds as (
    update holds h set node_id = x."nodeId", epoch = x.epoch, amount = x.amount, dispatched = x.dispatched::int,
      checkpoint_quota = x."checkpointQuota", checkpoint = x.checkpoint
    from json_to_recordset($5::json) as x(${holdTypes}) where h.id = x.id
  ), entries as (
    insert into ledger (idem, created_at, user_id, debit_account, credit_account, amount, kind, reference)
    select idem, at, "userId", debit, credit, amount, kind, reference from json_to_recordset($6::json)
      as x(idem text, at bigint, "userId" bigint, debit text, credit text, amount bigint, kind text, reference text)
  ), new_logs as (
    insert into logs (created_at, request_id, quota, ${quoted})
    select x.at, x."requestId", x.quota, ${logValues}
    from json_to_recordset($7::json) as x(at bigint, "requestId" text, quota bigint, fields json)
  ), hours as (
    insert into usage_hours as h (hour, user_id, token_id, channel_id, model_name, count, quota, prompt_tokens,
      completion_tokens, error_count, use_time_ms, first_token_ms)
    select at, "userId", "tokenId", "channelId", "modelName", count, quota, "promptTokens", "completionTokens",
      "errorCount", "useTimeMs", "firstTokenMs" from json_to_recordset($8::json) as x(at bigint, "userId" bigint,
      "tokenId" bigint, "channelId" bigint, "modelName" text, count bigint, quota bigint, "promptTokens" bigint,
      "completionTokens" bigint, "errorCount" bigint, "useTimeMs" bigint, "firstTokenMs" bigint)
    on conflict (hour, user_id, token_id, channel_id, model_name) do update set count = h.count + excluded.count,
      quota = h.quota + excluded.quota, prompt_tokens = h.prompt_tokens + excluded.prompt_tokens,
      completion_tokens = h.completion_tokens + excluded.completion_tokens,
      error_count = h.error_count + excluded.error_count, use_time_ms = h.use_time_ms + excluded.use_time_ms,
      first_token_ms = h.first_token_ms + excluded.first_token_ms
  ), minutes as (
    insert into limit_windows (scope, window_start, used)
    select scope, start, used from json_to_recordset($9::json) as x(scope text, start bigint, used bigint)
    on conflict (scope, window_start) do update set used = excluded.used
  ), new_mails as (
    insert into mails (created_at, recipient, subject, body, dedupe_key)
    select at, recipient, subject, body, "dedupeKey" from json_to_recordset($10::json)
      as x(at bigint, recipient text, subject text, body text, "dedupeKey" text)
    on conflict (dedupe_key) do nothing
  )
  update channels c set used_quota = c.used_quota + x.quota
  from json_to_recordset($11::json) as x(id bigint, quota bigint) where c.id = x.id`;

export async function writeChanges(client: PoolClient, changes: BatchChanges): Promise<void> {
  const byId = (left: { id: number }, right: { id: number }) => left.id - right.id;
  await client.query({
    name: 'ledger-write',
    text: writeText,
    values: [
      JSON.stringify(changes.users),
      JSON.stringify(changes.tokens),
      changes.deletedHolds,
      JSON.stringify(changes.newHolds),
      JSON.stringify(changes.changedHolds),
      JSON.stringify(changes.entries),
      JSON.stringify(changes.logs),
      JSON.stringify(changes.usage),
      JSON.stringify(changes.windows),
      JSON.stringify(changes.mails),
      // Channels are the only rows of different users' calls in common: always in the same order.
      JSON.stringify(changes.channels.sort(byId)),
    ],
  });
}
