// Anthropic's reports of an organization: `/v1/organizations/usage_report/messages` and `/v1/organizations/cost_report`. A
// workspace and an account are both an account here. Calls of every format count, as the answer of a model does.
import { nowSeconds } from '#server/admin/clock.ts';
import { pageOf, USAGE_LIMITS, WIDTHS, type Page, type PageLimits } from './buckets.ts';
import type { Asked } from './openai.ts';
import { ParameterError } from '#server/admin/query-parameters.ts';
import { costPage, usagePage, type Group, type Groups, type ReportPage } from './report.ts';

interface GroupField {
  column?: Group;
  value?: (groups: Groups) => unknown;
}

const apiKeyId = ({ token_id }: Groups) => (token_id === 0 ? null : `apikey_${token_id}`);

const GROUP_FIELDS: Readonly<Record<string, GroupField>> = {
  // Calls of the playground have no key.
  api_key_id: { column: 'token_id', value: apiKeyId },
  workspace_id: { column: 'user_id', value: ({ user_id }) => `wrkspc_${user_id}` },
  account_id: { column: 'user_id', value: ({ user_id }) => `user_${user_id}` },
  model: { column: 'model_name', value: ({ model_name }) => model_name },
  service_tier: { column: 'tier', value: ({ tier }) => tier || 'standard' },
  context_window: {
    column: 'long_context',
    value: ({ long_context }) => (long_context === 1 ? '200k-1M' : '0-200k'),
  },
  inference_geo: { value: () => 'not_available' },
  speed: {},
  service_account_id: {},
};

const TIERS = {
  standard: '',
  batch: 'batch',
  priority: 'priority',
  priority_on_demand: 'none',
  flex: 'flex',
  flex_discount: 'none',
};
const WINDOWS = { '0-200k': 0, '200k-1M': 1 };
const GEOS = { global: false, us: false, not_available: true };
const COST_LIMITS: PageLimits = { usual: 7, most: 31 };

export async function anthropicUsage(asked: Asked) {
  const { dependencies, scope, parameters } = asked;
  const groups = parameters.list('group_by') ?? [];
  if (groups.some((name) => !Object.hasOwn(GROUP_FIELDS, name))) throw new ParameterError('group_by');
  const seconds = parameters.choice<number>('bucket_width', WIDTHS, WIDTHS['1d']);
  const workspaces = parameters.ids('workspace_ids');
  const accounts = parameters.ids('account_ids');
  const both = workspaces && accounts ? accounts.filter((id) => workspaces.includes(id)) : workspaces;
  const geos = parameters.choices('inference_geos', GEOS);
  // No call is made by a service account or at another speed.
  const isNothing = parameters.list('service_account_ids') !== undefined || geos?.includes(true) === false;
  const answer = await usagePage(dependencies, scope, {
    page: anthropicPage(asked, 'messages', seconds, USAGE_LIMITS[seconds] ?? COST_LIMITS),
    kinds: isNothing ? [] : ['completions'],
    filter: {
      userIds: both ?? accounts,
      tokenIds: parameters.ids('api_key_ids'),
      models: parameters.list('models'),
      tiers: parameters.choices('service_tiers', TIERS),
      longContext: parameters.choices('context_window', WINDOWS),
    },
    groupBy: [...new Set(groups.flatMap((name) => GROUP_FIELDS[name]?.column ?? []))],
  });
  return pageAnswer(answer, (sum) => ({
    uncached_input_tokens: sum.input + sum.image_input + sum.audio_input,
    cache_read_input_tokens: sum.cache_read,
    cache_creation: {
      ephemeral_1h_input_tokens: sum.cache_write_1h,
      ephemeral_5m_input_tokens: sum.cache_write_5m,
    },
    output_tokens: sum.output + sum.audio_output,
    server_tool_use: { web_search_requests: sum.web_searches },
    ...Object.fromEntries(
      Object.entries(GROUP_FIELDS).map(([name, { value }]) => [
        name,
        groups.includes(name) ? (value?.(sum) ?? null) : null,
      ]),
    ),
  }));
}

/** Charges have a model and an account; they are not divided by token type. */
export async function anthropicCosts(asked: Asked) {
  const { dependencies, scope, parameters } = asked;
  const groups = parameters.list('group_by') ?? [];
  if (groups.some((name) => name !== 'workspace_id' && name !== 'description'))
    throw new ParameterError('group_by');
  const isByModel = groups.includes('description');
  const isByAccount = groups.includes('workspace_id');
  const seconds = parameters.choice<number>('bucket_width', { '1d': WIDTHS['1d'] }, WIDTHS['1d']);
  const answer = await costPage(dependencies, scope, {
    page: anthropicPage(asked, 'cost_report', seconds, COST_LIMITS),
    filter: {},
    groupBy: [
      ...(isByModel ? (['model_name'] as const) : []),
      ...(isByAccount ? (['user_id'] as const) : []),
    ],
  });
  const { QuotaPerUnit } = dependencies.settings.current;
  return pageAnswer(answer, (sum) => ({
    amount: centsText(sum.quota, QuotaPerUnit),
    currency: 'USD',
    cost_type: isByModel ? 'tokens' : null,
    description: isByModel ? `${sum.model_name} Usage` : null,
    model: isByModel ? sum.model_name : null,
    context_window: null,
    inference_geo: null,
    service_tier: null,
    token_type: null,
    workspace_id: isByAccount ? `wrkspc_${sum.user_id}` : null,
  }));
}

/** Decimal cents without an exponent: 123.45 is $1.2345. */
export function centsText(quota: number, quotaPerUnit: number): string {
  return ((quota * 100) / quotaPerUnit).toFixed(8).replace(/\.?0+$/, '');
}

function anthropicPage(
  { dependencies, scope, parameters }: Asked,
  name: string,
  seconds: number,
  limits: PageLimits,
): Page {
  const start = parameters.time('starting_at');
  if (start === undefined) throw new ParameterError('starting_at');
  const end = parameters.time('ending_at');
  if (end !== undefined && end <= start) throw new ParameterError('ending_at');
  return pageOf(parameters, {
    name: `${name} ${scope.userId ?? 'site'}`,
    start,
    // Only buckets that have ended by then.
    end: end === undefined ? undefined : end - (end % seconds),
    seconds,
    limits,
    now: nowSeconds(dependencies),
  });
}

const timeText = (seconds: number): string => new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');

function pageAnswer<Result>({ buckets, nextPage }: ReportPage<Result>, resultOf: (sum: Result) => object) {
  return {
    data: buckets.map(({ start, end, results }) => ({
      starting_at: timeText(start),
      ending_at: timeText(end),
      results: results.map(resultOf),
    })),
    has_more: nextPage !== null,
    next_page: nextPage,
  };
}
