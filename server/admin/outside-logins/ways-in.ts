// Whether a user can still sign in after one way is removed: a usable password, a passkey, or a bound account of an enabled
// provider must remain. An email address does not count: mail may be off.
import { AppError } from '#contract/errors.ts';
import { type WaysIn } from '#server/admin/accounts.ts';
import { lockRow } from '#server/platform/store/locks.ts';
import { OUTSIDE_PROVIDERS, type OutsideProvider } from '#contract/admin/outside-logins.ts';
import { COLUMNS, isEnabled, type OutsideLoginDependencies } from './dependencies.ts';

export function createWaysIn({
  store,
  settings,
}: Pick<OutsideLoginDependencies, 'store' | 'settings'>): WaysIn {
  return {
    async lock(transaction, userId) {
      const row = await lockRow(store, transaction, 'users', userId);
      if (!row) throw new AppError('user_unavailable');
      return row;
    },
    async hasOther(transaction, user, than) {
      if (user.password_hash !== '' && settings.current.PasswordLoginEnabled) return true;
      const without = than !== 'passkeys' && 'provider' in than ? than.provider : undefined;
      const isOther = (provider: OutsideProvider) =>
        provider !== without && user[COLUMNS[provider]] !== '' && isEnabled(provider, settings.current);
      if (OUTSIDE_PROVIDERS.some(isOther)) return true;
      if (than === 'passkeys') return false;
      const passkey = await transaction
        .selectFrom('passkeys')
        .select('id')
        .where('user_id', '=', user.id)
        .where('id', '<>', 'passkeyId' in than ? than.passkeyId : 0)
        .limit(1)
        .executeTakeFirst();
      return passkey !== undefined;
    },
  };
}
