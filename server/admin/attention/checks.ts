// The list of checks, how often each runs, and what it says when all is well.
import type { AttentionCheck } from '#contract/admin/attention-kinds.ts';
import { MINUTE_SECONDS } from '#contract/time.ts';
import { checkBalances } from './balances.ts';
import { checkChannels } from './channels.ts';
import { checkDecisions } from './decisions.ts';
import type { AttentionDependencies } from './dependencies.ts';
import type { Found } from './found.ts';
import { checkMargins } from './margins.ts';
import {
  certificateFact,
  checkCertificate,
  checkDisk,
  checkNodes,
  checkVersion,
  diskFact,
  versionFact,
} from './nodes.ts';
import { checkOrders } from './orders.ts';
import { checkPrices } from './prices.ts';
import { backupFact, checkBackup, checkJobs, checkLedger, ledgerFact } from './system.ts';

export type SharedCheck = Exclude<AttentionCheck, 'account' | 'organization'>;
export type Facts = Record<string, string | number>;

export interface Check {
  /** Who may see what it finds. */
  access: 'admin' | 'root';
  everySeconds: number;
  find: (dependencies: AttentionDependencies) => Promise<Found[]>;
  facts?: (dependencies: AttentionDependencies) => Promise<Facts>;
}

/** Sums of a week and of today's calls. */
const SUMS = 300;

export const CHECKS: Readonly<Record<SharedCheck, Check>> = {
  channels: { access: 'admin', everySeconds: MINUTE_SECONDS, find: checkChannels },
  orders: { access: 'admin', everySeconds: MINUTE_SECONDS, find: checkOrders },
  prices: { access: 'admin', everySeconds: MINUTE_SECONDS, find: checkPrices },
  balances: { access: 'admin', everySeconds: SUMS, find: checkBalances },
  margins: { access: 'admin', everySeconds: SUMS, find: checkMargins },
  decisions: { access: 'admin', everySeconds: MINUTE_SECONDS, find: checkDecisions },
  ledger: { access: 'root', everySeconds: MINUTE_SECONDS, find: checkLedger, facts: ledgerFact },
  jobs: { access: 'root', everySeconds: MINUTE_SECONDS, find: checkJobs },
  backup: { access: 'root', everySeconds: MINUTE_SECONDS, find: checkBackup, facts: backupFact },
  disk: { access: 'root', everySeconds: MINUTE_SECONDS, find: checkDisk, facts: diskFact },
  certificate: {
    access: 'root',
    everySeconds: MINUTE_SECONDS,
    find: checkCertificate,
    facts: certificateFact,
  },
  version: { access: 'root', everySeconds: MINUTE_SECONDS, find: checkVersion, facts: versionFact },
  nodes: { access: 'root', everySeconds: MINUTE_SECONDS, find: checkNodes },
};
export const CHECK_NAMES = Object.keys(CHECKS) as SharedCheck[];
