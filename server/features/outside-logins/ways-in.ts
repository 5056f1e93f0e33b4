// Whether somebody can still enter their account without one of its keys: a password that may be used, a passkey, or an
// account elsewhere whose provider is on must be left. An email address does not count: a letter is no key, and mail may
// be off.
import type { Transaction } from 'kysely';
import { OUTSIDE_PROVIDERS, type OutsideProvider } from '#contract/outside-logins.ts';
import type { Row, Schema } from '#server/store/schema.ts';
import { COLUMNS, isEnabled, type OutsideLoginDependencies } from './dependencies.ts';

/** The key that is to go, or every passkey. */
export type Key = { provider: OutsideProvider } | { passkeyId: number } | 'passkeys';

export interface WaysIn {
  /** The user, kept to this transaction: of two keys that go at once each would count on the other. */
  lock(transaction: Transaction<Schema>, userId: number): Promise<Row<'users'>>;
  /** `user` is a locked row. */
  hasOther(transaction: Transaction<Schema>, user: Row<'users'>, than: Key): Promise<boolean>;
}

export function createWaysIn({
  store,
  settings,
}: Pick<OutsideLoginDependencies, 'store' | 'settings'>): WaysIn {
  return {
    async lock(transaction, userId) {
      const query = transaction.selectFrom('users').selectAll().where('id', '=', userId);
      return await (store.dialect === 'postgres' ? query.forUpdate() : query).executeTakeFirstOrThrow();
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
