// What self service needs from the application.
import type { Kysely } from 'kysely';
import type { Settings } from '#contract/settings.ts';
import type { LeaveOrganizations } from '#server/admin/accounts.ts';
import type { Ledger } from '#server/money/ledger/ledger.ts';
import type { Schema } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';

export interface SelfDependencies {
  store: Store;
  settings: { readonly current: Pick<Settings, 'QuotaPerUnit' | 'DisplayInCurrencyEnabled'> };
  ledger: Pick<Ledger, 'transferWithin'>;
  /** Removes authenticator, recovery codes and passkeys of an account, in the caller's transaction. */
  forgetKeys: (db: Kysely<Schema>, userId: number) => Promise<unknown>;
  /** Removes kept conversations and links to them. */
  forgetTexts: (db: Kysely<Schema>, userId: number) => Promise<unknown>;
  leaveOrganizations: LeaveOrganizations;
}
