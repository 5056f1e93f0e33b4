// Redeems a code: one conditional update decides, in the transaction that credits the balance. Of any number of
// simultaneous tries, on any number of nodes, one finds the code unused.
import { accountOf, callerOf, type RequestContext } from '#server/admin/context.ts';
import type { Input } from '#contract/endpoint.ts';
import { AppError } from '#contract/errors.ts';
import { factText } from '#contract/facts.ts';
import { LOG_TYPE } from '#contract/admin/logs.ts';
import {
  REDEMPTION_NEVER_EXPIRES,
  REDEMPTION_STATUS,
  redemptionExpired,
  redemptionKeyOf,
  type redemptions,
} from '#contract/money/redemptions.ts';
import { REDEEM_KIND, redemptionIdem } from '#server/money/ledger/idempotency.ts';
import { nowSeconds } from '#server/admin/clock.ts';
import type { RedemptionDependencies } from './dependencies.ts';
import { codeDigest } from './key.ts';

export function redeemCode(dependencies: RedemptionDependencies) {
  const { store, ledger, attempts } = dependencies;

  return async ({ body }: Input<typeof redemptions.redeem>, context: RequestContext): Promise<number> => {
    const code = redemptionKeyOf(body.key);
    if (code === '') throw new AppError('redemption_key_missing', {}, { field: 'key' });
    // The tries are those of the person, also for an organization.
    const account = String(callerOf(context).id);
    const seconds = await attempts.begin(account, context.address);
    if (seconds > 0) throw new AppError('too_many_attempts', { seconds }, { field: 'key' });

    const digest = codeDigest(store.vault, code);
    const quota = await credit(digest, context);
    if (quota === undefined) return await refuse(digest, context);
    // The code is credited: a failure of the counter must not look like a failure of the redemption.
    await attempts
      .succeed(account, context.address)
      .catch((error: unknown) => context.log.warn('a redemption was not taken off the tries', { error }));
    return quota;
  };

  async function credit(digest: string, context: RequestContext): Promise<number | undefined> {
    const { id: userId, username } = accountOf(context);
    const now = nowSeconds(dependencies);
    return await store.db.transaction().execute(async (transaction) => {
      const code = await transaction
        .updateTable('redemptions')
        .set({ status: REDEMPTION_STATUS.used, redeemed_time: now, used_user_id: userId })
        .where('key_digest', '=', digest)
        .where('status', '=', REDEMPTION_STATUS.unused)
        .where('deleted_at', 'is', null)
        .where(({ eb }) => eb('expired_time', '=', REDEMPTION_NEVER_EXPIRES).or('expired_time', '>', now))
        .returning(['id', 'name', 'quota'])
        .executeTakeFirst();
      if (!code) return undefined;
      const { id, name, quota } = code;
      const booked = await ledger.transferWithin(transaction, {
        idem: redemptionIdem(id),
        userId,
        amount: quota,
        from: 'world:redeem',
        to: 'user',
        kind: REDEEM_KIND,
        reference: name,
        log: {
          type: LOG_TYPE.topUp,
          user_id: userId,
          username,
          quota,
          content: factText('code', { id, name }),
        },
      });
      if (!booked.ok)
        throw new AppError(booked.reason === 'over_limit' ? 'redemption_over_limit' : 'internal');
      if (booked.duplicate) throw new Error(`code ${id} is unused, but its key is in the ledger`);
      await context.audit(transaction, 'redemption.redeem', `redemption:${id}`, undefined, { name, quota });
      return quota;
    });
  }

  async function refuse(digest: string, context: RequestContext): Promise<never> {
    const code = await store.db
      .selectFrom('redemptions')
      .select(['status', 'expired_time'])
      .where('key_digest', '=', digest)
      .where('deleted_at', 'is', null)
      .executeTakeFirst();
    if (!code) await context.auditEvent('redemption.refused', `user:${callerOf(context).id}`);
    throw new AppError(reasonOf(code), {}, { field: 'key' });
  }

  function reasonOf(code: { status: number; expired_time: number } | undefined) {
    if (code?.status === REDEMPTION_STATUS.used) return 'redemption_used';
    if (code?.status === REDEMPTION_STATUS.disabled) return 'redemption_disabled';
    return code && redemptionExpired(code, nowSeconds(dependencies))
      ? 'redemption_expired'
      : 'redemption_invalid';
  }
}
