// The list of migrations, oldest first. A new one is a file and a line here; a released one never changes.
import { initial } from './0001-initial/index.ts';
import { leanMoneyIndexes } from './0002-lean-money-indexes.ts';
import { logIndexes } from './0003-log-indexes.ts';
import { accounts } from './0010-accounts.ts';
import { emailIndex } from './0011-email-index.ts';
import { usedProofs } from './0015-used-proofs.ts';
import { auditIndexes } from './0016-audit-indexes.ts';
import { usageRollup } from './0018-usage-rollup.ts';
import { rareLogIndex } from './0019-rare-log-index.ts';
import { storedResponses } from './0030-stored-responses.ts';
import { loginAttempts } from './0031-login-attempts.ts';
import { tasks } from './0032-tasks.ts';
import { keptResponses } from './0033-kept-responses.ts';
import { strictTokens } from './0034-strict-tokens.ts';
import { failedLogIndex } from './0035-failed-log-index.ts';
import { checkedTypes } from './0037-checked-types.ts';
import { plainRowNumbers } from './0038-plain-row-numbers.ts';
import { jobs } from './0039-jobs.ts';
import { settlementRecords } from './0040-settlement-records.ts';
import { ledgerSums } from './0041-ledger-sums.ts';
import { dailyLogs } from './0042-daily-logs.ts';
import { redemptionIndexes } from './0043-redemption-indexes.ts';
import { payments } from './0044-payments.ts';
import { agents } from './0045-agents.ts';
import { plans } from './0046-plans.ts';
import { notices } from './0047-notices.ts';
import { receipts } from './0048-receipts.ts';
import { announcements } from './0050-announcements.ts';
import { refusedFormats } from './0051-refused-formats.ts';
import { channelHealth } from './0052-channel-health.ts';
import { refusedCalls } from './0053-refused-calls.ts';
import { files } from './0056-files.ts';
import { removedTasks } from './0057-removed-tasks.ts';
import { media } from './0058-media.ts';
import { moving } from './0060-moving.ts';
import { pollFailures } from './0061-poll-failures.ts';
import { nodeReports } from './0065-node-reports.ts';
import { logExport } from './0066-log-export.ts';
import { priceVersions } from './0067-price-versions.ts';
import { priceProposals } from './0068-price-proposals.ts';
import { rerating } from './0069-rerating.ts';
import { costs } from './0070-costs.ts';
import { supplierSignals } from './0072-supplier-signals.ts';
import { supplierBills } from './0073-supplier-bills.ts';
import { usageReports } from './0074-usage-reports.ts';
import { lessons } from './0084-lessons.ts';
import { auditAnchor } from './0086-audit-anchor.ts';
import { holdExcess } from './0087-hold-excess.ts';
import { conversations } from './0092-conversations.ts';
import { outsideNames } from './0094-outside-names.ts';
import { sumPositions } from './0095-sum-positions.ts';
import { attentionSnoozes } from './0096-attention.ts';
import { measured } from './0097-measured.ts';
import { englishTexts } from './0099-english-texts.ts';
import { marginSums } from './0076-margin-sums.ts';
import { disputes } from './0082-disputes.ts';
import { keptChats } from './0098-kept-chats.ts';
import { organizations } from './0108-organizations.ts';
import { budgets } from './0109-budgets.ts';
import { organizationKeys } from './0110-organization-keys.ts';
import { signOn } from './0111-sign-on.ts';
import { holderHours } from './0113-holder-hours.ts';
import { organizationAudit } from './0112-organization-audit.ts';
import { projectLimits } from './0114-project-limits.ts';
import { balanceMoves } from './0115-balance-moves.ts';
import { broughtSpending } from './0116-brought-spending.ts';
import { holdersOfTheTime } from './0117-holders-of-the-time.ts';
import { signOnTroubles } from './0118-sign-on-troubles.ts';
import { virtualModels } from './0119-virtual-models.ts';
import { holderDurations } from './0120-holder-durations.ts';
import { summedCostDays } from './0121-summed-cost-days.ts';
import { filesOfProjects } from './0122-files-of-projects.ts';
import { conversationsOfProjects } from './0123-conversations-of-projects.ts';
import { hedgedCalls } from './0124-hedged-calls.ts';
import { answerCache } from './0125-answer-cache.ts';
import { shadowCalls } from './0126-shadow-calls.ts';
import { cacheCells } from './0128-cache-cells.ts';
import type { Migration } from './migration.ts';

export const migrations: readonly Migration[] = [
  initial,
  leanMoneyIndexes,
  logIndexes,
  accounts,
  emailIndex,
  usedProofs,
  auditIndexes,
  usageRollup,
  rareLogIndex,
  storedResponses,
  loginAttempts,
  tasks,
  keptResponses,
  strictTokens,
  failedLogIndex,
  checkedTypes,
  plainRowNumbers,
  jobs,
  settlementRecords,
  ledgerSums,
  dailyLogs,
  redemptionIndexes,
  payments,
  agents,
  plans,
  notices,
  receipts,
  announcements,
  refusedFormats,
  channelHealth,
  refusedCalls,
  files,
  removedTasks,
  media,
  moving,
  pollFailures,
  nodeReports,
  logExport,
  priceVersions,
  priceProposals,
  rerating,
  costs,
  supplierSignals,
  supplierBills,
  usageReports,
  marginSums,
  disputes,
  lessons,
  auditAnchor,
  holdExcess,
  conversations,
  outsideNames,
  sumPositions,
  attentionSnoozes,
  measured,
  keptChats,
  englishTexts,
  organizations,
  budgets,
  organizationKeys,
  signOn,
  organizationAudit,
  holderHours,
  projectLimits,
  balanceMoves,
  broughtSpending,
  holdersOfTheTime,
  signOnTroubles,
  virtualModels,
  holderDurations,
  summedCostDays,
  filesOfProjects,
  conversationsOfProjects,
  hedgedCalls,
  answerCache,
  shadowCalls,
  cacheCells,
];
