// The smallest real request that shows a channel works, made and read by the provider's own code; kinds that would cost
// real money or need a file are refused by name.
import { isJsonObject } from '#contract/channel-fields.ts';
import { AppError } from '#contract/errors.ts';
import { providerOf } from '#server/providers/index.ts';
import { probeOf, type Probe, type ProbeVerdict } from '#server/providers/probe.ts';
import type { Row } from '#server/store/schema.ts';
import { splitList } from './abilities.ts';
import type { UpstreamDependencies } from './dependencies.ts';
import { formatOfModel } from './model-kind.ts';
import { askUpstream, providerChannel, providerFor, sentence, type UpstreamTarget } from './upstream.ts';

export interface TestTarget extends UpstreamTarget {
  model_mapping: string;
  param_override: string;
}

export interface TestOutcome {
  isOk: boolean;
  model: string;
  upstreamModel: string;
  milliseconds: number;
  /** Until a streamed answer began; 0: it was not streamed. */
  firstTokenMilliseconds: number;
  promptTokens: number;
  completionTokens: number;
  /** Why it failed. */
  detail: string;
}

export interface TestLimits {
  timeoutSeconds: number;
  /** Where the model can; its first token is timed then. */
  wantsStream?: boolean;
  signal?: AbortSignal;
}

/** Called like chat models by name, but pictures, music, film or sound come out. */
const OTHER_KINDS = /audio|^sora|^suno|^mj_|swap_face|kling|seedance|vidu|jimeng/i;

/** undefined: nothing small can be asked of this model. */
function testProbe(target: TestTarget, upstreamModel: string, wantsStream = false): Probe | undefined {
  const provider = providerOf(target.type);
  if (!provider || OTHER_KINDS.test(upstreamModel)) return undefined;
  const format = formatOfModel(upstreamModel);
  const extra = ownParameters(target.param_override);
  return probeOf(provider, providerChannel(target), { format, model: upstreamModel, extra, wantsStream });
}

/** The channel's own choice, else its first model that can be tested. */
export function defaultTestModel(row: Row<'channels'>): string | undefined {
  if (row.test_model !== '') return row.test_model;
  const target = { ...row, key: '' };
  return splitList(row.models).find((model) => testProbe(target, model) !== undefined);
}

export async function testCall(
  dependencies: UpstreamDependencies,
  target: TestTarget,
  model: string,
  { timeoutSeconds, wantsStream, signal }: TestLimits,
): Promise<TestOutcome> {
  const provider = providerFor(target.type);
  const upstreamModel = dependencies.upstreamModel(target.model_mapping, model);
  // What a model is for is told by the name callers use; what to send, by the name the upstream hears.
  const probe = OTHER_KINDS.test(model) ? undefined : testProbe(target, upstreamModel, wantsStream);
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
  const failed = { ...outcome, isOk: false, promptTokens: 0, completionTokens: 0 };
  if (!answer.isOk) return { ...failed, detail: answer.detail };
  const verdict = read(probe, answer);
  if (!verdict.isOk) return { ...failed, detail: sentence(verdict.detail, target.key) };
  return { ...outcome, detail: '', ...verdict };
}

function read(probe: Probe, answer: { status: number; text: string }): ProbeVerdict {
  try {
    return probe.read(answer);
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    return { isOk: false, detail: `${answer.status} ${said}` };
  }
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
