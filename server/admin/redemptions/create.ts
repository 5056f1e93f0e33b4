// Creates a batch of codes; all of it or none.
import { randomBytes } from 'node:crypto';
import { callerOf, type RequestContext } from '#server/admin/context.ts';
import type { Input } from '#contract/endpoint.ts';
import { AppError } from '#contract/errors.ts';
import { REDEMPTION_BATCH_MAX, REDEMPTION_STATUS, type redemptions } from '#contract/money/redemptions.ts';
import { requireStepUpForQuota } from '#server/admin/accounts.ts';
import type { Transaction } from 'kysely';
import type { NewRow, Schema } from '#server/platform/store/schema.ts';
import type { Vault } from '#server/platform/store/vault.ts';
import { nowSeconds } from '#server/admin/clock.ts';
import type { RedemptionDependencies } from './dependencies.ts';
import { checkedName, refusePastExpiry } from './fields.ts';
import { codeDigest, newCode, sealCode } from './key.ts';

export function createCodes(dependencies: RedemptionDependencies) {
  return async ({ body }: Input<typeof redemptions.create>, context: RequestContext): Promise<string[]> => {
    const { store } = dependencies;
    const { quota, count, expired_time } = body;
    const now = nowSeconds(dependencies);
    if (count < 1 || count > REDEMPTION_BATCH_MAX)
      throw new AppError('redemption_count_invalid', { most: REDEMPTION_BATCH_MAX }, { field: 'count' });
    const name = checkedName(dependencies, body.name, quota);
    refusePastExpiry(expired_time, now);
    requireStepUpForQuota(context, quota * count, dependencies.settings.current.QuotaPerUnit);

    const batch = randomBytes(5).toString('hex');
    const codes = Array.from({ length: count }, newCode);
    const columns = {
      user_id: callerOf(context).id,
      name,
      status: REDEMPTION_STATUS.unused,
      quota,
      created_time: now,
      batch,
      expired_time,
    };
    await store.db.transaction().execute(async (transaction) => {
      const ids = await insertCodes(store, transaction, codes, columns);
      const detail = { ids, name, quota, count, expired_time };
      await context.audit(transaction, 'redemption.create', `batch:${batch}`, undefined, detail);
    });
    return codes;
  };
}

/** Codes with the same columns; their ids. */
export async function insertCodes(
  { vault }: { vault: Vault },
  transaction: Transaction<Schema>,
  codes: readonly string[],
  columns: Omit<NewRow<'redemptions'>, 'key_digest' | 'deleted_at'>,
): Promise<number[]> {
  const keysOf = (code: string) => ({
    key_digest: codeDigest(vault, code),
    key_sealed: sealCode(vault, code),
  });
  const created = await transaction
    .insertInto('redemptions')
    .values(codes.map((code) => ({ ...columns, ...keysOf(code), deleted_at: null })))
    .returning('id')
    .execute();
  return created.map(({ id }) => id);
}
