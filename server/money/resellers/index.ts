// The money of resellers: dividends, what they owe, withdrawals.
export { agencyOf, saveAgency } from './agency.ts';
export type { AgentParts } from './parts.ts';
export { payOrderDividends, restoreOrderDividends, reverseOrderDividends } from './payments.ts';
export { percentOfRate, rateOfPercent } from './rate.ts';
export { paySpendDividends } from './spend.ts';
export { decideWithdrawal, requestWithdrawal, withdrawalTerms, type Withdrawal } from './withdrawals.ts';
