// What user management needs from the application.
import type { Kysely } from 'kysely';
import type { Settings } from '#contract/settings.ts';
import type { Ledger } from '#server/billing/ledger.ts';
import type { Schema } from '#server/store/schema.ts';
import type { Store } from '#server/store/store.ts';
import type { OwnerLetters } from './dependencies.ts';

export interface ManagementDependencies {
  store: Store;
  settings: { readonly current: Pick<Settings, 'GroupRatio' | 'QuotaForNewUser' | 'QuotaPerUnit'> };
  ledger: Pick<Ledger, 'transferWithin'>;
  ownerLetters: OwnerLetters;
  /** Authenticator, recovery codes and passkeys of an account go, in the caller's transaction. */
  forgetKeys: (db: Kysely<Schema>, userId: number) => Promise<{ two_factor: boolean; passkeys: number }>;
}

export function unixSeconds(): number {
  return Math.floor(Date.now() / 1000);
}
