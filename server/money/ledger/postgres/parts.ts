// What a batch may verify and write, table by table. The verifying parts come first: they lock the rows that the batch has
// read, holds before users before tokens before subscriptions and each in id order, and count only those that have not
// changed since. Subscriptions have separate parts, so that a batch without them sends no parameters for them.
import type { Window } from '#server/money/ledger/engine/memory.ts';
import { logColumns } from '#server/money/ledger/engine/log-columns.ts';
import type { HoldState, LedgerEntry, MarginEntry, UsageEntry } from '#server/money/ledger/engine/rows.ts';
import type { MarginSpan } from '#server/money/sums/margin-spans.ts';
import {
  assignments,
  holdFigures,
  logFigures,
  newHoldColumns,
  newPlanHoldColumns,
  planHoldFigures,
  planUserFigures,
  quotedLogColumns,
  text,
  userFigures,
  version,
  whole,
} from './columns.ts';
import type { KnownHold, KnownSubscription, KnownToken, KnownUser } from './loaded.ts';
import { byId, check, found, insertHolds, part, type Part } from './part.ts';
import type { StorableLog, StorableNotice } from './rows.ts';

export const parts: readonly Part[] = [
  check<KnownHold>({
    letter: 'h',
    name: 'known_holds',
    rowsOf: ({ changedHolds, deletedHolds }) => [...changedHolds, ...deletedHolds],
    columns: [text('id', (hold) => hold.id), version()],
    sql: found('holds', 'for update'),
  }),
  check<KnownUser>({
    letter: 'u',
    name: 'known_users',
    rowsOf: ({ users }) => users,
    columns: [whole('id', (user) => user.id), version()],
    sql: found('users', 'for no key update'),
  }),
  check<KnownToken>({
    letter: 't',
    name: 'known_tokens',
    rowsOf: ({ tokens }) => tokens,
    columns: [whole('id', (token) => token.id), version()],
    sql: found('tokens', 'for no key update'),
  }),
  check<KnownSubscription>({
    letter: 's',
    name: 'known_subscriptions',
    rowsOf: ({ subscriptions }) => subscriptions,
    columns: [whole('id', (subscription) => subscription.id), version()],
    sql: found('subscriptions', 'for no key update'),
  }),
  part<KnownUser>({
    letter: 'U',
    name: 'changed_users',
    rowsOf: ({ users }) => users.filter((user) => user.dirty && !user.isPlanHeldChanged),
    columns: userFigures,
    sql: (source, gate) => `update users t set ${assignments(userFigures)} ${byId(source)} and ${gate}`,
  }),
  part<KnownUser>({
    letter: 'V',
    name: 'changed_plan_users',
    rowsOf: ({ users }) => users.filter((user) => user.isPlanHeldChanged),
    columns: planUserFigures,
    sql: (source, gate) => `update users t set ${assignments(planUserFigures)} ${byId(source)} and ${gate}`,
  }),
  part<KnownSubscription>({
    letter: 'S',
    name: 'changed_subscriptions',
    rowsOf: ({ subscriptions }) => subscriptions.filter((subscription) => subscription.dirty),
    columns: [
      whole('id', (subscription) => subscription.id),
      text('status', (subscription) => (subscription.isActive ? 'active' : 'ended')),
      whole('period', (subscription) => subscription.period),
      whole('period_ends_at', (subscription) => subscription.periodEndsAt),
      whole('quota', (subscription) => subscription.quota),
      whole('held', (subscription) => subscription.held),
      whole('ended_at', (subscription) => subscription.endedAt),
    ],
    sql: (source, gate) => `update subscriptions t set status = x.status, period = x.period,
      period_ends_at = x.period_ends_at, quota = x.quota, held = x.held, ended_at = x.ended_at
      ${byId(source)} and ${gate}`,
  }),
  part<KnownToken>({
    letter: 'T',
    name: 'changed_tokens',
    rowsOf: ({ tokens }) => tokens.filter((token) => token.dirty),
    columns: [
      whole('id', (token) => token.id),
      whole('status', (token) => token.status),
      whole('remain', (token) => token.remain),
      whole('held', (token) => token.held),
      whole('used', (token) => token.used),
      whole('accessed', (token) => token.accessedTime),
    ],
    sql: (
      source,
      gate,
    ) => `update tokens t set status = x.status, remain_quota = x.remain, held_quota = x.held,
      used_quota = x.used, accessed_time = x.accessed from ${source.rows} where t.id = any(${source.ids}) and t.id = x.id and ${gate}`,
  }),
  part<KnownHold>({
    letter: 'D',
    name: 'deleted_holds',
    rowsOf: ({ deletedHolds }) => deletedHolds,
    columns: [text('id', (hold) => hold.id)],
    sql: (source, gate) => `delete from holds where id = any(${source.ids}) and ${gate}`,
  }),
  part<HoldState>({
    letter: 'N',
    name: 'new_holds',
    rowsOf: ({ newHolds }) => newHolds.filter((hold) => hold.subscriptionId === 0),
    columns: newHoldColumns,
    sql: (source, gate) => insertHolds(newHoldColumns, source, gate),
  }),
  part<HoldState>({
    letter: 'P',
    name: 'new_plan_holds',
    rowsOf: ({ newHolds }) => newHolds.filter((hold) => hold.subscriptionId !== 0),
    columns: newPlanHoldColumns,
    sql: (source, gate) => insertHolds(newPlanHoldColumns, source, gate),
  }),
  part<KnownHold>({
    letter: 'H',
    name: 'changed_holds',
    rowsOf: ({ changedHolds }) => changedHolds.filter((hold) => hold.subscriptionId === 0),
    columns: holdFigures,
    sql: (source, gate) => `update holds t set ${assignments(holdFigures)} ${byId(source)} and ${gate}`,
  }),
  part<KnownHold>({
    letter: 'Q',
    name: 'changed_plan_holds',
    rowsOf: ({ changedHolds }) => changedHolds.filter((hold) => hold.subscriptionId !== 0),
    columns: planHoldFigures,
    sql: (source, gate) => `update holds t set ${assignments(planHoldFigures)} ${byId(source)} and ${gate}`,
  }),
  part<LedgerEntry>({
    letter: 'E',
    name: 'entries',
    rowsOf: ({ entries }) => entries,
    columns: [
      text('idem', (entry) => entry.idem),
      whole('at', (entry) => entry.at),
      whole('user_id', (entry) => entry.userId),
      text('debit', (entry) => entry.debit),
      text('credit', (entry) => entry.credit),
      whole('amount', (entry) => entry.amount),
      text('kind', (entry) => entry.kind),
      text('reference', (entry) => entry.reference),
    ],
    sql: (
      source,
      gate,
    ) => `insert into ledger (idem, created_at, user_id, debit_account, credit_account, amount, kind,
      reference) select * from ${source.rows} where ${gate}`,
  }),
  part<StorableLog>({
    letter: 'L',
    name: 'new_logs',
    rowsOf: ({ logs }) => logs,
    columns: [
      whole('created_at', (log) => log.at),
      text('request_id', (log) => log.requestId),
      ...logFigures,
    ],
    sql: (source, gate) => `insert into logs (created_at, request_id, quota, cost, ${quotedLogColumns})
      select * from ${source.rows} where ${gate}`,
  }),
  part<StorableLog>({
    letter: 'K',
    name: 'corrected_logs',
    rowsOf: ({ correctedLogs }) => correctedLogs,
    columns: [text('request_id', (log) => log.requestId), ...logFigures],
    sql: (source, gate) => `update logs t set quota = x.quota, cost = x.cost,
      ${logColumns.map((name) => `"${name}" = x."${name}"`).join(', ')} from ${source.rows}
      where t.request_id = any(${source.ids}) and t.request_id = x.request_id and t.type = 2 and ${gate}`,
  }),
  part<UsageEntry>({
    letter: 'G',
    name: 'hours',
    rowsOf: ({ usage }) => usage,
    columns: [
      whole('hour', (entry) => entry.at),
      whole('user_id', (entry) => entry.userId),
      whole('token_id', (entry) => entry.tokenId),
      whole('channel_id', (entry) => entry.channelId),
      text('model_name', (entry) => entry.modelName),
      whole('count', (entry) => entry.count),
      whole('quota', (entry) => entry.quota),
      whole('prompt_tokens', (entry) => entry.promptTokens),
      whole('completion_tokens', (entry) => entry.completionTokens),
      whole('error_count', (entry) => entry.errorCount),
      whole('use_time_ms', (entry) => entry.useTimeMs),
      whole('first_token_ms', (entry) => entry.firstTokenMs),
    ],
    sql: (
      source,
      gate,
    ) => `insert into usage_hours as h (hour, user_id, token_id, channel_id, model_name, count, quota,
      prompt_tokens, completion_tokens, error_count, use_time_ms, first_token_ms) select * from ${source.rows} where ${gate}
      on conflict (hour, user_id, token_id, channel_id, model_name) do update set count = h.count + excluded.count,
      quota = h.quota + excluded.quota, prompt_tokens = h.prompt_tokens + excluded.prompt_tokens,
      completion_tokens = h.completion_tokens + excluded.completion_tokens,
      error_count = h.error_count + excluded.error_count, use_time_ms = h.use_time_ms + excluded.use_time_ms,
      first_token_ms = h.first_token_ms + excluded.first_token_ms`,
  }),
  part<MarginEntry>({
    letter: 'B',
    name: 'margins',
    rowsOf: ({ margins }) => margins,
    columns: [
      whole('day', (entry) => entry.at),
      whole('channel_id', (entry) => entry.channelId),
      text('model_name', (entry) => entry.modelName),
      text('group', (entry) => entry.group),
      whole('user_id', (entry) => entry.userId),
      whole('count', (entry) => entry.count),
      whole('quota', (entry) => entry.quota),
      whole('cost', (entry) => entry.cost),
      whole('costed_count', (entry) => entry.costedCount),
      whole('costed_quota', (entry) => entry.costedQuota),
    ],
    sql: (
      source,
      gate,
    ) => `insert into margin_days as m (day, channel_id, model_name, "group", user_id, count, quota,
      cost, costed_count, costed_quota) select * from ${source.rows} where ${gate}
      on conflict (day, channel_id, model_name, "group", user_id) do update set count = m.count + excluded.count,
      quota = m.quota + excluded.quota, cost = m.cost + excluded.cost,
      costed_count = m.costed_count + excluded.costed_count, costed_quota = m.costed_quota + excluded.costed_quota`,
  }),
  part<MarginSpan>({
    letter: 'A',
    name: 'unsummed',
    // Batches and corrections lock these rows after the channels: PostgreSQL runs the parts from the last to the first.
    rowsOf: ({ unsummed }) => unsummed,
    columns: [whole('days', (span) => span.days), whole('day', (span) => span.day)],
    sql: (source, gate) => `insert into margin_summed as s (days, day, changes)
      select x.days, x.day, 1 from ${source.rows} where ${gate}
      on conflict (days, day) do update set is_summed = 0, changes = s.changes + 1`,
  }),
  part<Window>({
    letter: 'W',
    name: 'minutes',
    rowsOf: ({ windows }) => windows,
    columns: [
      text('scope', (window) => window.scope),
      whole('start', (window) => window.start),
      whole('used', (window) => window.used),
    ],
    sql: (
      source,
      gate,
    ) => `insert into limit_windows (scope, window_start, used) select * from ${source.rows} where ${gate}
      on conflict (scope, window_start) do update set used = excluded.used`,
  }),
  part<StorableNotice>({
    letter: 'M',
    name: 'new_notices',
    rowsOf: ({ notices }) => notices,
    columns: [
      whole('at', (notice) => notice.at),
      whole('user_id', (notice) => notice.userId),
      text('event', (notice) => notice.event),
      text('details', (notice) => notice.details),
      text('once_key', (notice) => notice.onceKey),
    ],
    sql: (source, gate) => `insert into notices (created_at, user_id, event, details, once_key, dispatched_at)
      select x.*, 0 from ${source.rows} where ${gate} on conflict (once_key) do nothing`,
  }),
  part<{ id: number; quota: number }>({
    letter: 'C',
    name: 'channel_sums',
    // Calls of different users share these rows: a fixed order avoids deadlocks.
    rowsOf: ({ channels }) => channels.toSorted((left, right) => left.id - right.id),
    columns: [whole('id', (channel) => channel.id), whole('quota', (channel) => channel.quota)],
    // A late settlement may take back more than is left after the operator has set the figure to zero.
    sql: (
      source,
      gate,
    ) => `update channels t set used_quota = greatest(0, t.used_quota + x.quota) from ${source.rows}
      where t.id = any(${source.ids}) and t.id = x.id and ${gate}`,
  }),
];
