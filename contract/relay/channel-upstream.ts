// Calls to a channel's upstream: test, balance, list of models. A single test returns its result; a test of all channels
// runs in the background, several channels at a time, and can be stopped.
import { z } from 'zod';
import { channelFields } from './channel-fields.ts';
import { endpoint } from '#contract/endpoint.ts';
import { idParams, queryFlag } from '#contract/lists.ts';

const ADMIN = { access: 'admin' } as const;
const modelName = z.string().trim().max(255);

/** Form values before they are saved. A blank key means the stored key, which is sent to the stored address only. */
const draft = z.object({
  id: z.number().int().positive().optional(),
  type: channelFields.shape.type,
  base_url: channelFields.shape.base_url.default(''),
  key: z.string().max(1_000_000).default(''),
  other: channelFields.shape.other.default(''),
  openai_organization: channelFields.shape.openai_organization.default(''),
  header_override: channelFields.shape.header_override.default(''),
  setting: channelFields.shape.setting.default(''),
});

/** Result of a single test. */
export const testResult = z.object({
  model: z.string(),
  upstream_model: z.string(),
  milliseconds: z.number(),
  /** Time to the first token; 0 when the answer was not streamed. */
  first_token_ms: z.number(),
});

const timed = z.object({
  /** Seconds. */
  time: z.number(),
});

export const TEST_RESULTS = ['passed', 'failed', 'waiting', 'untestable'] as const;

export const testRun = z.object({
  running: z.boolean(),
  stopped: z.boolean(),
  /** Unix seconds; 0 before the first test. */
  started_at: z.number(),
  total: z.number(),
  done: z.number(),
  results: z.array(
    z.object({
      id: z.number(),
      name: z.string(),
      type: z.number(),
      status: z.number(),
      result: z.enum(TEST_RESULTS),
      milliseconds: z.number(),
      error: z.string(),
    }),
  ),
});
export type TestRun = z.output<typeof testRun>;

export const channelUpstream = {
  test: endpoint({
    ...ADMIN,
    method: 'GET',
    path: '/api/channel/test/{id}',
    summary: { zh: '测试渠道', en: 'Test a channel' },
    params: idParams,
    query: z.object({
      /** Blank: the channel's test model, or its first one. */
      model: modelName.default(''),
      timeout_seconds: z.coerce.number().int().min(1).max(120).default(60),
      /** Stream where the model can, and measure the time to the first token. */
      stream: queryFlag,
    }),
    returns: testResult,
    extra: timed,
  }),
  testAll: endpoint({
    ...ADMIN,
    method: 'GET',
    path: '/api/channel/test',
    summary: { zh: '测试所有渠道（后台进行）', en: 'Test all channels, in the background' },
    returns: z.null(),
  }),
  testRun: endpoint({
    ...ADMIN,
    method: 'GET',
    path: '/api/channel/test/progress',
    summary: { zh: '测试进度与结果', en: 'Progress and results of the test of all channels' },
    returns: testRun,
  }),
  stopTests: endpoint({
    ...ADMIN,
    method: 'POST',
    path: '/api/channel/test/stop',
    summary: { zh: '停止测试', en: 'Stop the test of all channels' },
    returns: z.null(),
  }),
  testDraft: endpoint({
    ...ADMIN,
    method: 'POST',
    path: '/api/channel/test',
    summary: { zh: '保存前测试', en: 'Test form values before saving' },
    body: draft.extend({
      model: modelName.min(1),
      model_mapping: channelFields.shape.model_mapping.default(''),
      param_override: channelFields.shape.param_override.default(''),
    }),
    returns: testResult,
    extra: timed,
    secret: true,
  }),
  updateBalance: endpoint({
    ...ADMIN,
    method: 'GET',
    path: '/api/channel/update_balance/{id}/',
    summary: { zh: '更新渠道余额', en: "Read a channel's balance from its upstream" },
    params: idParams,
    returns: z.null(),
    extra: z.object({ balance: z.number() }),
  }),
  updateBalances: endpoint({
    ...ADMIN,
    method: 'GET',
    path: '/api/channel/update_balance',
    summary: { zh: '更新所有已启用渠道余额', en: 'Read the balance of every enabled channel' },
    returns: z.object({
      updated: z.number(),
      failed: z.number(),
      unsupported: z.number(),
      /** Each failed channel with the reason, in the caller's language. */
      failures: z.array(z.object({ id: z.number(), name: z.string(), error: z.string() })),
    }),
  }),
  fetchModels: endpoint({
    ...ADMIN,
    method: 'GET',
    path: '/api/channel/fetch_models/{id}',
    summary: { zh: '获取上游模型列表', en: 'Models the upstream of a channel offers' },
    params: idParams,
    returns: z.array(z.string()),
  }),
  fetchDraftModels: endpoint({
    ...ADMIN,
    method: 'POST',
    path: '/api/channel/fetch_models',
    summary: { zh: '按表单获取上游模型列表', en: 'Models an upstream offers, by form values' },
    body: draft,
    returns: z.array(z.string()),
    secret: true,
  }),
};
