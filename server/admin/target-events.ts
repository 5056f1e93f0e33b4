// What happened to one thing and who did it, from the audit trail: fields that changed, without secrets, addresses and counters.
import { PAGE_EVENTS, type PageEvent, type PageEvents } from '#contract/admin/page-parts.ts';
import type { AuditTarget } from '#contract/admin/audit-targets.ts';
import type { Row } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import { withoutSecrets } from './without-secrets.ts';

const MOST_CHANGES = 6;
const MOST_LETTERS = 200;

/** Sign-ins and readings are many and change nothing. */
const LEFT_OUT = [
  'email.code',
  'passkey.refused',
  'redemption.read_keys',
  'redemption.refused',
  'session.confirm',
  'session.confirm_refused',
  'session.end',
  'session.end_others',
  'session.refused',
  'session.start',
  'statement.export',
  'token.find_key',
  'token.read_keys',
  'two_factor.refused',
];

/** Columns that calls and the server itself change, and those that say what the event's target says. */
const TECHNICAL = new Set([
  'id',
  'user_id',
  'accessed_time',
  'auth_version',
  'created_at',
  'created_time',
  'held_quota',
  'request_count',
  'updated_at',
  'used_quota',
]);

interface Reader {
  /** Only this actor is named; others are administrators whose names the reader may not see. */
  onlyActor?: number;
}

export async function targetEvents(
  { db }: Pick<Store, 'db'>,
  targets: readonly AuditTarget[],
  { onlyActor }: Reader = {},
): Promise<PageEvents> {
  const events = db.selectFrom('audit').where('target', 'in', targets).where('action', 'not in', LEFT_OUT);
  const [rows, { total }] = await Promise.all([
    events
      .select(['id', 'created_at', 'action', 'target', 'actor_id', 'actor_name', 'before', 'after'])
      .orderBy('id', 'desc')
      .limit(PAGE_EVENTS)
      .execute(),
    events.select((builder) => builder.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
  ]);
  return { items: rows.map((row) => eventOf(row, onlyActor)), total };
}

type AuditRow = Pick<
  Row<'audit'>,
  'id' | 'created_at' | 'action' | 'target' | 'actor_id' | 'actor_name' | 'before' | 'after'
>;

function eventOf({ before, after, ...row }: AuditRow, onlyActor: number | undefined): PageEvent {
  const isNamed = onlyActor === undefined || row.actor_id === onlyActor;
  return {
    ...row,
    actor_id: isNamed ? row.actor_id : 0,
    actor_name: isNamed ? row.actor_name : '',
    // What a new thing begins with is on its page already.
    changes: row.action.endsWith('.create') ? [] : changesOf(before, after),
  };
}

export function changesOf(before: string, after: string): PageEvent['changes'] {
  const [old, now] = [fieldsOf(before), fieldsOf(after)];
  return [...new Set([...Object.keys(old), ...Object.keys(now)])]
    .filter((field) => !TECHNICAL.has(field))
    .map((field) => ({ field, before: wordOf(old[field]), after: wordOf(now[field]) }))
    .filter((change) => change.before !== change.after)
    .slice(0, MOST_CHANGES);
}

function fieldsOf(text: string): Record<string, unknown> {
  const shown = withoutSecrets(text);
  const value: unknown = shown === '' ? {} : JSON.parse(shown);
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}

function wordOf(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  const word = typeof value === 'string' ? value : JSON.stringify(value);
  return word.length > MOST_LETTERS ? `${word.slice(0, MOST_LETTERS)}…` : word;
}
