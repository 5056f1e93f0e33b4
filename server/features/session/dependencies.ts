// What signing in and up needs from the application.
import type { Settings } from '#contract/settings.ts';
import type { Ledger } from '#server/billing/ledger.ts';
import type { Store } from '#server/store/store.ts';

/** The part of fetch that the human check uses. */
export interface FormPost {
  method: 'POST';
  headers: Record<string, string>;
  body: string;
  signal: AbortSignal;
}

export type Fetcher = (url: string, init: FormPost) => Promise<Response>;

export interface SessionDependencies {
  store: Store;
  settings: { readonly current: Settings };
  ledger: Pick<Ledger, 'transferWithin'>;
  fetcher: Fetcher;
}

export const unixSeconds = () => Math.floor(Date.now() / 1000);
