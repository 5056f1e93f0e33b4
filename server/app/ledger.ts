// Opens the ledger with the settings it follows, and sends its alerts to the log and to the notices.
import { unixSeconds } from '#contract/time.ts';
import { readBudgetZones } from '#server/money/ledger/budget-zones.ts';
import type { Ledger, LedgerAlert, LedgerConfiguration } from '#server/money/ledger/ledger.ts';
import { openLedger } from '#server/money/ledger/open-ledger.ts';
import { VERSION } from '#server/platform/version.ts';
import type { RootLog } from '#server/platform/log.ts';
import { createBudgetNotices, createHoldExcessNotices } from '#server/platform/notices/index.ts';
import type { LiveSettings } from '#server/platform/settings/settings.ts';
import type { Store } from '#server/platform/store/store.ts';

interface LedgerBase {
  store: Store;
  settings: LiveSettings;
  log: RootLog;
  nodeId: string;
  dataDir: string;
  onSuperseded: () => void;
}

export async function openLedgerOf(base: LedgerBase): Promise<Ledger> {
  const { store, settings, log, nodeId, dataDir, onSuperseded } = base;
  const onBudget = createBudgetNotices(store, log);
  const onExcess = createHoldExcessNotices(store, log);
  return await openLedger({
    store,
    nodeId,
    dataDir,
    version: VERSION,
    configuration: await readConfiguration(store, settings),
    onAlert(alert) {
      if (alert.kind === 'budget_reached') return onBudget(alert);
      logAlert(log, alert);
      if (alert.kind === 'suspense') onExcess({ outcome: 'unpaid', ...alert });
      if (alert.kind === 'above_hold') onExcess({ outcome: 'paid', ...alert });
      if (alert.kind === 'superseded') onSuperseded();
    },
  });
}

export async function ledgerFollowsSettings({
  store,
  settings,
  ledger,
  log,
}: Pick<LedgerBase, 'store' | 'settings' | 'log'> & { ledger: Ledger }): Promise<() => void> {
  let { budgetZones } = await readConfiguration(store, settings);
  const follow = async () => {
    if (budgetZones.zone !== settings.current.SiteTimeZone)
      ({ budgetZones } = await readConfiguration(store, settings));
    await ledger.configure({ ...configurationOf(settings), budgetZones });
  };
  return settings.onChange(() => {
    follow().catch((error: unknown) => log.error('the ledger could not be configured', { error }));
  });
}

const configurationOf = ({ current }: LiveSettings) => ({
  lowBalanceThreshold: current.QuotaRemindThreshold,
  recoveryPolicy: current.HoldRecoveryPolicy,
});

async function readConfiguration(store: Store, settings: LiveSettings): Promise<LedgerConfiguration> {
  const zone = settings.current.SiteTimeZone;
  const budgetZones = await readBudgetZones(store, zone, unixSeconds());
  return { ...configurationOf(settings), budgetZones };
}

function logAlert(log: RootLog, alert: Exclude<LedgerAlert, { kind: 'budget_reached' }>): void {
  const { kind, ...fields } = alert;
  if (kind === 'recovered' || kind === 'available') log.info(`ledger: ${kind}`, fields);
  else log.error(`ledger: ${kind}`, fields);
}
