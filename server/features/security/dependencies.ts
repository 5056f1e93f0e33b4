// What the security feature needs from the application.
import type { Kysely, Transaction } from 'kysely';
import type { RequestContext } from '#server/features/context.ts';
import type { SessionUser } from '#contract/session.ts';
import type { Settings } from '#contract/settings.ts';
import type { Row, Schema } from '#server/store/schema.ts';
import type { Store } from '#server/store/store.ts';
import type { SecondFactor } from './second-factor.ts';

type KeyChange =
  | 'two_factor_on'
  | 'two_factor_off'
  | 'recovery_codes_renewed'
  | 'passkey_added'
  | 'passkey_removed';

/** Mails to the owner of an account whose keys changed. */
export interface OwnerLetters {
  /** In the caller's transaction; then `wake`. */
  put(db: Kysely<Schema>, userId: number, change: KeyChange, address: string): Promise<void>;
  wake(): void;
}

/** What else lets somebody into their account. */
export interface WaysIn {
  /** The user, kept to this transaction. */
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
  /** Counted and slowed down like a sign-in; throws when there were too many tries. */
  isOwnPassword: (password: string, context: RequestContext) => Promise<boolean>;
  /** Signs in without asking for a second factor: a passkey is one. */
  enterFully: (userId: number, context: RequestContext, how: string) => Promise<SessionUser>;
  waysIn: WaysIn;
}

export const unixSeconds = () => Math.floor(Date.now() / 1000);
