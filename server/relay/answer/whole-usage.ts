// The usage of an answer in one piece: as reported, else as estimated from the request and the answer.
import { usageOf, type Usage } from '#server/billing/usage.ts';
import type { CanonicalUsage } from '#server/formats/canonical.ts';
import { isObject } from '#server/formats/json.ts';
import { totalTokens } from '#server/formats/openai-usage.ts';
import type { PreparedCall } from '#server/relay/upstream/prepare.ts';
import type { WholeAnswer } from './whole-answer.ts';
import { dialectOf } from './dialects/index.ts';
import { credibleUsage, estimatedUsage, reportedUsage } from '#server/relay/money/settlement.ts';

/** The parts of a request that its usage depends on. */
export interface Measured {
  readonly prepared: Pick<PreparedCall, 'estimate' | 'endpoint'>;
}

/** The parts of an answer that its usage is read from. */
type AnsweredJson = Pick<WholeAnswer, 'json' | 'converted'>;

export interface MeasuredUsage {
  usage: Usage;
  estimated: boolean;
  /** As the upstream reported it. */
  reported?: CanonicalUsage;
}

export function usageInAnswer(call: Measured, answer: AnsweredJson): MeasuredUsage {
  const { json } = answer;
  const { estimate, endpoint } = call.prepared;
  const dialect = dialectOf(endpoint.format);
  const found = credibleUsage(
    answer.converted === undefined
      ? json === undefined
        ? undefined
        : dialect.usageIn(json)
      : answer.converted.usage,
  );
  // Counting the content is expensive: only an answer without usage is counted.
  const content =
    answer.converted?.contentTokens ??
    (json === undefined || (found !== undefined && totalTokens(found) > 0)
      ? 0
      : dialect.tokensOfContent(json));
  const reported = reportedUsage(call, found, content);
  if (reported !== undefined && found !== undefined)
    return { usage: reported, estimated: false, reported: found };
  const seconds = json === undefined ? undefined : recordedSeconds(json);
  if (seconds !== undefined) {
    // Transcription is sold by the minute: a thousand tokens each.
    return { usage: usageOf({ input: Math.ceil((Math.ceil(seconds) * 1000) / 60) }), estimated: false };
  }
  const searches = json === undefined ? undefined : searchUnits(json);
  if (searches !== undefined)
    return { usage: { ...estimate.unreported, pieces: searches }, estimated: false };
  return { usage: estimatedUsage(call, content), estimated: !estimate.isExact };
}

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
