// Joins what brings money in: redemption codes, online payments, dividends of resellers and the wallet of each user.
import {
  payOrderDividends,
  paySpendDividends,
  restoreOrderDividends,
  reverseOrderDividends,
  type AgentParts,
} from '#server/money/resellers/index.ts';
import type { Ledger } from '#server/money/ledger/ledger.ts';
import type { Egress } from '#server/platform/egress/index.ts';
import { createAgentHandlers } from '#server/admin/resellers/index.ts';
import { createOrderHandlers } from '#server/admin/orders/index.ts';
import { createReceiptHandlers } from '#server/admin/orders/receipt.ts';
import { advanceSubscriptions, createPlanHandlers } from '#server/admin/plans/index.ts';
import { createRedemptionHandlers } from '#server/admin/redemptions/index.ts';
import { createAttempts } from '#server/admin/session/attempts.ts';
import { createHumanCheck } from '#server/admin/session/human-check.ts';
import { rewardInviterAfterTopUp } from '#server/admin/sign-up.ts';
import { maySee } from '#server/admin/users/levels.ts';
import { createCheckInHandlers } from '#server/admin/wallet/check-in.ts';
import { createWalletHandlers } from '#server/admin/wallet/index.ts';
import { createStatementHandlers } from '#server/admin/wallet/statement.ts';
import type { RootLog } from '#server/platform/log.ts';
import {
  applyDisputes,
  createCallbacks,
  createProviders,
  reconcileOrders,
  type PaymentParts,
} from '#server/money/payments/index.ts';
import type { LiveSettings } from '#server/platform/settings/settings.ts';
import type { Store } from '#server/platform/store/store.ts';

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
  const agents: AgentParts = { store, settings, ledger };
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
      (transaction, order) => payOrderDividends(agents, transaction, order),
      // A dispute may be known before the payment.
      (transaction, { id }) => applyDisputes(payments, transaction, id),
    ],
    afterRefund: [
      (transaction, order, refund, direction) =>
        direction === 'back'
          ? reverseOrderDividends(agents, transaction, order, refund)
          : restoreOrderDividends(agents, transaction, order, refund),
      // What a refund that failed gave back may be claimed by a bank.
      (transaction, { id }, _refund, direction) =>
        direction === 'back' ? Promise.resolve() : applyDisputes(payments, transaction, id),
    ],
  };
  const plans = { store, settings, ledger, payments };
  return {
    handlers: {
      redemptions: createRedemptionHandlers({ store, settings, ledger, attempts }),
      wallet: createWalletHandlers({ store, settings }),
      checkIn: createCheckInHandlers({ store, settings, ledger, humanCheck }),
      statements: createStatementHandlers({ store, settings, maySee }),
      orders: createOrderHandlers(payments),
      agents: createAgentHandlers(agents),
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
    paySpendDividends: (signal: AbortSignal) => paySpendDividends(agents, signal),
    advanceSubscriptions: (signal: AbortSignal) => advanceSubscriptions(plans, signal),
    /** The origins that payments may call. */
    origins: () => providers.origins(),
  };
}
