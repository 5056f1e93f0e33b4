// Joins what brings money in: redemption codes and the wallet of each user.
import type { Ledger } from '#server/billing/ledger.ts';
import { createRedemptionHandlers } from '#server/features/redemptions/index.ts';
import { createAttempts } from '#server/features/session/attempts.ts';
import { createWalletHandlers } from '#server/features/wallet/index.ts';
import type { LiveSettings } from '#server/settings/settings.ts';
import type { Store } from '#server/store/store.ts';

interface WalletParts {
  store: Store;
  settings: LiveSettings;
  ledger: Ledger;
}

export function joinWallet({ store, settings, ledger }: WalletParts) {
  const attempts = createAttempts(store, Date.now, 'redeem_attempts');
  return {
    redemptions: createRedemptionHandlers({ store, settings, ledger, attempts }),
    wallet: createWalletHandlers({ store }),
  };
}
