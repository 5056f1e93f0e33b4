// What the user feature needs from the application.
import type { Kysely } from 'kysely';
import type { RequestContext } from '#server/features/context.ts';
import type { Settings } from '#contract/settings.ts';
import type { Schema } from '#server/store/schema.ts';
import type { Store } from '#server/store/store.ts';

/** Mails to the owner of an account whose credentials changed. */
export interface OwnerLetters {
  /** In the caller's transaction; then `wake`. Without `address` when an administrator made the change. */
  put(
    db: Kysely<Schema>,
    userId: number,
    change: 'password_changed' | 'password_set' | 'two_factor_reset' | 'two_factor_reset_only',
    address?: string,
  ): Promise<void>;
  wake(): void;
}

export interface UserDependencies {
  store: Store;
  settings: { readonly current: Pick<Settings, 'UserUsableGroups' | 'GroupRatio'> };
  ownerLetters: OwnerLetters;
  /** Counted and slowed down like a sign-in; throws when there were too many tries. */
  isOwnPassword: (password: string, context: RequestContext) => Promise<boolean>;
  /** Deletes the file with the password generated at the first start. */
  forgetInitialPassword: () => Promise<void>;
}
