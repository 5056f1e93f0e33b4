// OpenAI's usage and cost reports: `/v1/organization/usage/…` and `/v1/organization/costs`. A project and a user are both an
// account here, an API key is a token, a line item is a model.
import { nowSeconds } from '#server/admin/clock.ts';
import type { ReportScope } from './authenticate.ts';
import { pageOf, USAGE_LIMITS, WIDTHS, type Page, type PageLimits } from './buckets.ts';
import type { UsageKind } from './cells.ts';
import type { OrganizationDependencies } from './dependencies.ts';
import { ParameterError, type Parameters } from '#server/admin/query-parameters.ts';
import {
  costPage,
  holderCostPage,
  isOfHolders,
  usagePage,
  type CostQuestion,
  type ReportPage,
  type UsageResult,
} from './report.ts';
import { columnsOf, fieldsOf, filterOf, groupFields, TAG_GROUP } from './groups.ts';

/** One report of a caller. */
export interface Asked {
  dependencies: OrganizationDependencies;
  scope: ReportScope;
  parameters: Parameters;
}

interface UsageReport {
  /** In `organization.usage.<result>.result`. */
  result: string;
  kinds: readonly UsageKind[];
  /** What its results may be grouped by, beyond project, user, API key and model. */
  groups?: readonly string[];
  figures(sum: UsageResult): Record<string, unknown>;
  /** A result that is left out. */
  isNothing?(sum: UsageResult): boolean;
}

const ACCOUNT_GROUPS = ['project_id', 'user_id', 'api_key_id', 'model'];

const inputOf = (sum: UsageResult): number =>
  sum.input + sum.cache_read + sum.cache_write_5m + sum.cache_write_1h + sum.image_input + sum.audio_input;

/** A minute of a recording is charged as 1,000 tokens where the upstream reports its length. */
const SECONDS_PER_TOKEN = 0.06;

const requests = (sum: UsageResult) => ({ num_model_requests: sum.calls });
const inputTokens = (sum: UsageResult) => ({ input_tokens: inputOf(sum), ...requests(sum) });

/** By the last part of the path. Vector stores, code interpreter and file search are not relayed: their reports are empty. */
export const USAGE_REPORTS: Readonly<Record<string, UsageReport>> = {
  completions: {
    result: 'completions',
    kinds: ['completions'],
    groups: ['batch', 'service_tier'],
    figures: (sum) => ({
      input_tokens: inputOf(sum),
      output_tokens: sum.output + sum.audio_output,
      ...requests(sum),
      input_cached_tokens: sum.cache_read,
      input_cache_write_tokens: sum.cache_write_5m + sum.cache_write_1h,
      input_uncached_tokens: sum.input + sum.image_input + sum.audio_input,
      input_text_tokens: sum.input,
      input_image_tokens: sum.image_input,
      input_audio_tokens: sum.audio_input,
      input_cached_text_tokens: sum.cache_read,
      input_cached_image_tokens: 0,
      input_cached_audio_tokens: 0,
      output_text_tokens: sum.output,
      output_image_tokens: 0,
      output_audio_tokens: sum.audio_output,
    }),
  },
  embeddings: { result: 'embeddings', kinds: ['embeddings'], figures: inputTokens },
  moderations: { result: 'moderations', kinds: ['moderations'], figures: inputTokens },
  images: {
    result: 'images',
    kinds: ['image.generation', 'image.edit', 'image.variation'],
    groups: ['size', 'source'],
    figures: (sum) => ({ images: sum.pieces, ...requests(sum) }),
  },
  audio_speeches: {
    result: 'audio_speeches',
    kinds: ['audio_speeches'],
    figures: (sum) => ({ characters: inputOf(sum), ...requests(sum) }),
  },
  audio_transcriptions: {
    result: 'audio_transcriptions',
    kinds: ['audio_transcriptions'],
    figures: (sum) => ({ seconds: Math.round(inputOf(sum) * SECONDS_PER_TOKEN), ...requests(sum) }),
  },
  web_search_calls: {
    result: 'web_searches',
    kinds: ['completions'],
    groups: ['context_level'],
    figures: (sum) => ({ num_requests: sum.web_searches, num_model_requests: sum.calls }),
    isNothing: (sum) => sum.web_searches === 0,
  },
  vector_stores: { result: 'vector_stores', kinds: [], figures: () => ({ usage_bytes: 0 }) },
  code_interpreter_sessions: {
    result: 'code_interpreter_sessions',
    kinds: [],
    figures: () => ({ num_sessions: 0 }),
  },
  file_search_calls: {
    result: 'file_searches',
    kinds: [],
    groups: ['vector_store_id'],
    figures: () => ({ num_requests: 0 }),
  },
};

/** Nothing of it is recorded: a filter by it would give wrong figures. */
const UNRECORDED_FILTERS = ['sizes', 'context_levels', 'vector_store_ids'];
const SOURCES = {
  'image.generation': 'image.generation',
  'image.edit': 'image.edit',
  'image.variation': 'image.variation',
} as const satisfies Record<string, UsageKind>;
const COST_LIMITS: PageLimits = { usual: 7, most: 180 };
const COST_GROUPS = ['project_id', 'line_item', 'api_key_id'];
/** Hours are read for these. */
const HOLDER_COST_LIMITS: PageLimits = { usual: 7, most: 31 };
const LAST_SECOND = 253_402_300_799;

export async function openAiUsage(asked: Asked, report: UsageReport) {
  const { dependencies, scope, parameters } = asked;
  for (const name of UNRECORDED_FILTERS)
    if (parameters.list(name) !== undefined) throw new ParameterError(name);
  const allowed = [...ACCOUNT_GROUPS, ...(report.groups ?? [])];
  const groups = groupsOf(parameters, allowed);
  const seconds = parameters.choice<number>('bucket_width', WIDTHS, WIDTHS['1d']);
  const sources = report.groups?.includes('source') ? parameters.choices('sources', SOURCES) : undefined;
  const isBatch = parameters.choice<boolean | undefined>('batch', { true: true, false: false }, undefined);
  const answer = await usagePage(dependencies, scope, {
    page: openAiPage(asked, report.result, seconds, USAGE_LIMITS[seconds]),
    kinds: sources ?? report.kinds,
    filter: {
      ...filterOf(scope, parameters),
      models: parameters.list('models'),
      ...(isBatch === undefined ? {} : { tiers: isBatch ? ['batch'] : ['', 'flex', 'priority'] }),
    },
    groupBy: columnsOf(groups, fieldsOf(scope)),
  });
  return pageAnswer(answer, (sum) =>
    report.isNothing?.(sum)
      ? []
      : [
          {
            object: `organization.usage.${report.result}.result`,
            ...report.figures(sum),
            ...groupFields(allowed, groups, fieldsOf(scope), sum),
          },
        ],
  );
}

export async function openAiCosts(asked: Asked) {
  const { dependencies, scope, parameters } = asked;
  const isOrganization = scope.member !== undefined;
  const { groups, tag } = costGroups(asked);
  const seconds = parameters.choice<number>('bucket_width', { '1d': WIDTHS['1d'] }, WIDTHS['1d']);
  const fields = fieldsOf(scope);
  const allowed = isOrganization ? [...COST_GROUPS, 'user_id'] : COST_GROUPS;
  const filter = filterOf(scope, parameters);
  const needsHolders = tag !== undefined || isOfHolders(filter, columnsOf(groups, fields));
  const question: CostQuestion = {
    page: openAiPage(asked, 'costs', seconds, needsHolders ? HOLDER_COST_LIMITS : COST_LIMITS),
    filter,
    groupBy: [
      ...columnsOf(groups, fields),
      ...(tag === undefined ? [] : ['tag_value']),
    ] as CostQuestion['groupBy'],
  };
  const answer = needsHolders
    ? await holderCostPage(dependencies, scope, { ...question, tagKey: tag ?? '' })
    : await costPage(dependencies, scope, question);
  const { QuotaPerUnit } = dependencies.settings.current;
  return pageAnswer(answer, (sum) => [
    {
      object: 'organization.costs.result',
      amount: { value: sum.quota / QuotaPerUnit, currency: 'usd' },
      ...groupFields(allowed, groups, fields, sum),
      ...(tag === undefined ? {} : { tags: { [tag]: sum.tag_value || null } }),
      quantity: null,
    },
  ]);
}

/** In an organization also by one of its tags: `tag:team`. */
function costGroups({ scope, parameters }: Asked): { groups: string[]; tag: string | undefined } {
  const all = parameters.list('group_by') ?? [];
  const tags = all.filter((name) => TAG_GROUP.test(name));
  const groups = all.filter((name) => !tags.includes(name));
  const isOrganization = scope.member !== undefined;
  const allowed = isOrganization ? [...COST_GROUPS, 'user_id'] : COST_GROUPS;
  if (groups.some((name) => !allowed.includes(name)) || tags.length > (isOrganization ? 1 : 0))
    throw new ParameterError('group_by');
  return { groups, tag: TAG_GROUP.exec(tags[0] ?? '')?.[1] };
}

function openAiPage(
  { dependencies, scope, parameters }: Asked,
  name: string,
  seconds: number,
  limits: PageLimits | undefined,
): Page {
  const start = parameters.whole('start_time', LAST_SECOND);
  if (start === undefined) throw new ParameterError('start_time');
  const end = parameters.whole('end_time', LAST_SECOND);
  if (end !== undefined && end <= start) throw new ParameterError('end_time');
  return pageOf(parameters, {
    name: `${name} ${scope.userId ?? 'site'}`,
    start,
    // The bucket that contains the last second.
    end: end === undefined ? undefined : Math.ceil(end / seconds) * seconds,
    seconds,
    limits: limits ?? COST_LIMITS,
    now: nowSeconds(dependencies),
  });
}

function groupsOf(parameters: Parameters, allowed: readonly string[]): string[] {
  const groups = parameters.list('group_by') ?? [];
  if (groups.some((name) => !allowed.includes(name))) throw new ParameterError('group_by');
  return groups;
}

function pageAnswer<Result>({ buckets, nextPage }: ReportPage<Result>, resultsOf: (sum: Result) => object[]) {
  return {
    object: 'page',
    data: buckets.map(({ start, end, results }) => ({
      object: 'bucket',
      start_time: start,
      end_time: end,
      results: results.flatMap(resultsOf),
    })),
    has_more: nextPage !== null,
    next_page: nextPage,
  };
}
