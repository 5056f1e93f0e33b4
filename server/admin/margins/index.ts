// Margins of calls, and the suppliers whose buy prices they are computed with (ADR 70).
import type { margins } from '#contract/money/margins.ts';
import type { Handlers } from '#server/admin/context.ts';
import { marginReport, type MarginDependencies } from './report.ts';

export { alertNegativeMargins } from './alerts.ts';
export { cacheCells } from './cache-cells.ts';
export { bookPlanFees } from './plan-fees.ts';
export { offerMargins, recentMargins } from './recent.ts';
export { sumMarginSpans } from './sum-spans.ts';
export { createChannelCostHandlers } from './suppliers.ts';

export function createMarginHandlers(dependencies: MarginDependencies): Handlers<typeof margins> {
  return { report: ({ query }) => marginReport(dependencies, query) };
}
