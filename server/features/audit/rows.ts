// Rows of the trail for a filter, newest first, always behind a row and never by an offset: the trail only grows.
import type { AuditFilter } from '#contract/audit.ts';
import { sql, type Expression, type ExpressionBuilder, type SqlBool } from 'kysely';
import type { Row, Schema } from '#server/store/schema.ts';
import type { Store } from '#server/store/store.ts';

type Builder = ExpressionBuilder<Schema, 'audit'>;

export async function auditRows(
  { db }: Pick<Store, 'db'>,
  filter: AuditFilter,
  { before, limit }: { before: number | undefined; limit: number },
): Promise<Row<'audit'>[]> {
  return await db
    .selectFrom('audit')
    .selectAll()
    .where((builder) => matching(builder, filter, before))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

function matching(builder: Builder, filter: AuditFilter, before: number | undefined): Expression<SqlBool> {
  const { actor, action, target, start_timestamp, end_timestamp } = filter;
  const conditions: Expression<SqlBool>[] = [];
  if (before !== undefined) conditions.push(builder('id', '<', before));
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

/** `user.disable` means itself, `user` everything that starts with `user.`. */
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
