// The questions of tools that read usage and cost reports.
import { readReport } from '#server/admin/usage-api/index.ts';
import type { Store } from '#server/platform/store/store.ts';
import { seedUsers } from './rows.ts';

const DAY_SECONDS = 86_400;

/** Each with what answers it once. */
export function usageQuestions(store: Store, now: number): [what: string, ask: () => Promise<unknown>][] {
  const month = now - 30 * DAY_SECONDS;
  const heavy = seedUsers()[0]?.id;
  const all = 'group_by[]=user_id&group_by[]=api_key_id&group_by[]=model';
  const questions: [what: string, path: string, query: string, userId?: number][] = [
    ['31 days of usage', 'organization/usage/completions', `start_time=${month}&limit=31`],
    ['31 days by model', 'organization/usage/completions', `start_time=${month}&limit=31&group_by[]=model`],
    ['31 days by everything', 'organization/usage/completions', `start_time=${month}&limit=31&${all}`],
    [
      '168 hours by model',
      'organization/usage/completions',
      `start_time=${month}&limit=168&bucket_width=1h&group_by[]=model`,
    ],
    [
      'a page of minutes',
      'organization/usage/completions',
      `start_time=${now - DAY_SECONDS}&limit=1440&bucket_width=1m`,
    ],
    [
      'minutes of a user',
      'organization/usage/completions',
      `start_time=${now - DAY_SECONDS}&limit=60&bucket_width=1m`,
      heavy,
    ],
    [
      '31 days of a user',
      'organization/usage/completions',
      `start_time=${month}&limit=31&group_by[]=model`,
      heavy,
    ],
    ['from 1970 on', 'organization/usage/completions', 'start_time=0&limit=31'],
    ['costs of 180 days', 'organization/costs', `start_time=${now - 180 * DAY_SECONDS}&limit=180`],
    [
      'costs by project and model',
      'organization/costs',
      `start_time=${month}&limit=180&group_by[]=project_id&group_by[]=line_item`,
    ],
    ['costs of a user', 'organization/costs', `start_time=${month}&limit=180`, heavy],
    [
      'Anthropic usage by model',
      'organizations/usage_report/messages',
      `starting_at=${new Date(month * 1000).toISOString()}&limit=31&group_by[]=model`,
    ],
  ];
  const dependencies = {
    store,
    settings: { current: { QuotaPerUnit: 500_000, OrganizationsEnabled: false } },
    now: () => now,
  };
  return questions.map(([what, path, query, userId]) => [
    what,
    () =>
      readReport(
        dependencies,
        { keyId: 0, userId },
        { path: `/v1/${path}`, query: new URLSearchParams(query) },
      ),
  ]);
}
