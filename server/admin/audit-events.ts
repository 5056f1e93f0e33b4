// Rows of the audit trail about one thing, as events of its page: who did what, and the fields that it changed. Without addresses,
// and without values that may be secret.
import type { ThingEvent } from '#contract/admin/thing-parts.ts';
import type { Store } from '#server/platform/store/store.ts';

const MOST_ROWS = 60;
const LONGEST_VALUE = 60;

export interface AuditedFields {
  /** Shown with both values. */
  readonly shown: ReadonlySet<string>;
  /** Only named: long or possibly secret. */
  readonly named: ReadonlySet<string>;
}

export type AuditEvent = Extract<ThingEvent, { kind: 'audit' }>;

/** `id`: of the thing, for rows about many. */
export async function auditEvents(
  { db }: Store,
  target: string,
  fields: AuditedFields,
  many?: { id: number; actions: readonly string[] },
): Promise<AuditEvent[]> {
  const columns = ['created_at', 'actor_name', 'action', 'before', 'after'] as const;
  const own = db
    .selectFrom('audit')
    .select(columns)
    .where('target', '=', target)
    .orderBy('id', 'desc')
    .limit(MOST_ROWS)
    .execute();
  const kind = target.split(':')[0] ?? target;
  const ofMany =
    many === undefined
      ? []
      : db
          .selectFrom('audit')
          .select(columns)
          .where('action', 'in', [...many.actions])
          .where('target', 'like', `${kind}:%,%`)
          .orderBy('id', 'desc')
          .limit(MOST_ROWS)
          .execute();
  const [rows, more] = await Promise.all([own, ofMany]);
  const shared = more.filter(({ after }) => {
    const { ids } = objectIn(after) as { ids?: unknown };
    return Array.isArray(ids) && ids.includes(many?.id);
  });
  return [...rows, ...shared].map(({ created_at, actor_name, action, before, after }) => ({
    kind: 'audit',
    at: created_at,
    action,
    actor: actor_name,
    changes: changesOf(objectIn(before), objectIn(after), fields),
  }));
}

function objectIn(text: string): Record<string, unknown> {
  if (text === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function changesOf(
  before: Record<string, unknown>,
  after: Record<string, unknown>,
  { shown, named }: AuditedFields,
): AuditEvent['changes'] {
  // A thing that was made or deleted has only one side: its fields are no change.
  if (Object.keys(after).length === 0 || (Object.keys(before).length === 0 && !('ids' in after))) return [];
  return Object.keys(after).flatMap((field) => {
    const [old, next] = [textOf(before[field]), textOf(after[field])];
    if (old === next) return [];
    if (named.has(field)) return [{ field, before: '', after: '' }];
    return shown.has(field) ? [{ field, before: old, after: next }] : [];
  });
}

const textOf = (value: unknown): string =>
  value === undefined || value === null
    ? ''
    : (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, LONGEST_VALUE);
