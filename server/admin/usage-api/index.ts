// Usage and cost reports in the formats of OpenAI and Anthropic, and the admin keys that open them.
import type { ReportScope } from './authenticate.ts';
import { anthropicCosts, anthropicUsage } from './anthropic.ts';
import type { OrganizationDependencies } from './dependencies.ts';
import { openAiCosts, openAiUsage, USAGE_REPORTS, type Asked } from './openai.ts';
import { Parameters } from '#server/admin/query-parameters.ts';

export { scopeOf, type Refused, type ReportScope } from './authenticate.ts';
export { costDays, sumChangedDays } from './cost-days.ts';
export type { OrganizationDependencies } from './dependencies.ts';
export { holderCells, usageCells } from './fold.ts';
export { createAdminKeyHandlers, removeKeysOfOrganization } from './keys.ts';
export { ReportTooLarge } from './report.ts';

type Report = (asked: Asked) => Promise<object>;

const usageReports = Object.entries(USAGE_REPORTS).map(([name, report]): [string, Report] => [
  `/v1/organization/usage/${name}`,
  (asked) => openAiUsage(asked, report),
]);

const REPORTS: Readonly<Record<string, Report>> = {
  ...Object.fromEntries(usageReports),
  '/v1/organization/costs': openAiCosts,
  '/v1/organizations/usage_report/messages': anthropicUsage,
  '/v1/organizations/cost_report': anthropicCosts,
};

export const REPORT_PATHS: readonly string[] = Object.keys(REPORTS);

/** Throws ParameterError and ReportTooLarge. */
export async function readReport(
  dependencies: OrganizationDependencies,
  scope: ReportScope,
  { path, query }: { path: string; query: URLSearchParams },
): Promise<object> {
  const report = REPORTS[path];
  if (report === undefined) throw new Error(`no report at ${path}`);
  return await report({ dependencies, scope, parameters: new Parameters(query) });
}
