// A user's own account: system access token, invite earnings, deletion.
import { randomInt, randomUUID } from 'node:crypto';
import { callerOf, type RequestContext, type Handler, type Handlers } from '#server/admin/context.ts';
import { changeUser } from '#server/admin/write-user.ts';
import { factText } from '#contract/facts.ts';
import { AppError } from '#contract/errors.ts';
import type { self } from '#contract/admin/self.ts';
import type { SelfDependencies } from './dependencies.ts';
import { leave } from './leave.ts';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const TOKEN_LENGTH = 32;
const LOG_TYPE_SYSTEM = 4;

export function createSelfHandlers(dependencies: SelfDependencies): Handlers<typeof self> {
  return {
    accessToken: resetAccessToken(dependencies),
    inviteCode: readInviteCode(dependencies),
    transferInvite: transferInvite(dependencies),
    remove: leave(dependencies),
  };
}

function resetAccessToken({ store }: SelfDependencies) {
  return async (_: unknown, context: RequestContext): Promise<string> => {
    const { id } = callerOf(context);
    const token = Array.from({ length: TOKEN_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
    await store.db.transaction().execute(async (transaction) => {
      const access_token_digest = store.vault.digest('access_token', token);
      await changeUser(transaction, id, { access_token_digest });
      await context.audit(transaction, 'user.access_token', `user:${id}`);
    });
    return token;
  };
}

function readInviteCode({ store }: SelfDependencies) {
  return async (_: unknown, context: RequestContext): Promise<string> => {
    const { aff_code } = await store.db
      .selectFrom('users')
      .select('aff_code')
      .where('id', '=', callerOf(context).id)
      .executeTakeFirstOrThrow();
    return aff_code;
  };
}

/** Moves invite earnings to the balance: one ledger row of at least one unit of currency. */
function transferInvite({ store, settings, ledger }: SelfDependencies): Handler<typeof self.transferInvite> {
  return async ({ body }, context) => {
    const { id, username } = callerOf(context);
    const { QuotaPerUnit, DisplayInCurrencyEnabled } = settings.current;
    const { quota } = body;
    if (quota < QuotaPerUnit)
      throw new AppError(
        'transfer_too_small',
        { amount: DisplayInCurrencyEnabled ? '$1' : QuotaPerUnit },
        { field: 'quota' },
      );
    return await store.db.transaction().execute(async (transaction) => {
      const result = await ledger.transferWithin(transaction, {
        idem: `aff_transfer:${id}:${body.request_id ?? randomUUID()}:${quota}`,
        userId: id,
        amount: quota,
        from: 'aff',
        to: 'user',
        kind: 'aff_transfer',
        reference: `user:${id}`,
        log: {
          type: LOG_TYPE_SYSTEM,
          user_id: id,
          username,
          quota,
          content: factText('inviteEarnings', { quota }),
        },
      });
      if (!result.ok) throw new AppError('invite_quota_insufficient', {}, { field: 'quota' });
      if (!result.duplicate)
        await context.audit(transaction, 'user.aff_transfer', `user:${id}`, undefined, { quota });
      return { quota: result.quota, aff_quota: result.affQuota };
    });
  };
}
