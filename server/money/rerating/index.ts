// Re-rating: past calls at the prices of another version, with notes in the ledger (ADR 69).
export { continueRuns, type ReratingParts } from './work.ts';
export { beginApplying, beginUndoing, createRun, discardRun } from './runs.ts';
export { rateInThread } from './rating-in-thread.ts';
export { ratingOn } from './rating.ts';
export type { Run } from './run.ts';
