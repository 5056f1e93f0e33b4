// What the payments need of the rest of the server; server/app/app.ts joins it.
import type { Log } from '#contract/context.ts';
import type { Settings } from '#contract/settings.ts';
import type { Ledger } from '#server/money/ledger/ledger.ts';
import type { Row, Schema } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import type { Transaction } from 'kysely';
import type { Providers } from './registry.ts';

/** Runs in the transaction that credits an order: rewards that depend on a paid top-up. */
export type AfterPayment = (transaction: Transaction<Schema>, order: Row<'orders'>) => Promise<void>;

/** Runs in the transaction that takes quota back with a refund, or gives it again; `order` is the order after it. */
export type AfterRefund = (
  transaction: Transaction<Schema>,
  order: Row<'orders'>,
  refund: Row<'refunds'>,
  direction: 'back' | 'again',
) => Promise<void>;

export interface PaymentParts {
  store: Store;
  settings: { readonly current: Settings };
  ledger: Pick<Ledger, 'transferWithin' | 'writeHolds'>;
  providers: Providers;
  log: Log;
  afterPayment: readonly AfterPayment[];
  afterRefund: readonly AfterRefund[];
}
