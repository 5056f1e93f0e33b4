// A call as spans: one of the server kind for the call, and below it one of the client kind for each attempt. Names and
// attributes follow OpenTelemetry's conventions for generative AI. Texts of prompts, answers and errors are not in them.
import { randomBytes } from 'node:crypto';
import { completionTokens, promptTokens } from '#server/money/prices/usage.ts';
import type { EndedCall } from '#server/relay/money/call-watcher.ts';
import { attemptOutcome } from './attempt-outcome.ts';
import { attributesOf, nanoseconds } from './otlp-values.ts';

const SERVER = 2;
const CLIENT = 3;
const ERROR = 2;

/** W3C Trace Context, version 00. All zeros are no id. */
const TRACE_PARENT = /^00-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})$/;

export interface TraceParent {
  readonly traceId: string;
  readonly spanId: string;
  readonly isSampled: boolean;
}

export function parentIn(header: string | undefined): TraceParent | undefined {
  const [, traceId, spanId, flags] = TRACE_PARENT.exec(header ?? '') ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

const OPERATIONS: readonly (readonly [RegExp, string])[] = [
  [/embeddings|embedContent/i, 'embeddings'],
  [/^\/v1\/completions/, 'text_completion'],
  [/generateContent/i, 'generate_content'],
  [/chat|responses|messages|realtime/, 'chat'],
];

const operationOf = (path: string): string =>
  OPERATIONS.find(([pattern]) => pattern.test(path))?.[1] ?? 'generate_content';

export function spansOf(call: EndedCall, endedMs: number): unknown[] {
  const { record, usage, charge, milliseconds, firstTokenMilliseconds, ending, requestId } = call;
  const { caller, attempts } = record;
  const parent = parentIn(record.trace);
  const traceId = parent?.traceId ?? randomBytes(16).toString('hex');
  const spanId = randomBytes(8).toString('hex');
  const startedMs = endedMs - milliseconds;
  const operation = operationOf(record.path);
  const callSpan = {
    traceId,
    spanId,
    ...(parent === undefined ? {} : { parentSpanId: parent.spanId }),
    name: `${operation} ${record.model}`,
    kind: SERVER,
    startTimeUnixNano: nanoseconds(startedMs),
    endTimeUnixNano: nanoseconds(endedMs),
    attributes: attributesOf({
      'gen_ai.operation.name': operation,
      'gen_ai.request.model': record.model,
      'gen_ai.response.model': record.upstreamModel,
      'gen_ai.usage.input_tokens': usage && promptTokens(usage),
      'gen_ai.usage.output_tokens': usage && completionTokens(usage),
      'gen_ai.server.time_to_first_token':
        firstTokenMilliseconds === undefined ? undefined : firstTokenMilliseconds / 1000,
      'url.path': record.path,
      'error.type': ending === '' ? undefined : ending,
      'tollgate.request_id': requestId,
      'tollgate.user_id': caller.userId,
      'tollgate.token_id': caller.tokenId,
      'tollgate.group': caller.group,
      'tollgate.charge': charge,
      'tollgate.streamed': record.isStream,
    }),
    status: usage === undefined ? { code: ERROR } : {},
  };
  // Attempts follow one another; the last one lasts until the call ends.
  let beginMs = startedMs;
  const attemptSpans = attempts.map((attempt, index) => {
    const endMs = index === attempts.length - 1 ? endedMs : Math.min(endedMs, beginMs + attempt.milliseconds);
    const outcome = attemptOutcome(attempt);
    const span = {
      traceId,
      spanId: randomBytes(8).toString('hex'),
      parentSpanId: spanId,
      name: `attempt ${index + 1}`,
      kind: CLIENT,
      startTimeUnixNano: nanoseconds(beginMs),
      endTimeUnixNano: nanoseconds(endMs),
      attributes: attributesOf({
        'gen_ai.operation.name': operation,
        'gen_ai.request.model': record.model,
        'http.response.status_code': attempt.status === 0 ? undefined : attempt.status,
        'tollgate.channel.id': attempt.channel,
        'tollgate.attempt.outcome': outcome,
        'error.type': outcome === 'success' ? undefined : outcome,
      }),
      status: outcome === 'success' ? {} : { code: ERROR },
    };
    beginMs = endMs;
    return span;
  });
  return [callSpan, ...attemptSpans];
}
