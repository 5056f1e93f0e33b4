// Joins what brings money in: redemption codes, online payments and the wallet of each user.
import type { Ledger } from '#server/billing/ledger.ts';
import type { Egress } from '#server/egress/index.ts';
import { createOrderHandlers } from '#server/features/orders/index.ts';
import { createRedemptionHandlers } from '#server/features/redemptions/index.ts';
import { createAttempts } from '#server/features/session/attempts.ts';
import { rewardInviterAfterTopUp } from '#server/features/sign-up.ts';
import { createWalletHandlers } from '#server/features/wallet/index.ts';
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
  return {
    handlers: {
      redemptions: createRedemptionHandlers({ store, settings, ledger, attempts }),
      wallet: createWalletHandlers({ store }),
      orders: createOrderHandlers(payments),
    },
    callbacks: createCallbacks(payments),
    isTopUpOnline: () => providers.methods().length > 0,
    reconcileOrders: (signal: AbortSignal) => reconcileOrders(payments, signal),
    /** The origins that payments may call. */
    origins: () => providers.origins(),
  };
}
