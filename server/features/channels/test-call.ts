// The smallest real request that shows a channel works: one word to a chat model, one phrase to an embedding model, two
// documents to a reranker. Other kinds would cost real money or need a file, so they are refused by name.
import { isJsonObject } from '#contract/channel-fields.ts';
import { AppError } from '#contract/errors.ts';
import type { Format } from '#server/providers/provider.ts';
import { providerOf } from '#server/providers/index.ts';
import { splitList } from './abilities.ts';
import type { UpstreamDependencies } from './dependencies.ts';
import { formatOfModel } from './model-kind.ts';
import { callUpstream, providerChannel, providerFor, type UpstreamTarget } from './upstream.ts';

export interface TestTarget extends UpstreamTarget {
  model_mapping: string;
  param_override: string;
}

export interface TestOutcome {
  isOk: boolean;
  model: string;
  upstreamModel: string;
  milliseconds: number;
  promptTokens: number;
  completionTokens: number;
  /** Why it failed. */
  detail: string;
}

export interface TestLimits {
  timeoutSeconds: number;
  signal?: AbortSignal;
}

interface Probe {
  format: Format;
  path: string;
  body(model: string): Record<string, unknown>;
  /** The member of the answer that a working upstream fills. */
  answer: 'choices' | 'data' | 'results';
}

const chat: Probe = {
  format: 'openai-chat',
  path: '/v1/chat/completions',
  body: (model) => ({
    model,
    messages: [{ role: 'user', content: 'hi' }],
    // Reasoning models know the limit under another name only.
    [/^(o\d|gpt-5)/.test(model) ? 'max_completion_tokens' : 'max_tokens']: 16,
  }),
  answer: 'choices',
};
const embeddings: Probe = {
  format: 'openai-embeddings',
  path: '/v1/embeddings',
  body: (model) => ({ model, input: 'hello world' }),
  answer: 'data',
};
const rerank: Probe = {
  format: 'openai-rerank',
  path: '/v1/rerank',
  body: (model) => ({ model, query: 'hello', documents: ['hello world', 'good night'] }),
  answer: 'results',
};

const probes = [chat, embeddings, rerank];

/** Called like chat models by name, but pictures, music, film or sound come out. */
const OTHER_KINDS = /audio|^sora|^suno|^mj_|swap_face|kling|seedance|vidu|jimeng/i;

/** undefined: nothing small can be asked of this model. */
function probeOf(type: number, model: string): Probe | undefined {
  if (OTHER_KINDS.test(model)) return undefined;
  const format = formatOfModel(model);
  return providerOf(type)?.speaks.includes(format)
    ? probes.find((probe) => probe.format === format)
    : undefined;
}

/** The channel's own choice, else its first model that can be tested. */
export function defaultTestModel(row: {
  type: number;
  test_model: string;
  models: string;
}): string | undefined {
  if (row.test_model !== '') return row.test_model;
  return splitList(row.models).find((model) => probeOf(row.type, model) !== undefined);
}

export async function testCall(
  dependencies: UpstreamDependencies,
  target: TestTarget,
  model: string,
  { timeoutSeconds, signal }: TestLimits,
): Promise<TestOutcome> {
  const provider = providerFor(target.type);
  const probe = probeOf(target.type, model);
  if (!probe) throw new AppError('channel_test_unsupported', { model });
  const upstreamModel = dependencies.upstreamModel(target.model_mapping, model);
  const answer = await callUpstream(dependencies, target, {
    url: provider.url(providerChannel(target), {
      format: probe.format,
      path: probe.path,
      model: upstreamModel,
      isStream: false,
    }),
    body: { ...probe.body(upstreamModel), ...ownParameters(target.param_override) },
    timeoutSeconds,
    ...(signal ? { signal } : {}),
  });
  const outcome = { model, upstreamModel, milliseconds: answer.milliseconds };
  const failed = { ...outcome, isOk: false, promptTokens: 0, completionTokens: 0 };
  if (!answer.isOk) return { ...failed, detail: answer.detail };
  const value = answer.value as Record<string, unknown> | null;
  const filled = value?.[probe.answer];
  if (!Array.isArray(filled) || filled.length === 0) {
    return { ...failed, detail: `200 without ${probe.answer}` };
  }
  return { ...outcome, isOk: true, detail: '', ...usageOf(value?.['usage']) };
}

/** As the relay does: the operator's parameters, but not the model and not streaming. */
function ownParameters(text: string): Record<string, unknown> {
  if (!isJsonObject(text)) return {};
  const {
    model: _model,
    stream: _stream,
    stream_options: _options,
    ...rest
  } = JSON.parse(text) as Record<string, unknown>;
  return rest;
}

function usageOf(usage: unknown): { promptTokens: number; completionTokens: number } {
  const fields = typeof usage === 'object' && usage !== null ? (usage as Record<string, unknown>) : {};
  const count = (value: unknown) => (typeof value === 'number' && Number.isSafeInteger(value) ? value : 0);
  return {
    promptTokens: count(fields['prompt_tokens']),
    completionTokens: count(fields['completion_tokens']),
  };
}
