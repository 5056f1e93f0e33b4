// Rate limits as vendors keep them: so many requests in a period, counted by key and model or by the organization of several keys,
// with the headers and the refusals of the vendor. For `behave`: each function is the behaviour of a rule.
import type { Behaviour } from './behaviour.ts';
import type { RequestFacts } from './behaviours.ts';

export type LimitedVendor = 'openai' | 'anthropic' | 'gemini' | 'azure';

export interface MockLimit {
  vendor: LimitedVendor;
  /** In one period, which never ends by itself. */
  requests: number;
  resetSeconds: number;
  /** Keys of one organization share their limits; undefined: each key has its own. */
  organizationOf?: (key: string) => string;
}

interface Standing {
  limit: number;
  left: number;
  resetSeconds: number;
  organization: string;
  model: string;
}

/** Counts the requests and refuses those above the limit. */
export function limitedTo({ vendor, requests, resetSeconds, organizationOf }: MockLimit) {
  const used = new Map<string, number>();
  return ({ key, model }: RequestFacts): Behaviour => {
    const organization = organizationOf?.(key) ?? `org-${key}`;
    const bucket = `${organization} ${model}`;
    const before = used.get(bucket) ?? 0;
    const isRefused = before >= requests;
    if (!isRefused) used.set(bucket, before + 1);
    const left = requests - (used.get(bucket) ?? 0);
    const standing = { limit: requests, left, resetSeconds, organization, model };
    const headers = headersOf[vendor](standing);
    if (!isRefused) return { headers };
    const { errorBody, headers: more } = refusals[vendor](standing);
    return { status: 429, errorBody, headers: { ...headers, ...more } };
  };
}

const openAiHeaders = ({ limit, left, resetSeconds, organization }: Standing) => ({
  'openai-organization': organization,
  'x-ratelimit-limit-requests': String(limit),
  'x-ratelimit-remaining-requests': String(left),
  // Until all of it is there again, which is later than the next request is taken.
  'x-ratelimit-reset-requests': `1m${resetSeconds}s`,
  'x-ratelimit-limit-tokens': '30000',
  'x-ratelimit-remaining-tokens': '29000',
  'x-ratelimit-reset-tokens': '2s',
});

const headersOf: Record<LimitedVendor, (standing: Standing) => Record<string, string>> = {
  openai: openAiHeaders,
  anthropic: ({ limit, left, resetSeconds, organization }) => ({
    'anthropic-organization-id': organization,
    'anthropic-ratelimit-requests-limit': String(limit),
    'anthropic-ratelimit-requests-remaining': String(left),
    'anthropic-ratelimit-requests-reset': new Date(Date.now() + resetSeconds * 1000).toISOString(),
    'anthropic-ratelimit-tokens-limit': '40000',
    'anthropic-ratelimit-tokens-remaining': '39000',
    'anthropic-ratelimit-tokens-reset': new Date(Date.now() + 1000).toISOString(),
  }),
  // Names its limits in refusals only.
  gemini: () => ({}),
  azure: ({ left, resetSeconds }) => ({
    'x-ratelimit-remaining-requests': String(left),
    'x-ratelimit-reset-requests': String(resetSeconds),
    'x-ratelimit-remaining-tokens': '29000',
  }),
};

interface Refusal {
  errorBody: object;
  headers: Record<string, string>;
}

const refusals: Record<LimitedVendor, (standing: Standing) => Refusal> = {
  openai: ({ model, limit, resetSeconds, organization }) => ({
    errorBody: {
      error: {
        message: `Rate limit reached for ${model} in organization ${organization} on requests per min (RPM): Limit ${limit}, Used ${limit}, Requested 1. Please try again in ${resetSeconds}s. Visit https://platform.openai.com/account/rate-limits to learn more.`,
        type: 'requests',
        param: null,
        code: 'rate_limit_exceeded',
      },
    },
    // The time is in the words alone.
    headers: {},
  }),
  anthropic: ({ model, limit, resetSeconds, organization }) => ({
    errorBody: {
      type: 'error',
      error: {
        type: 'rate_limit_error',
        message: `This request would exceed your organization's rate limit of ${limit} requests per minute (org: ${organization}, model: ${model}).`,
      },
    },
    headers: { 'retry-after': String(resetSeconds) },
  }),
  gemini: ({ model, limit, resetSeconds }) => ({
    errorBody: {
      error: {
        code: 429,
        message: 'You exceeded your current quota, please check your plan and billing details.',
        status: 'RESOURCE_EXHAUSTED',
        details: [
          {
            '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
            violations: [
              {
                quotaMetric: 'generativelanguage.googleapis.com/generate_content_paid_tier_requests',
                quotaId: 'GenerateRequestsPerMinutePerProjectPerModel-PaidTier1',
                quotaDimensions: { location: 'global', model },
                quotaValue: String(limit),
              },
            ],
          },
          { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${resetSeconds}s` },
        ],
      },
    },
    headers: {},
  }),
  azure: ({ resetSeconds }) => ({
    errorBody: {
      error: {
        code: '429',
        message: `Requests to the ChatCompletions_Create Operation under Azure OpenAI API version 2024-10-21 have exceeded call rate limit of your current OpenAI S0 pricing tier. Please retry after ${resetSeconds} seconds.`,
      },
    },
    headers: { 'retry-after': String(resetSeconds), 'retry-after-ms': String(resetSeconds * 1000) },
  }),
};
