// The list of everything that runs by time. A new job is a file and a line here (docs/guides/add-a-job.md).
import { attention } from './attention.ts';
import { auditTrail } from './audit-trail.ts';
import { backup } from './backup.ts';
import { channelTests } from './channel-tests.ts';
import { costDays } from './cost-days.ts';
import { drawingTasks } from './drawing-tasks.ts';
import { expiredRows } from './expired-rows.ts';
import { holdRecovery } from './hold-recovery.ts';
import type { Job } from '#server/platform/jobs/job.ts';
import { logExport } from './log-export.ts';
import { logRetention } from './log-retention.ts';
import { mail } from './mail.ts';
import { marginSums } from './margin-sums.ts';
import { margins } from './margins.ts';
import { mediaCleanup } from './media-cleanup.ts';
import { mediaKeeping } from './media-keeping.ts';
import { moneyAudit } from './money-audit.ts';
import { nodeHeartbeat } from './node-heartbeat.ts';
import { nodeReport } from './node-report.ts';
import { notices } from './notices.ts';
import { orderReconciliation } from './order-reconciliation.ts';
import { rerating } from './rerating.ts';
import type { JobParts } from './parts.ts';
import { priceLists } from './price-lists.ts';
import { pricePublication } from './price-publication.ts';
import { spendDividends } from './spend-dividends.ts';
import { subscriptions } from './subscriptions.ts';
import { suppliers } from './suppliers.ts';
import { tokenExpiry } from './token-expiry.ts';
import { usageCells } from './usage-cells.ts';
import { usageRollup } from './usage-rollup.ts';

export { createJobHandlers } from '#server/admin/jobs/handlers.ts';
export { BACKUP_JOB } from './backup.ts';
export { MAIL_JOB } from './mail.ts';
export { RERATING_JOB } from './rerating.ts';
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
    mail(parts),
    notices(parts),
    tokenExpiry(parts),
    drawingTasks(parts),
    mediaKeeping(parts),
    mediaCleanup(parts),
    channelTests(parts),
    orderReconciliation(parts),
    spendDividends(parts),
    subscriptions(parts),
    pricePublication(parts),
    priceLists(parts),
    rerating(parts),
    usageRollup(parts),
    usageCells(parts),
    costDays(parts),
    margins(parts),
    marginSums(parts),
    expiredRows(parts),
    logRetention(parts),
    backup(parts),
    logExport(parts),
    ...suppliers(parts),
  ];
}
