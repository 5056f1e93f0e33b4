// Joins the jobs with the parts of the server that do their work.
import { createBackups } from '#server/operating/backups/index.ts';
import { createMoneyAudit } from '#server/money/audit/audit.ts';
import type { Ledger } from '#server/money/ledger/ledger.ts';
import type { Egress } from '#server/platform/egress/index.ts';
import { checkTrail } from '#server/admin/http/audit-check.ts';
import { writeAudit } from '#server/admin/http/audit.ts';
import type { RootLog } from '#server/platform/log.ts';
import { removeEndedSessions } from '#server/admin/http/sessions.ts';
import { removeOldSnoozes } from '#server/admin/attention/index.ts';
import { removeOldTroubles, removeRevokedTokens } from '#server/admin/organizations/sign-on/index.ts';
import { removeOldCells } from '#server/admin/measured/index.ts';
import { removeOldReports } from '#server/admin/cluster/index.ts';
import { createScheduler, jobsOf, type JobParts, type Scheduler } from '#server/app/jobs/index.ts';
import { removeOldCounts } from '#server/suppliers/index.ts';
import { createLogExport } from '#server/operating/log-export/index.ts';
import { removeOldRefusals } from '#server/relay/caller/refusals.ts';
import { removeOldAnswerFigures } from '#server/relay/answer-cache/figures.ts';
import { removeOldHealth } from '#server/relay/channel-choice/channel-health.ts';
import { removeExpiredConversations } from '#server/relay/conversations/conversations.ts';
import { removeExpiredKeptConversations } from '#server/relay/conversations/kept-conversations.ts';
import { removeExpiredSecrets } from '#server/relay/realtime/client-secrets.ts';
import type { PriceAudit } from '#server/money/price-book/drafts.ts';
import { proposeFromAddresses } from '#server/money/price-book/fetch-list.ts';
import { publishDue } from '#server/money/price-book/publish.ts';
import type { LiveSettings } from '#server/platform/settings/settings.ts';
import type { Store } from '#server/platform/store/store.ts';
import { continueReratings } from './rerating.ts';
import type { joinNotices } from './notices.ts';
import type { joinWallet } from './wallet.ts';
import type { Environment } from '#server/platform/env.ts';

interface JobsBase extends Pick<
  JobParts,
  'mail' | 'tasks' | 'suppliers' | 'reporter' | 'checkAttention' | 'checkSignOn'
> {
  environment: Environment;
  store: Store;
  settings: LiveSettings;
  ledger: Ledger;
  log: RootLog;
  nodeId: string;
  egress: Egress;
  notices: ReturnType<typeof joinNotices>;
  wallet: ReturnType<typeof joinWallet>;
  testChannels: (signal: AbortSignal) => Promise<void>;
}

/** Audit rows of what a job does for an operator. */
function auditOf(store: Store): PriceAudit {
  return (transaction, action, target, before, after) =>
    writeAudit(store, transaction, {
      actorId: 0,
      actorName: 'job',
      address: '',
      requestId: '',
      action,
      target,
      before,
      after,
    });
}

async function checkAuditTrail(store: Store, log: RootLog): Promise<void> {
  const { fault, brokenId, rows, head } = await checkTrail(store);
  if (fault !== null)
    throw new Error(`audit trail: ${fault}${brokenId === null ? '' : ` at row ${brokenId}`}`);
  log.info('audit trail checked', { rows, head, anchor: `${rows}:${head}` });
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
      checkAuditTrail: () => checkAuditTrail(store, log),
      mail: base.mail,
      notices: notices.sender,
      tasks: base.tasks,
      suppliers: base.suppliers,
      channelTests: { everyMinutes: environment.channelTestFrequency, run: base.testChannels },
      reporter: base.reporter,
      checkAttention: base.checkAttention,
      checkSignOn: base.checkSignOn,
      logExport: createLogExport({ store, settings, egress }),
      backups: createBackups({ ...environment, settings, egress }),
      reconcileOrders: wallet.reconcileOrders,
      paySpendDividends: wallet.paySpendDividends,
      advanceSubscriptions: wallet.advanceSubscriptions,
      publishDuePrices: (signal) => publishDue({ store, settings }, auditOf(store), signal),
      readPriceLists: (signal) =>
        proposeFromAddresses({ store, egress }, settings.current.PriceListUrls, signal),
      continueReratings: (signal) => continueReratings(base, signal),
      removeExpired: [
        removeEndedSessions,
        removeExpiredConversations,
        removeExpiredKeptConversations,
        removeExpiredSecrets,
        removeOldRefusals,
        removeOldHealth,
        removeOldAnswerFigures,
        removeOldReports,
        removeOldCounts,
        removeOldSnoozes,
        removeOldCells,
        removeOldTroubles,
        removeRevokedTokens,
      ],
    }),
  });
}
