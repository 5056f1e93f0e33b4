// A code for an administrator. Only a browser session gets whole codes; a system access token gets them masked, so that one
// leaked credential does not disclose money.
import type { Kysely } from 'kysely';
import type { RequestContext } from '#server/admin/context.ts';
import { AppError } from '#contract/errors.ts';
import type { RedemptionView } from '#contract/money/redemptions.ts';
import type { Row, Schema } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import { maskedCode, openCode } from './key.ts';

type ShownRow = Row<'redemptions'> & { used_username: string | null };

/** Codes that are not deleted, with the name of the user who redeemed each. */
export function shownCodes(db: Kysely<Schema>) {
  return db
    .selectFrom('redemptions')
    .leftJoin('users', 'users.id', 'redemptions.used_user_id')
    .selectAll('redemptions')
    .select('users.username as used_username')
    .where('redemptions.deleted_at', 'is', null);
}

export function codeView({ vault }: Store, context: RequestContext, row: ShownRow): RedemptionView {
  const code = openCode(vault, row);
  return {
    id: row.id,
    user_id: row.user_id,
    name: row.name,
    key: context.via === 'session' ? code : maskedCode(code),
    status: row.status,
    quota: row.quota,
    created_time: row.created_time,
    redeemed_time: row.redeemed_time,
    used_user_id: row.used_user_id,
    used_username: row.used_username ?? '',
    expired_time: row.expired_time,
    batch: row.batch,
  };
}

export async function oneCodeView(
  store: Store,
  context: RequestContext,
  id: number,
): Promise<RedemptionView> {
  const row = await shownCodes(store.db).where('redemptions.id', '=', id).executeTakeFirst();
  if (!row) throw new AppError('not_found');
  return codeView(store, context, row);
}

/** A code in an audit row, without the code itself. */
export function auditedCode(row: Row<'redemptions'>): Record<string, unknown> {
  const { key_digest: _digest, key_sealed: _sealed, ...rest } = row;
  return rest;
}
