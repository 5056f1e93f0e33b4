// The smallest real request that shows that a channel works, made and read by the provider's code. Models whose calls cost
// much or need a file are refused by their name.
import { isJsonObject } from '#contract/relay/channel-fields.ts';
import { AppError } from '#contract/errors.ts';
import { factText } from '#contract/facts.ts';
import { providerOf } from '#server/models/providers/index.ts';
import { operatorText } from '#server/models/providers/operator-text.ts';
import {
  probeOf,
  type AskedText,
  type Probe,
  type ProbeFailure,
  type ProbeVerdict,
} from '#server/models/providers/probe.ts';
import type { Row } from '#server/platform/store/schema.ts';
import { splitList } from '#server/relay/channel-choice/abilities.ts';
import type { UpstreamDependencies } from './dependencies.ts';
import { formatOfModel } from '#server/models/providers/model-kind.ts';
import { askUpstream, providerChannel, providerFor, type UpstreamTarget } from './upstream.ts';

export interface TestTarget extends UpstreamTarget {
  model_mapping: string;
  param_override: string;
}

export interface TestOutcome {
  isOk: boolean;
  model: string;
  upstreamModel: string;
  milliseconds: number;
  /** Until the first event of a stream; 0 without a stream. */
  firstTokenMilliseconds: number;
  promptTokens: number;
  completionTokens: number;
  /** The answer of a chat model. */
  text: string;
  /** The fact why it failed; empty for a success. */
  detail: string;
  /** Our own refusal of a private address. */
  refusal?: AppError | undefined;
}

export interface TestLimits {
  timeoutSeconds: number;
  /** Stream if the model can, and measure the time to the first token. */
  wantsStream?: boolean;
  /** Asked of a chat model instead of a greeting. */
  asked?: AskedText;
  signal?: AbortSignal;
}

/** Named like chat models, but they make images, music, video or sound. */
const OTHER_KINDS = /audio|^suno|^mj_|swap_face/i;

/** undefined: there is no small request for this model. */
function testProbe(
  target: TestTarget,
  upstreamModel: string,
  { wantsStream = false, asked }: Pick<TestLimits, 'wantsStream' | 'asked'> = {},
): Probe | undefined {
  const provider = providerOf(target.type);
  if (!provider || OTHER_KINDS.test(upstreamModel)) return undefined;
  const format = formatOfModel(upstreamModel);
  const extra = ownParameters(target.param_override);
  return probeOf(provider, providerChannel(target), {
    format,
    model: upstreamModel,
    extra,
    wantsStream,
    ...(asked && { asked }),
  });
}

/** The channel's test model, else its first model that can be tested. */
export function defaultTestModel(row: Row<'channels'>): string | undefined {
  if (row.test_model !== '') return row.test_model;
  const target = { ...row, key: '' };
  return splitList(row.models).find((model) => testProbe(target, model) !== undefined);
}

export async function testCall(
  dependencies: UpstreamDependencies,
  target: TestTarget,
  model: string,
  { timeoutSeconds, wantsStream, asked, signal }: TestLimits,
): Promise<TestOutcome> {
  const provider = providerFor(target.type);
  const upstreamModel = dependencies.upstreamModel(target.model_mapping, model);
  // The caller's name decides the kind of model, the upstream's name decides the request.
  const probe = OTHER_KINDS.test(model)
    ? undefined
    : testProbe(target, upstreamModel, { ...(wantsStream && { wantsStream }), ...(asked && { asked }) });
  if (!probe) throw new AppError('channel_test_unsupported', { model });
  const { call, body } = probe;
  const answer = await askUpstream(dependencies, target, {
    url: provider.url(providerChannel(target), call),
    body,
    isSocket: provider.framing?.(call) === 'websocket',
    timeoutSeconds,
    ...(signal ? { signal } : {}),
  });
  const first = answer.isOk && call.isStream ? (answer.firstMilliseconds ?? 0) : 0;
  const outcome = { model, upstreamModel, milliseconds: answer.milliseconds, firstTokenMilliseconds: first };
  const failed = { ...outcome, isOk: false, promptTokens: 0, completionTokens: 0, text: '' };
  if (!answer.isOk) return { ...failed, detail: answer.detail, refusal: answer.refusal };
  const verdict = read(probe, answer);
  if (!verdict.isOk) return { ...failed, detail: failureFact(verdict.failure, target.key) };
  return { ...outcome, detail: '', ...verdict };
}

function read(probe: Probe, answer: { status: number; text: string }): ProbeVerdict {
  try {
    return probe.read(answer);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { isOk: false, failure: { code: 'unreadable', status: answer.status, words: message } };
  }
}

/** As it is stored, with keys masked. */
function failureFact(failure: ProbeFailure, key: string): string {
  switch (failure.code) {
    case 'noAnswer':
      return factText('noAnswer', { status: failure.status });
    case 'missingField':
      return factText('missingField', { status: failure.status, field: failure.field });
    default:
      return factText(failure.code, { status: failure.status, words: operatorText(failure.words, key) });
  }
}

/** The channel's parameter override as the relay applies it, without model and streaming. */
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
