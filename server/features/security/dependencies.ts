// What the security feature needs from the application.
import type { Transaction } from 'kysely';
import type { IsOwnPassword, OwnerLetters, SecondFactor } from '#server/features/accounts.ts';
import type { RequestContext } from '#server/features/context.ts';
import type { SessionUser } from '#contract/session.ts';
import type { Settings } from '#contract/settings.ts';
import type { Row, Schema } from '#server/store/schema.ts';
import type { Store } from '#server/store/store.ts';

/** The other ways to sign in to an account. */
export interface WaysIn {
  /** The user's row, locked until the transaction ends. */
  lock(transaction: Transaction<Schema>, userId: number): Promise<Row<'users'>>;
  hasOther(
    transaction: Transaction<Schema>,
    user: Row<'users'>,
    than: { passkeyId: number } | 'passkeys',
  ): Promise<boolean>;
}

export interface SecurityDependencies {
  store: Store;
  settings: { readonly current: Pick<Settings, 'SystemName' | 'ServerAddress'> };
  secondFactor: SecondFactor;
  ownerLetters: OwnerLetters;
  isOwnPassword: IsOwnPassword;
  /** Signs in without asking for a second factor: a passkey is one. */
  enterFully: (userId: number, context: RequestContext, how: string) => Promise<SessionUser>;
  waysIn: WaysIn;
}
