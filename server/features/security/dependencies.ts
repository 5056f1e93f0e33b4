// What the security feature needs from the application.
import type { Kysely, Transaction } from 'kysely';
import type { RequestContext } from '#server/features/context.ts';
import type { SessionUser } from '#contract/session.ts';
import type { Settings } from '#contract/settings.ts';
import type { Row, Schema } from '#server/store/schema.ts';
import type { Store } from '#server/store/store.ts';

type KeyChange =
  | 'two_factor_on'
  | 'two_factor_off'
  | 'recovery_codes_renewed'
  | 'passkey_added'
  | 'passkey_removed';

/** Mails to the owner of an account whose credentials changed. */
export interface OwnerLetters {
  /** In the caller's transaction; then `wake`. */
  put(db: Kysely<Schema>, userId: number, change: KeyChange, address: string): Promise<void>;
  wake(): void;
}

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

export interface SecondFactor {
  isOn(userId: number): Promise<boolean>;
  /** Uses a TOTP or recovery code; throws when it is wrong or was used before. */
  spend(userId: number, code: string, context: RequestContext): Promise<void>;
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
