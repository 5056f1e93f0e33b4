// Converse answers, whole and streamed, to canonical events.
import type { CanonicalEvent, CanonicalUsage, FinishReason } from '#server/models/formats/canonical.ts';
import type { CanonicalError, StreamDecoder } from '#server/models/formats/codec.ts';
import { count, isObject, lookup, member, objects, text, type Json } from '#server/models/formats/json.ts';
import { frameDecoder, reasonFrom, usageOf } from '#server/models/formats/supplier-codec.ts';
import { ANSWER_TOOL } from './request.ts';

const REASONS: Readonly<Record<string, FinishReason>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool_calls',
  content_filtered: 'content_filter',
  guardrail_intervened: 'content_filter',
};

const STATUSES: Readonly<Record<string, number>> = {
  throttlingException: 429,
  validationException: 400,
  accessDeniedException: 403,
  modelTimeoutException: 408,
  serviceUnavailableException: 503,
};

export function decodeResponse(body: unknown): CanonicalEvent[] {
  const answer = member(body);
  const events: CanonicalEvent[] = [start()];
  let calls = 0;
  let isAnswer = false;
  for (const block of objects(member(member(answer['output'])['message'])['content'])) {
    const { text: content, toolUse, reasoningContent } = block;
    if (typeof content === 'string') events.push({ type: 'text-delta', choice: 0, text: content });
    if (isObject(reasoningContent)) events.push(...reasoningEvents(wholeThought(reasoningContent)));
    if (isObject(toolUse) && toolUse['name'] === ANSWER_TOOL) {
      isAnswer = true;
      events.push({ type: 'text-delta', choice: 0, text: JSON.stringify(toolUse['input'] ?? {}) });
    } else if (isObject(toolUse)) {
      events.push({
        type: 'tool-call-delta',
        choice: 0,
        index: calls,
        id: text(toolUse['toolUseId']),
        name: text(toolUse['name']),
        arguments: JSON.stringify(toolUse['input'] ?? {}),
      });
      calls += 1;
    }
  }
  events.push(finish(text(answer['stopReason']), isAnswer));
  if (isObject(answer['usage'])) events.push({ type: 'usage', usage: readUsage(answer['usage']) });
  return events;
}

export function decodeStream(): StreamDecoder {
  /** Block index to call index; text blocks are counted too. */
  const calls = new Map<number, number>();
  const spoke = new Set<number>();
  /** Blocks that are the answer in the form of a call. */
  const answers = new Set<number>();

  function deltaOf(data: Json): CanonicalEvent[] {
    const delta = member(data['delta']);
    if (typeof delta['text'] === 'string') return [{ type: 'text-delta', choice: 0, text: delta['text'] }];
    if (isObject(delta['reasoningContent'])) return reasoningEvents(delta['reasoningContent']);
    const block = count(data['contentBlockIndex']) ?? 0;
    const index = calls.get(block);
    const input = text(member(delta['toolUse'])['input']);
    if (answers.has(block)) return input === '' ? [] : [{ type: 'text-delta', choice: 0, text: input }];
    if (!isObject(delta['toolUse']) || index === undefined) return [];
    if (input !== '') spoke.add(index);
    return [{ type: 'tool-call-delta', choice: 0, index, arguments: input }];
  }

  return frameDecoder((data, event) => {
    switch (event) {
      case 'messageStart':
        return [start()];
      case 'contentBlockStart': {
        const toolUse = member(data['start'])['toolUse'];
        if (!isObject(toolUse)) return [];
        const index = calls.size;
        const block = count(data['contentBlockIndex']) ?? 0;
        if (toolUse['name'] === ANSWER_TOOL) {
          answers.add(block);
          return [];
        }
        calls.set(block, index);
        const [id, name] = [text(toolUse['toolUseId']), text(toolUse['name'])];
        return [{ type: 'tool-call-delta', choice: 0, index, id, name, arguments: '' }];
      }
      case 'contentBlockDelta':
        return deltaOf(data);
      case 'contentBlockStop': {
        const index = calls.get(count(data['contentBlockIndex']) ?? 0);
        // An empty string is not JSON, and means no arguments.
        if (index === undefined || spoke.has(index)) return [];
        return [{ type: 'tool-call-delta', choice: 0, index, arguments: '{}' }];
      }
      case 'messageStop':
        return [finish(text(data['stopReason']), answers.size > 0)];
      case 'metadata':
        return isObject(data['usage']) ? [{ type: 'usage', usage: readUsage(data['usage']) }] : [];
      case 'error':
        return [errorEvent(member(data['error']))];
      default:
        return [];
    }
  });
}

function start(): CanonicalEvent {
  return { type: 'start', id: '', model: '', created: 0 };
}

/** The call of the answer's tool is the answer, not a call. */
function finish(raw: string, isAnswer: boolean): CanonicalEvent {
  const reason = reasonFrom(REASONS, raw);
  return { type: 'finish', choice: 0, reason: isAnswer && reason === 'tool_calls' ? 'stop' : reason, raw };
}

function errorEvent(error: Json): CanonicalEvent {
  const code = text(error['type']);
  return { type: 'error', message: text(error['message']), code, status: lookup(STATUSES, code) ?? 500 };
}

function wholeThought(reasoning: Json): Json {
  return isObject(reasoning['reasoningText']) ? reasoning['reasoningText'] : reasoning;
}

function reasoningEvents(thought: Json): CanonicalEvent[] {
  const events: CanonicalEvent[] = [];
  const content = text(thought['text']);
  if (content !== '') events.push({ type: 'reasoning-delta', choice: 0, text: content });
  const signature = text(thought['signature']);
  if (signature !== '')
    events.push({ type: 'reasoning-signature', choice: 0, signature, origin: 'anthropic' });
  const data = text(thought['redactedContent']);
  if (data !== '') events.push({ type: 'reasoning-redacted', choice: 0, data, origin: 'anthropic' });
  return events;
}

/** Like Anthropic's: input excludes tokens read from or written to the cache. */
function readUsage(usage: Json): CanonicalUsage {
  const cacheRead = count(usage['cacheReadInputTokens']);
  const cacheWrite5m = count(usage['cacheWriteInputTokens']);
  return usageOf(
    {
      input: count(usage['inputTokens']) ?? 0,
      output: count(usage['outputTokens']) ?? 0,
      ...(cacheRead === undefined ? {} : { cacheRead }),
      ...(cacheWrite5m === undefined ? {} : { cacheWrite5m }),
    },
    usage,
  );
}

export function decodeError(body: unknown): CanonicalError | undefined {
  if (!isObject(body)) return undefined;
  const message = text(body['message']) || text(body['Message']);
  if (message === '') return undefined;
  const type = text(body['__type']).replace(/^.*#/, '');
  return { message, type, code: type };
}
