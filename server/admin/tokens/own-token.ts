// Reads one token by id and owner; a token of another user is not found.
import type { Caller } from '#contract/context.ts';
import { AppError } from '#contract/errors.ts';
import type { Kysely } from 'kysely';
import type { Row, Schema } from '#server/platform/store/schema.ts';

export async function ownToken(
  db: Kysely<Schema>,
  caller: Caller,
  id: number,
  options: { deleted?: boolean; lock?: boolean } = {},
): Promise<Row<'tokens'>> {
  const row = await db
    .selectFrom('tokens')
    .selectAll()
    .where('id', '=', id)
    .where('user_id', '=', caller.id)
    .where('deleted_at', options.deleted ? 'is not' : 'is', null)
    .$if(options.lock === true, (query) => query.forUpdate())
    .executeTakeFirst();
  if (!row) throw new AppError('not_found');
  return row;
}
