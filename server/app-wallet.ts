// Joins what brings money in: redemption codes, online payments, dividends of resellers and the wallet of each user.
import {
  payOrderDividends,
  paySpendDividends,
  restoreOrderDividends,
  reverseOrderDividends,
  type AgentParts,
} from '#server/agents/index.ts';
import type { Ledger } from '#server/billing/ledger.ts';
import type { Egress } from '#server/egress/index.ts';
import { createAgentHandlers } from '#server/features/agents/index.ts';
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
  applyDisputes,
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
      wallet: createWalletHandlers({ store }),
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
