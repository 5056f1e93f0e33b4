// What user management needs from the application.
import type { Transaction } from 'kysely';
import type { Settings } from '#contract/settings.ts';
import type { Ledger } from '#server/money/ledger/ledger.ts';
import type { Row, Schema } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import type { LeaveOrganizations, OwnerLetters } from '#server/admin/accounts.ts';
import type { SignUpParts } from '#server/admin/sign-up.ts';

export interface ManagementDependencies {
  store: Store;
  settings: SignUpParts['settings'] & {
    readonly current: Pick<Settings, 'GroupRatio' | 'QuotaPerUnit' | 'SiteTimeZone'>;
  };
  ledger: Pick<Ledger, 'transferWithin' | 'writeHolds'>;
  ownerLetters: OwnerLetters;
  /** Removes authenticator, recovery codes and passkeys, except passkeys that are the only way to sign in. `user` is a locked row. */
  resetKeys: (
    transaction: Transaction<Schema>,
    user: Row<'users'>,
  ) => Promise<{ two_factor: boolean; passkeys: number; passkeys_kept: number }>;
  /** Removes kept conversations of an account that is deleted, and links to them. */
  forgetTexts: (transaction: Transaction<Schema>, userId: number) => Promise<unknown>;
  leaveOrganizations: LeaveOrganizations;
}
