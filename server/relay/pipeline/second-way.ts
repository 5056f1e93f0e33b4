// A second way to the same channel after a refusal that says what the upstream does not take: another format, or the call
// without what was refused. Nothing was generated or delivered, so nothing is charged twice. What the upstream refused is
// remembered only when the second way is answered.
import type { RunningCall } from '#server/relay/call/running-call.ts';
import { isUnknownPath } from '#server/models/providers/spoken.ts';
import type { Channel } from '#server/relay/channel-choice/catalog.ts';
import { withoutFormat } from '#server/relay/channel-choice/learned-formats.ts';
import { withLesson } from '#server/relay/channel-choice/lessons.ts';
import { lessonOf } from '#server/relay/channel-choice/refusal-lesson.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import { isObject } from '#server/models/formats/json.ts';
import type { UpstreamBody } from '#server/relay/upstream-body/upstream-body.ts';
import type { Core } from './core.ts';

export interface Refusal {
  readonly channel: Channel;
  readonly upstream: UpstreamBody;
  readonly status: number;
  readonly answer: string;
}

interface SecondWay {
  /** The channel as if what was refused had been known. */
  readonly channel: Channel;
  remember(): void;
}

/** Sends the call the other way with `send`; undefined when there is none, and the refusal stands. */
export async function attemptSecondWay<Result extends { kind: string }>(
  core: Core,
  call: RunningCall,
  refusal: Refusal,
  send: (channel: Channel) => Promise<Result>,
): Promise<Result | undefined> {
  const way = secondWay(core, call, refusal);
  if (way === undefined) return undefined;
  const { attempts } = call.record;
  const before = attempts.length;
  core.breaker.begin(refusal.channel.id, call.prepared.model);
  try {
    const result = await send(way.channel);
    if (result.kind !== 'failure') way.remember();
    return result;
  } catch (error) {
    if (!(error instanceof RelayError)) throw error;
    // The call cannot be sent that way (a strict call would lose something): nothing was sent.
    attempts.length = before;
    return undefined;
  }
}

function secondWay(core: Core, { prepared }: RunningCall, refusal: Refusal): SecondWay | undefined {
  const { channel, upstream, status, answer } = refusal;
  const { format, model } = upstream;
  if (isUnknownPath(status, answer)) {
    const wanted = { format: prepared.endpoint.format, model: prepared.model };
    const other = withoutFormat(channel, format, wanted);
    if (other !== undefined) return { channel: other, remember: () => core.learned.refused(channel, format) };
  }
  const lesson = lessonOf({ format, status, answer: parsed(answer), sent: () => sentIn(upstream) });
  if (lesson === undefined) return undefined;
  const isAboutFormat = lesson.kind === 'tools' || lesson.kind === 'format';
  // The operator wants bodies as they came.
  if (channel.setting.passThrough && upstream.conversion === undefined && !isAboutFormat) return undefined;
  const taught = withLesson(channel, model, lesson);
  return taught && { channel: taught, remember: () => core.learned.taught(channel, model, lesson) };
}

function sentIn({ body }: UpstreamBody): Record<string, unknown> {
  const value = typeof body === 'string' ? parsed(body) : undefined;
  return isObject(value) ? value : {};
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
