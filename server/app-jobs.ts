// Joins the jobs with the parts of the server that do their work.
import { createBackups } from '#server/backups/index.ts';
import { createMoneyAudit } from '#server/billing/audit.ts';
import type { Ledger } from '#server/billing/ledger.ts';
import type { Egress } from '#server/egress/index.ts';
import type { RootLog } from '#server/http/log.ts';
import { removeEndedSessions } from '#server/http/sessions.ts';
import { createReporter, removeOldReports } from '#server/features/cluster/index.ts';
import { createScheduler, jobsOf, type JobParts, type Scheduler } from '#server/jobs/index.ts';
import { createLogExport } from '#server/log-export/index.ts';
import { removeOldRefusals } from '#server/relay/caller/refusals.ts';
import { removeOldHealth } from '#server/relay/channels/channel-health.ts';
import { removeExpiredConversations } from '#server/relay/conversations/conversations.ts';
import type { LiveSettings } from '#server/settings/settings.ts';
import type { Store } from '#server/store/store.ts';
import type { joinNotices } from './app-notices.ts';
import type { joinWallet } from './app-wallet.ts';
import type { Environment } from './env.ts';

interface JobsBase extends Pick<JobParts, 'mail' | 'tasks'> {
  environment: Environment;
  store: Store;
  settings: LiveSettings;
  ledger: Ledger;
  log: RootLog;
  nodeId: string;
  egress: Egress;
  notices: ReturnType<typeof joinNotices>;
  wallet: ReturnType<typeof joinWallet>;
  readings: Parameters<typeof createReporter>[2];
  testChannels: (signal: AbortSignal) => Promise<void>;
}

export function joinJobs(base: JobsBase): Scheduler {
  const { environment, store, settings, ledger, log, nodeId, egress, notices, wallet } = base;
  return createScheduler({
    store,
    nodeId,
    log,
    onRepeatedFailure: notices.onRepeatedFailure,
    jobs: jobsOf({
      store,
      settings,
      ledger,
      moneyAudit: createMoneyAudit({ store, onBreach: notices.onBreach }),
      mail: base.mail,
      notices: notices.sender,
      tasks: base.tasks,
      channelTests: { everyMinutes: environment.channelTestFrequency, run: base.testChannels },
      reporter: createReporter(store, nodeId, base.readings),
      logExport: createLogExport({ store, settings, egress }),
      backups: createBackups({ ...environment, settings, egress }),
      reconcileOrders: wallet.reconcileOrders,
      paySpendDividends: wallet.paySpendDividends,
      advanceSubscriptions: wallet.advanceSubscriptions,
      removeExpired: [
        removeEndedSessions,
        removeExpiredConversations,
        removeOldRefusals,
        removeOldHealth,
        removeOldReports,
      ],
    }),
  });
}
