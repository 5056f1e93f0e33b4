// The list of everything that runs by time. A new job is an entry in the file of its area and a line here
// (docs/guides/add-a-job.md). Jobs with work of their own have a file.
import { attention } from './attention.ts';
import { incidents } from './incidents.ts';
import type { Job } from '#server/platform/jobs/job.ts';
import { mail, notices, tokenExpiry } from './messages.ts';
import {
  holdRecovery,
  margins,
  moneyAudit,
  orderReconciliation,
  priceLists,
  pricePublication,
  rerating,
  subscriptions,
} from './money.ts';
import { nodeHeartbeat } from './node-heartbeat.ts';
import { auditTrail, backup, expiredRows, logExport, logRetention, nodeReport } from './operating.ts';
import type { JobParts } from './parts.ts';
import { channelTests, drawingTasks, mediaCleanup, mediaKeeping, shadowSamples } from './relay.ts';
import { spendDividends } from './spend-dividends.ts';
import { signOnCheck } from './sign-on.ts';
import { sums } from './sums.ts';
import { suppliers } from './suppliers.ts';

export { createJobHandlers } from '#server/admin/jobs/handlers.ts';
export { BACKUP_JOB } from './operating.ts';
export { MAIL_JOB } from './messages.ts';
export { RERATING_JOB } from './money.ts';
export { createScheduler, type JobFailure, type Scheduler } from '#server/platform/jobs/scheduler.ts';
export type { JobParts } from './parts.ts';
export { jobSummaryOf } from '#server/platform/jobs/view.ts';

export function jobsOf(parts: JobParts): Job[] {
  return [
    moneyAudit(parts),
    auditTrail(parts),
    holdRecovery(parts),
    ...nodeHeartbeat(parts),
    nodeReport(parts),
    attention(parts),
    incidents(parts),
    signOnCheck(parts),
    mail(parts),
    notices(parts),
    tokenExpiry(parts),
    drawingTasks(parts),
    mediaKeeping(parts),
    mediaCleanup(parts),
    shadowSamples(parts),
    channelTests(parts),
    orderReconciliation(parts),
    spendDividends(parts),
    subscriptions(parts),
    pricePublication(parts),
    priceLists(parts),
    rerating(parts),
    ...sums(parts),
    margins(parts),
    expiredRows(parts),
    logRetention(parts),
    backup(parts),
    logExport(parts),
    ...suppliers(parts),
  ];
}
