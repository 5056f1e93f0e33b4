// What a batch may verify and write, table by table. The verifying parts come first: they lock the rows that the batch has
// read, holds before users before tokens before subscriptions before counters of budgets and each in id order, and count only
// those that have not changed since. Each has separate parts, so that a batch without them sends no parameters for them.
import type { Window } from '#server/money/ledger/engine/memory.ts';
import type { LedgerEntry } from '#server/money/ledger/engine/rows.ts';
import {
  addSums,
  BUDGET_WINDOWS,
  fieldsOf,
  MARGIN_DAYS,
  HOLDER_HOURS,
  TEXT_COLUMNS,
  USAGE_HOURS,
  type SumTable,
} from '#server/money/ledger/engine/sum-tables.ts';
import type { MarginSpan } from '#server/money/sums/margin-spans.ts';
import {
  assignments,
  counterFigures,
  holdFigures,
  logFigures,
  namesOf,
  newHoldColumns,
  subscriptionFigures,
  text,
  tokenFigures,
  userFigures,
  version,
  whole,
  type Column,
} from './columns.ts';
import type { KnownHold } from './loaded.ts';
import { byId, check, found, part, type Part } from './part.ts';
import type { BatchChanges, StorableLog, StorableNotice } from './rows.ts';

/** The rows that the batch has read are as it has read them. */
const verified = <Row extends { id: string | number; version: number }>(
  letter: string,
  table: string,
  lock: string,
  rowsOf: (changes: BatchChanges) => readonly Row[],
) =>
  check<Row>({
    letter,
    name: `known_${table}`,
    rowsOf,
    columns: [{ type: table === 'holds' ? 'text' : 'bigint', name: 'id', of: (row) => row.id }, version()],
    sql: found(table, lock),
  });

const changed = <Row>(
  letter: string,
  [name, table]: readonly [name: string, table: string],
  columns: readonly Column<Row>[],
  rowsOf: (changes: BatchChanges) => readonly Row[],
) => {
  const set = `update ${table} t set ${assignments(columns)}`;
  return part<Row>({
    letter,
    name,
    rowsOf,
    columns,
    sql: (source, gate) => `${set} ${byId(source)} and ${gate}`,
  });
};

const inserted = <Row>(
  letter: string,
  [name, table]: readonly [name: string, table: string],
  columns: readonly Column<Row>[],
  rowsOf: (changes: BatchChanges) => readonly Row[],
) => {
  const into = `insert into ${table} (${namesOf(columns)})`;
  const sql: Part['sql'] = ({ rows }, gate) => `${into} select * from ${rows} where ${gate}`;
  return part<Row>({ letter, name, rowsOf, columns, sql });
};

const summed = <Entry>(
  letter: string,
  name: string,
  table: SumTable<Entry>,
  rowsOf: (changes: BatchChanges) => readonly Entry[],
) =>
  part<Entry>({
    letter,
    name,
    rowsOf,
    columns: fieldsOf(table).map(([column, field]) => ({
      type: TEXT_COLUMNS.includes(column) ? 'text' : 'bigint',
      name: column,
      of: (entry) => entry[field] as number | string,
    })),
    sql: (source, gate) => addSums(table, `select * from ${source.rows} where ${gate}`),
  });

export const parts: readonly Part[] = [
  verified('h', 'holds', 'for update', ({ changedHolds, deletedHolds }) => [
    ...changedHolds,
    ...deletedHolds,
  ]),
  verified('u', 'users', 'for no key update', ({ users }) => users),
  verified('t', 'tokens', 'for no key update', ({ tokens }) => tokens),
  verified('s', 'subscriptions', 'for no key update', ({ subscriptions }) => subscriptions),
  verified('b', 'budget_counters', 'for no key update', ({ counters }) => counters),
  changed('U', ['changed_users', 'users'], userFigures, ({ users }) => users.filter(({ dirty }) => dirty)),
  changed('S', ['changed_subscriptions', 'subscriptions'], subscriptionFigures, ({ subscriptions }) =>
    subscriptions.filter((subscription) => subscription.dirty),
  ),
  changed('R', ['changed_counters', 'budget_counters'], counterFigures, ({ counters }) =>
    counters.filter(({ dirty }) => dirty),
  ),
  changed('T', ['changed_tokens', 'tokens'], tokenFigures, ({ tokens }) =>
    tokens.filter(({ dirty }) => dirty),
  ),
  part<KnownHold>({
    letter: 'D',
    name: 'deleted_holds',
    rowsOf: ({ deletedHolds }) => deletedHolds,
    columns: [text('id', (hold) => hold.id)],
    sql: (source, gate) => `delete from holds where id = any(${source.ids}) and ${gate}`,
  }),
  inserted('N', ['new_holds', 'holds'], newHoldColumns, ({ newHolds }) => newHolds),
  changed('H', ['changed_holds', 'holds'], holdFigures, ({ changedHolds }) => changedHolds),
  inserted<LedgerEntry>(
    'E',
    ['entries', 'ledger'],
    [
      text('idem', (entry) => entry.idem),
      whole('created_at', (entry) => entry.at),
      whole('user_id', (entry) => entry.userId),
      text('debit_account', (entry) => entry.debit),
      text('credit_account', (entry) => entry.credit),
      whole('amount', (entry) => entry.amount),
      text('kind', (entry) => entry.kind),
      text('reference', (entry) => entry.reference),
    ],
    ({ entries }) => entries,
  ),
  inserted<StorableLog>(
    'L',
    ['new_logs', 'logs'],
    [whole('created_at', (log) => log.at), text('request_id', (log) => log.requestId), ...logFigures],
    ({ logs }) => logs,
  ),
  part<StorableLog>({
    letter: 'K',
    name: 'corrected_logs',
    rowsOf: ({ correctedLogs }) => correctedLogs,
    columns: [text('request_id', (log) => log.requestId), ...logFigures],
    sql: (
      source,
      gate,
    ) => `update logs t set ${assignments([{ name: 'request_id' }, ...logFigures])} from ${source.rows}
      where t.request_id = any(${source.ids}) and t.request_id = x.request_id and t.type = 2 and ${gate}`,
  }),
  summed('G', 'hours', USAGE_HOURS, ({ usage }) => usage),
  summed('O', 'holders', HOLDER_HOURS, ({ holders }) => holders),
  summed('B', 'margins', MARGIN_DAYS, ({ margins }) => margins),
  summed('P', 'budget_windows_ended', BUDGET_WINDOWS, ({ ended }) => ended),
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
