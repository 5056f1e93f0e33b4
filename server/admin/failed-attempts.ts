// Failed attempts of a time window, grouped by the upstream's error text. An attempt is in the log row of its call, even when another channel
// answered that call, so the rows of hours with failures are read, the newest first, up to a bound.
import { sql, type RawBuilder, type SqlBool } from 'kysely';
import { MOST_FAILURE_GROUPS, type FailureGroup, type ThingFailures } from '#contract/admin/thing-parts.ts';
import type { WindowSpan } from '#contract/thing-window.ts';
import { HOUR_SECONDS } from '#contract/time.ts';
import type { Store } from '#server/platform/store/store.ts';

/** Rows of calls that ended with an error. */
const MOST_FAILED_ROWS = 600;
/** Calls of the site in the hours whose answered calls are read. */
const MOST_SEARCHED_CALLS = 20_000;
const MOST_RETRIED_ROWS = 400;
/** Months have hundreds of hours with failures apart from each other; the newest are searched. */
const MOST_SPANS = 48;
const ANSWERED = 2;
const FAILED = 5;
const MOST_NAMES = 5;
const MOST_REQUEST_IDS = 5;

export interface FailureScope {
  /** Undefined: all channels. */
  channels?: readonly number[];
  model?: string;
  /** First seconds of the hours with failures, newest first. */
  hours: readonly number[];
  total: number;
}

interface LogRow {
  created_at: number;
  request_id: string;
  type: number;
  user_id: number;
  username: string;
  model_name: string;
  channel_id: number;
  channel_name: string;
  content: string;
  other: string;
}

interface Failure {
  row: LogRow;
  channel: number;
  status: number;
  words: string;
}

export async function readFailures(
  store: Store,
  span: WindowSpan,
  scope: FailureScope,
): Promise<ThingFailures> {
  if (scope.hours.length === 0) return { total: scope.total, read: 0, groups: [] };
  const rows = await rowsOf(store, span, scope);
  const wanted = scope.channels === undefined ? undefined : new Set(scope.channels);
  const failures = rows
    .flatMap((row) => failuresIn(row).map((attempt): Failure => ({ row, ...attempt })))
    .filter(({ channel }) => wanted?.has(channel) ?? true);
  const names = await namesOf(store, failures);
  const groups = [...Map.groupBy(failures, keyOf).values()].map((group) => groupOf(group, span, names));
  return {
    total: Math.max(scope.total, failures.length),
    read: failures.length,
    groups: groups
      .toSorted((left, right) => right.count - left.count || right.last_at - left.last_at)
      .slice(0, MOST_FAILURE_GROUPS),
  };
}

const COLUMNS = sql`created_at, request_id, type, user_id, username, model_name, channel_id, channel_name, content, other`;

async function rowsOf(store: Store, { start, end }: WindowSpan, scope: FailureScope): Promise<LogRow[]> {
  const { db, dialect } = store;
  const oldest = Math.max(start, scope.hours.at(-1) ?? start);
  const model: RawBuilder<SqlBool>[] = scope.model === undefined ? [] : [sql`model_name = ${scope.model}`];
  const own: RawBuilder<SqlBool>[] =
    scope.channels === undefined ? [] : [sql`channel_id in (${sql.join(listOf(scope.channels))})`];
  // SQLite has no statistics about how few rows the index of failed calls holds.
  const failedLogs = dialect === 'sqlite' ? sql`logs indexed by logs_failed` : sql`logs`;
  const failed = sql<LogRow>`select ${COLUMNS} from ${failedLogs}
    where type = 5 and created_at >= ${oldest} and created_at < ${end} and ${sql.join([...model, ...own, sql`1 = 1`], sql` and `)}
    order by created_at desc limit ${MOST_FAILED_ROWS}`.execute(db);
  const searched = await findSearchedHours(store, scope.hours);
  const mentions =
    scope.channels === undefined
      ? sql`other like ${'%"error":%'}`
      : sql`(${sql.join(
          listOf(scope.channels).map((id) => sql`other like ${`%{"channel":${id},"status":%`}`),
          sql` or `,
        )})`;
  const others: RawBuilder<SqlBool>[] =
    scope.channels === undefined
      ? [sql`type = 2`]
      : [sql`type in (2, 5)`, sql`channel_id not in (${sql.join(listOf(scope.channels))})`];
  const conditions = sql.join([...others, ...model, mentions], sql` and `);
  const spans = spansOf(searched).slice(0, MOST_SPANS);
  const retried = spans.length === 0 ? undefined : retriedIn(spans, conditions).execute(db);
  const [one, two] = await Promise.all([failed, retried]);
  return [...one.rows, ...(two?.rows ?? [])];
}

/** Calls that meet the conditions, by one range of the index each: with `or` between the ranges SQLite reads the whole log. */
export function retriedIn(
  spans: readonly { start: number; end: number }[],
  conditions: RawBuilder<unknown>,
): RawBuilder<LogRow> {
  const within = spans.map(
    ({ start, end }) => sql`select ${COLUMNS} from logs
      where created_at >= ${start} and created_at < ${end} and ${conditions}`,
  );
  return sql<LogRow>`select ${COLUMNS} from (${sql.join(within, sql` union all `)}) as found
    order by created_at desc limit ${MOST_RETRIED_ROWS}`;
}

/** Hours, the newest first, that follow each other make one span. */
function spansOf(hours: readonly number[]): { start: number; end: number }[] {
  const spans: { start: number; end: number }[] = [];
  for (const hour of hours) {
    const last = spans.at(-1);
    if (last?.start === hour + HOUR_SECONDS) last.start = hour;
    else spans.push({ start: hour, end: hour + HOUR_SECONDS });
  }
  return spans;
}

const listOf = (ids: readonly number[]): readonly number[] => (ids.length === 0 ? [0] : ids);

/** The newest hours whose calls together stay below the bound. */
async function findSearchedHours({ db }: Store, hours: readonly number[]): Promise<number[]> {
  const { rows } = await sql<{ hour: number; calls: number }>`
    select hour, cast(sum(count) as bigint) as calls from usage_hours
    where hour in (${sql.join(hours)}) group by hour`.execute(db);
  const callsOf = new Map(rows.map(({ hour, calls }) => [hour, calls]));
  let calls = 0;
  return hours.filter((hour) => {
    calls += callsOf.get(hour) ?? 0;
    return calls <= MOST_SEARCHED_CALLS;
  });
}

/** A failed call without attempts, as an imported one, says only what its user read. */
function failuresIn({
  type,
  channel_id,
  content,
  other,
}: LogRow): Pick<Failure, 'channel' | 'status' | 'words'>[] {
  const attempts = attemptsIn(other);
  if (attempts.length > 0 || type !== FAILED || content === '') return attempts;
  const status = Number(/^status (\d{3})\b/.exec(content)?.[1] ?? 0);
  return [{ channel: channel_id, status, words: content }];
}

function attemptsIn(other: string): Pick<Failure, 'channel' | 'status' | 'words'>[] {
  try {
    const { admin_info: info } = JSON.parse(other) as { admin_info?: { attempts?: unknown } };
    if (!Array.isArray(info?.attempts)) return [];
    return (info.attempts as { channel?: unknown; status?: unknown; error?: unknown }[])
      .filter(({ error }) => typeof error === 'string' && error !== '')
      .map(({ channel, status, error }) => ({
        channel: Number(channel),
        status: Number(status) || 0,
        words: String(error),
      }));
  } catch {
    return [];
  }
}

/** Ids in the words are different in each answer; the rest is the same. */
function keyOf({ status, words }: Failure): string {
  const same = words.replaceAll(/\b(?=[\w-]*\d)[\w-]{12,}/g, '…').replaceAll(/\d+(\.\d+)?/g, '0');
  return `${status} ${same}`;
}

/** Channels have no name in the row of a call that another one answered. */
async function namesOf({ db }: Store, failures: readonly Failure[]): Promise<ReadonlyMap<number, string>> {
  const ids = [...new Set(failures.map(({ channel }) => channel))];
  if (ids.length === 0) return new Map();
  const rows = await db.selectFrom('channels').select(['id', 'name']).where('id', 'in', ids).execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}

function groupOf(
  failures: readonly Failure[],
  { start, step, count }: WindowSpan,
  names: ReadonlyMap<number, string>,
): FailureGroup {
  const newestFirst = failures.toSorted((left, right) => right.row.created_at - left.row.created_at);
  const times = newestFirst.map(({ row }) => row.created_at);
  const [newest] = newestFirst;
  const posts = Array.from({ length: count }, () => 0);
  for (const time of times) {
    const at = Math.floor((time - start) / step);
    posts[at] = (posts[at] ?? 0) + 1;
  }
  const answered = failures.filter(({ row, channel }) => row.type === ANSWERED && row.channel_id !== channel);
  return {
    status: newest?.status ?? 0,
    words: newest?.words ?? '',
    count: failures.length,
    posts,
    first_at: times.at(-1) ?? 0,
    last_at: times[0] ?? 0,
    models: mostOf(failures.map(({ row }) => ({ id: 0, name: row.model_name }))).map(
      ({ name, count: calls }) => ({
        name,
        count: calls,
      }),
    ),
    users: mostOf(failures.map(({ row }) => ({ id: row.user_id, name: row.username }))),
    channels: mostOf(failures.map(({ channel }) => ({ id: channel, name: names.get(channel) ?? '' }))),
    answered_by: mostOf(answered.map(({ row }) => ({ id: row.channel_id, name: row.channel_name }))),
    request_ids: newestFirst.slice(0, MOST_REQUEST_IDS).map(({ row }) => row.request_id),
  };
}

/** The most frequent ones. */
function mostOf(all: readonly { id: number; name: string }[]): { id: number; name: string; count: number }[] {
  const counts = Map.groupBy(all, ({ id, name }) => `${id} ${name}`);
  return [...counts.values()]
    .map((same) => ({ id: same[0]?.id ?? 0, name: same[0]?.name ?? '', count: same.length }))
    .toSorted((left, right) => right.count - left.count)
    .slice(0, MOST_NAMES);
}
