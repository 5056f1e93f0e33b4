// What signing in and up needs from the application.
import type { Kysely } from 'kysely';
import type { OwnerLetters, RequiredSignOn, SecondFactor } from '#server/admin/accounts.ts';
import type { Settings } from '#contract/settings.ts';
import type { Ledger } from '#server/money/ledger/ledger.ts';
import type { Schema } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';

/** The part of fetch that the human check uses. */
export interface FormPost {
  method: 'POST';
  headers: Record<string, string>;
  body: string;
  signal: AbortSignal;
}

export type Fetcher = (url: string, init: FormPost) => Promise<Response>;

/** A mail with a code or a link in it. */
export interface SecretLetter {
  recipient: string;
  subject: string;
  text: string;
  secret: boolean;
  expiresAt: number;
}

export interface Mailer {
  readonly configured: boolean;
  /** In the caller's transaction; then `wake`. */
  put(db: Kysely<Schema>, letter: SecretLetter): Promise<unknown>;
  wake(): void;
}

export interface SessionDependencies {
  store: Store;
  settings: { readonly current: Settings };
  ledger: Pick<Ledger, 'transferWithin'>;
  fetcher: Fetcher;
  mailer: Mailer;
  ownerLetters: OwnerLetters;
  secondFactor: SecondFactor;
  requiredSignOn: RequiredSignOn;
  /** Deletes the file with the password generated at the first start. */
  forgetInitialPassword: () => Promise<void>;
}
