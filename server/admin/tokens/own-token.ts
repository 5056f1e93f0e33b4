// Reads one token by id and owner; a token of another user is not found, nor one of another member to whom only their own are open.
import { AppError } from '#contract/errors.ts';
import type { Kysely } from 'kysely';
import type { Row, Schema } from '#server/platform/store/schema.ts';
import { isWithin, type TokenReach } from './reach.ts';

export async function ownToken(
  db: Kysely<Schema>,
  reach: TokenReach,
  id: number,
  options: { deleted?: boolean; lock?: boolean } = {},
): Promise<Row<'tokens'>> {
  const row = await db
    .selectFrom('tokens')
    .selectAll()
    .where('id', '=', id)
    .where((builder) => isWithin(builder, reach))
    .where('deleted_at', options.deleted ? 'is not' : 'is', null)
    .$if(options.lock === true, (query) => query.forUpdate())
    .executeTakeFirst();
  if (!row) throw new AppError('not_found');
  return row;
}
