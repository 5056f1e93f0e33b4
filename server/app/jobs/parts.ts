// What the jobs need of the rest of the server; server/app/app.ts joins it.
import type { Backups } from '#server/operating/backups/index.ts';
import type { MoneyAudit } from '#server/money/audit/audit.ts';
import type { Ledger } from '#server/money/ledger/ledger.ts';
import type { Reporter } from '#server/admin/cluster/index.ts';
import type { MailQueue } from '#server/admin/mail/index.ts';
import type { LogExport } from '#server/operating/log-export/index.ts';
import type { Job } from '#server/platform/jobs/job.ts';
import type { Notices } from '#server/platform/notices/index.ts';
import type { LiveSettings } from '#server/platform/settings/settings.ts';
import type { Store } from '#server/platform/store/store.ts';
import type { Tasks } from '#server/relay/tasks/index.ts';

export interface JobParts {
  store: Store;
  settings: Pick<LiveSettings, 'current'>;
  ledger: Pick<Ledger, 'recover' | 'heartbeat'>;
  moneyAudit: MoneyAudit;
  /** Throws when the audit trail is not whole. */
  checkAuditTrail(): Promise<void>;
  mail: Pick<MailQueue, 'deliverDue'>;
  notices: Notices;
  tasks: Pick<Tasks, 'pollDue' | 'pollSeconds' | 'keepMedia' | 'removeOldMedia'>;
  channelTests: {
    /** 0: all channels are tested only by hand. */
    readonly everyMinutes: number;
    run(signal: AbortSignal): Promise<void>;
  };
  suppliers: {
    writeCounts(): Promise<void>;
    assess(): Promise<void>;
    probe(signal: AbortSignal): Promise<void>;
  };
  reporter: Reporter;
  /** Finds what needs a person. */
  checkAttention(): Promise<void>;
  /** Asks the identity providers of organizations and the proofs of their mail domains. */
  checkSignOn(signal: AbortSignal): Promise<void>;
  backups: Backups;
  logExport: LogExport;
  /** Asks the payment providers about orders that no callback has ended. */
  reconcileOrders(signal: AbortSignal): Promise<void>;
  /** Makes dividends of what customers of agents spent since the last run. */
  paySpendDividends(signal: AbortSignal): Promise<void>;
  /** Periods, renewals and notices of subscriptions. */
  advanceSubscriptions(signal: AbortSignal): Promise<void>;
  /** Puts scheduled drafts of prices into force. */
  publishDuePrices(signal: AbortSignal): Promise<void>;
  /** Proposes prices of outside lists that differ from ours. */
  readPriceLists(signal: AbortSignal): Promise<void>;
  /** Rates and books the corrections of past charges that are open. */
  continueReratings(signal: AbortSignal): Promise<void>;
  /** Rows of the folders that jobs may not import. */
  removeExpired: readonly ((store: Store) => Promise<void>)[];
}

export type MakeJob = (parts: JobParts) => Job;
