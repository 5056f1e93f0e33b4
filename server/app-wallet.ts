// Joins what brings money in: redemption codes, online payments and the wallet of each user.
import type { Ledger } from '#server/billing/ledger.ts';
import type { Egress } from '#server/egress/index.ts';
import { createOrderHandlers } from '#server/features/orders/index.ts';
import { createReceiptHandlers } from '#server/features/orders/receipt.ts';
import { advanceSubscriptions, createPlanHandlers } from '#server/features/plans/index.ts';
import { createRedemptionHandlers } from '#server/features/redemptions/index.ts';
import { createAttempts } from '#server/features/session/attempts.ts';
import { createHumanCheck } from '#server/features/session/human-check.ts';
import { rewardInviterAfterTopUp } from '#server/features/sign-up.ts';
import { maySee } from '#server/features/users/levels.ts';
import { createCheckInHandlers } from '#server/features/wallet/check-in.ts';
import { createWalletHandlers } from '#server/features/wallet/index.ts';
import { createStatementHandlers } from '#server/features/wallet/statement.ts';
import type { RootLog } from '#server/http/log.ts';
import {
  createCallbacks,
  createProviders,
  reconcileOrders,
  type PaymentParts,
} from '#server/payments/index.ts';
import type { LiveSettings } from '#server/settings/settings.ts';
import type { Store } from '#server/store/store.ts';

interface WalletParts {
  store: Store;
  settings: LiveSettings;
  ledger: Ledger;
  log: RootLog;
  egress: Pick<Egress, 'fetch'>;
}

export function joinWallet({ store, settings, ledger, log, egress }: WalletParts) {
  const attempts = createAttempts(store, Date.now, 'redeem_attempts');
  const providers = createProviders({ settings, egress });
  const humanCheck = createHumanCheck({
    settings,
    fetcher: (url, init) => egress.fetch('system', url, init),
  });
  const payments: PaymentParts = {
    store,
    settings,
    ledger,
    providers,
    log,
    afterPayment: [
      (transaction, { user_id }) => rewardInviterAfterTopUp({ ledger, settings }, transaction, user_id),
    ],
  };
  const plans = { store, settings, ledger, payments };
  return {
    handlers: {
      redemptions: createRedemptionHandlers({ store, settings, ledger, attempts }),
      wallet: createWalletHandlers({ store }),
      checkIn: createCheckInHandlers({ store, settings, ledger, humanCheck }),
      statements: createStatementHandlers({ store, settings, maySee }),
      orders: createOrderHandlers(payments),
      receipts: createReceiptHandlers(payments),
      plans: createPlanHandlers(plans),
    },
    callbacks: createCallbacks(payments),
    /** What a dollar of quota costs, by currency; empty while nothing can be paid online. */
    topUpPrices: () =>
      Array.from(
        new Map(providers.methods().map(({ currency, price }) => [currency, price])),
        ([currency, price]) => ({ currency, price }),
      ),
    reconcileOrders: (signal: AbortSignal) => reconcileOrders(payments, signal),
    advanceSubscriptions: (signal: AbortSignal) => advanceSubscriptions(plans, signal),
    /** The origins that payments may call. */
    origins: () => providers.origins(),
  };
}
