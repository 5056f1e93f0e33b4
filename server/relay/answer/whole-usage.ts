// The usage of an answer in one piece: as reported, else as estimated from the request and the answer.
import type { UsageDoubt } from '#contract/money/usage-doubt.ts';
import { usageOf, type Usage } from '#server/money/prices/usage.ts';
import type { CanonicalUsage } from '#server/models/formats/canonical.ts';
import { isObject } from '#server/models/formats/json.ts';
import type { WholeAnswer } from './whole-answer.ts';
import { dialectOf } from './dialects/index.ts';
import { mostSeconds, mostUnits, type AskedCall } from '#server/relay/money/asked-for.ts';
import { estimatedUsage, reportedUsage } from '#server/relay/money/settlement.ts';

/** The parts of an answer that its usage is read from. */
type AnsweredJson = Pick<WholeAnswer, 'json' | 'converted'>;

export interface MeasuredUsage {
  usage: Usage;
  estimated: boolean;
  /** As the upstream reported it, if that is possible. */
  reported?: CanonicalUsage;
  doubts: readonly UsageDoubt[];
}

export function usageInAnswer(call: AskedCall, answer: AnsweredJson): MeasuredUsage {
  const { json, converted } = answer;
  const { estimate, endpoint } = call.prepared;
  const dialect = dialectOf(endpoint.format);
  const found =
    converted === undefined ? (json === undefined ? undefined : dialect.usageIn(json)) : converted.usage;
  // Counting the content is expensive: only that of an answer without usage, or with unusual usage, is counted.
  let counted: number | undefined;
  const content = (): number =>
    (counted ??= converted?.contentTokens ?? (json === undefined ? 0 : dialect.tokensOfContent(json)));
  const { usage, doubts } = reportedUsage(call, found, content);
  if (usage !== undefined && found !== undefined) return { usage, estimated: false, reported: found, doubts };
  if (json !== undefined && endpoint.format === 'openai-transcriptions') {
    const seconds = recordedSeconds(json);
    if (seconds !== undefined) return ofRecording(call, seconds);
  }
  if (json !== undefined && endpoint.format === 'openai-rerank') {
    const units = searchUnits(json);
    if (units !== undefined) return ofRanking(call, units);
  }
  return { usage: estimatedUsage(call, content()), estimated: !estimate.isExact, doubts };
}

/** Transcription is sold by the minute: a thousand tokens each. */
function ofRecording(call: AskedCall, reported: number): MeasuredUsage {
  const seconds = Math.min(Math.ceil(reported), mostSeconds(call));
  return {
    usage: usageOf({ input: Math.ceil((seconds * 1000) / 60) }),
    estimated: false,
    doubts: doubtsOf('seconds', Math.ceil(reported), seconds),
  };
}

function ofRanking(call: AskedCall, reported: number): MeasuredUsage {
  const pieces = Math.min(reported, mostUnits(call));
  return {
    usage: { ...call.prepared.estimate.unreported, pieces },
    estimated: false,
    doubts: doubtsOf('units', reported, pieces),
  };
}

const doubtsOf = (count: 'seconds' | 'units', reported: number, charged: number): UsageDoubt[] =>
  charged < reported ? [{ count, reported, charged }] : [];

function recordedSeconds(json: Record<string, unknown>): number | undefined {
  const { usage, duration } = json;
  const seconds = isObject(usage) && usage['type'] === 'duration' ? usage['seconds'] : duration;
  return typeof seconds === 'number' && seconds >= 0 && Number.isFinite(seconds) ? seconds : undefined;
}

function searchUnits(json: Record<string, unknown>): number | undefined {
  const { meta } = json;
  const units =
    isObject(meta) && isObject(meta['billed_units']) ? meta['billed_units']['search_units'] : undefined;
  return typeof units === 'number' && Number.isInteger(units) && units >= 1 ? units : undefined;
}
