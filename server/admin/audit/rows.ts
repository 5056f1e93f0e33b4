// Audit rows of a filter, newest first. Pages start at a row, not at an offset, because rows are added all the time.
import type { AuditFilter as WrittenFilter } from '#contract/admin/audit.ts';
import { sql, type Expression, type ExpressionBuilder, type SqlBool } from 'kysely';
import type { Row, Schema } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';

type Builder = ExpressionBuilder<Schema, 'audit'>;

/** `organizationId`: only what was done for that organization. */
export type AuditFilter = WrittenFilter & { organizationId?: number | undefined };

export interface Place {
  /** Only rows older than this one. */
  before?: number | undefined;
  /** Only rows newer than this one; the oldest of them. */
  after?: number | undefined;
  limit: number;
}

/** Newest first, for both directions. */
export async function auditRows(
  { db }: Pick<Store, 'db'>,
  filter: AuditFilter,
  { before, after, limit }: Place,
): Promise<Row<'audit'>[]> {
  let query = db
    .selectFrom('audit')
    .selectAll()
    .where((builder) => matching(builder, filter))
    .orderBy('id', after === undefined ? 'desc' : 'asc')
    .limit(limit);
  if (before !== undefined) query = query.where('id', '<', before);
  if (after !== undefined) query = query.where('id', '>', after);
  const rows = await query.execute();
  return after === undefined ? rows : rows.toReversed();
}

export async function countAudit({ db }: Pick<Store, 'db'>, filter: AuditFilter): Promise<number> {
  const { total } = await db
    .selectFrom('audit')
    .select((builder) => builder.fn.countAll<number>().as('total'))
    .where((builder) => matching(builder, filter))
    .executeTakeFirstOrThrow();
  return total;
}

function matching(builder: Builder, filter: AuditFilter): Expression<SqlBool> {
  const { actor, action, target, start_timestamp, end_timestamp, organizationId } = filter;
  const conditions: Expression<SqlBool>[] = [];
  if (organizationId !== undefined) conditions.push(builder('organization_id', '=', organizationId));
  if (actor) conditions.push(byActor(builder, actor));
  if (action) conditions.push(wholeOrKind(builder, 'action', action, '.'));
  if (target) conditions.push(wholeOrKind(builder, 'target', target, ':'));
  if (start_timestamp !== undefined) conditions.push(builder('created_at', '>=', start_timestamp));
  if (end_timestamp !== undefined) conditions.push(builder('created_at', '<=', end_timestamp));
  return conditions.length === 0 ? sql<SqlBool>`1 = 1` : builder.and(conditions);
}

function byActor(builder: Builder, actor: string): Expression<SqlBool> {
  const byName = builder(sql`lower(actor_name)`, '=', sql`lower(${actor})`);
  const id = Number(actor);
  return /^\d+$/.test(actor) && Number.isSafeInteger(id)
    ? builder.or([builder('actor_id', '=', id), byName])
    : byName;
}

/** `user.disable` matches itself, `user` everything that starts with `user.`. */
function wholeOrKind(
  builder: Builder,
  column: 'action' | 'target',
  text: string,
  separator: string,
): Expression<SqlBool> {
  const kind = text.endsWith(separator) ? text : text + separator;
  const pattern = `${kind.replaceAll(/[\\%_]/g, (character) => `\\${character}`)}%`;
  return builder.or([
    builder(column, '=', text),
    sql<SqlBool>`${sql.ref(column)} like ${pattern} escape '\\'`,
  ]);
}
