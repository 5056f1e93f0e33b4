// One action on many tokens, in one statement. Tokens it cannot be applied to are unchanged and listed in the response.
import type { Handler } from '#server/admin/context.ts';
import { nowSeconds } from '#server/admin/clock.ts';
import type { Input } from '#contract/endpoint.ts';
import {
  TOKEN_NEVER_EXPIRES,
  TOKEN_RESTORE_SECONDS,
  TOKEN_STATUS,
  type tokens,
} from '#contract/admin/tokens.ts';
import type { Transaction } from 'kysely';
import type { Row, Schema } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import type { TokenDependencies } from './dependencies.ts';
import { holdOrganization, mayWork } from './holder.ts';
import { refuseTooMany } from './limit.ts';
import { accountTarget, isWithin, reachOf, type TokenReach } from './reach.ts';

type Action = Input<typeof tokens.batch>['body']['action'];

export function batchTokens(dependencies: TokenDependencies): Handler<typeof tokens.batch> {
  return async ({ body }, context) => {
    const reach = reachOf(context);
    const { store } = dependencies;
    const now = nowSeconds(dependencies);
    const { known, changed } = await store.db.transaction().execute(async (transaction) => {
      await holdOrganization(store, transaction, context);
      const rows = await ownRows(transaction, reach, body.ids, body.action);
      const own = rows.map(({ id }) => id);
      if (own.length === 0) return { known: own, changed: [] };
      if (body.action === 'restore') await refuseTooManyOfEach(store, transaction, reach, rows);
      const ids = await apply(transaction, reach, own, body.action, now);
      if (ids.length > 0)
        await context.audit(transaction, `token.${body.action}`, accountTarget(reach), undefined, { ids });
      return { known: own, changed: ids };
    });
    // One announcement without an id: any token may have changed.
    if (changed.length > 0) await store.changes.announce('tokens');
    return { changed, refused: known.filter((id) => !changed.includes(id)) };
  };
}

type OwnRow = Pick<Row<'tokens'>, 'id' | 'member_id' | 'service_account_id'>;

async function ownRows(
  transaction: Transaction<Schema>,
  reach: TokenReach,
  ids: readonly number[],
  action: Action,
): Promise<OwnRow[]> {
  return await transaction
    .selectFrom('tokens')
    .select(['id', 'member_id', 'service_account_id'])
    .where('id', 'in', ids)
    .where((builder) => isWithin(builder, reach))
    .where('deleted_at', action === 'restore' ? 'is not' : 'is', null)
    .orderBy('id')
    .execute();
}

/** The limit is that of each member and service account. */
async function refuseTooManyOfEach(
  store: Pick<Store, 'dialect'>,
  transaction: Transaction<Schema>,
  { userId }: TokenReach,
  rows: readonly OwnRow[],
): Promise<void> {
  const holders = Map.groupBy(rows, (row) => `${row.member_id} ${row.service_account_id}`);
  for (const [holder, ...others] of holders.values())
    if (holder) await refuseTooMany(store, transaction, userId, others.length + 1, holder);
}

async function apply(
  transaction: Transaction<Schema>,
  reach: TokenReach,
  ids: readonly number[],
  action: Action,
  now: number,
): Promise<number[]> {
  const update = transaction
    .updateTable('tokens')
    .where('id', 'in', ids)
    .where((builder) => isWithin(builder, reach))
    .returning('id');
  const statements = {
    disable: () => update.set({ status: TOKEN_STATUS.disabled }),
    delete: () => update.set({ deleted_at: now }),
    restore: () =>
      update
        .set({ deleted_at: null })
        .where('deleted_at', '>=', now - TOKEN_RESTORE_SECONDS)
        .where((builder) => mayWork(builder)),
    enable: () =>
      update
        .set({ status: TOKEN_STATUS.enabled })
        .where((builder) => mayWork(builder))
        .where(({ eb }) => eb('unlimited_quota', '=', 1).or('remain_quota', '>', 0))
        .where(({ eb }) => eb('expired_time', '=', TOKEN_NEVER_EXPIRES).or('expired_time', '>', now)),
  };
  const rows = await statements[action]().execute();
  return rows.map((row) => row.id).sort((left, right) => left - right);
}
