// Cohere's chat, version 2: the request is close to OpenAI's, the answer is not.
import type {
  CanonicalEvent,
  CanonicalRequest,
  CanonicalUsage,
  ConversionNote,
  FinishReason,
} from '#server/models/formats/canonical.ts';
import type { StreamDecoder, UpstreamCodec } from '#server/models/formats/codec.ts';
import { drop } from '#server/models/formats/extras.ts';
import {
  count,
  isObject,
  member,
  objects,
  text,
  withoutUndefined,
  type Json,
} from '#server/models/formats/json.ts';
import {
  contentEvents,
  frameDecoder,
  functionChat,
  reasonFrom,
  usageOf,
} from '#server/models/formats/supplier-codec.ts';
import { noteDropped } from '#server/models/formats/requested-features.ts';

const REASONS: Readonly<Record<string, FinishReason>> = {
  COMPLETE: 'stop',
  STOP_SEQUENCE: 'stop',
  MAX_TOKENS: 'length',
  TOOL_CALL: 'tool_calls',
  ERROR: 'error',
  TIMEOUT: 'error',
};

function encodeRequest(request: CanonicalRequest, notes: ConversionNote[]): Json {
  noteDropped(
    request,
    [
      'maxOutputTokens',
      'temperature',
      'topP',
      'topK',
      'stop',
      'seed',
      'presencePenalty',
      'frequencyPenalty',
      'tools',
      'toolChoice',
      'responseFormat',
      'reasoning',
    ],
    notes,
  );
  const chat = functionChat(request, notes);
  return withoutUndefined({
    model: request.model,
    messages: objects(chat['messages']).map(messageOf),
    stream: request.stream,
    max_tokens: request.maxOutputTokens,
    temperature: request.temperature,
    p: request.topP,
    k: request.topK,
    stop_sequences: request.stop,
    seed: request.seed,
    presence_penalty: request.presencePenalty,
    frequency_penalty: request.frequencyPenalty,
    tools: chat['tools'],
    tool_choice: choiceOf(request, notes),
    response_format: formatOf(request),
    thinking: thinkingOf(request),
  });
}

/** Reasoning before a call is `tool_plan`; participants have no names. */
function messageOf(message: Json): Json {
  const { name: _name, reasoning_content: thoughts, reasoning_details: _details, content, ...rest } = message;
  const calls = objects(rest['tool_calls']);
  if (calls.length === 0) return { ...rest, content: content ?? '' };
  const plan = text(thoughts) || text(content);
  return { ...rest, ...(plan === '' ? {} : { tool_plan: plan }) };
}

function choiceOf(request: CanonicalRequest, notes: ConversionNote[]): string | undefined {
  const { toolChoice: choice } = request;
  if (choice === undefined || choice === 'auto' || request.tools === undefined) return undefined;
  if (choice === 'none') return 'NONE';
  // Only the allowed tools are sent.
  if (typeof choice === 'object' && 'allowed' in choice)
    return choice.mode === 'required' ? 'REQUIRED' : undefined;
  if (choice !== 'required') drop(notes, 'tool_choice', 'a tool cannot be named; some tool is called');
  return 'REQUIRED';
}

function formatOf({ responseFormat }: CanonicalRequest): Json | undefined {
  if (responseFormat === undefined || responseFormat.type === 'text') return undefined;
  if (responseFormat.type !== 'json_schema') return { type: 'json_object' };
  return { type: 'json_object', json_schema: responseFormat.schema };
}

function thinkingOf({ reasoning }: CanonicalRequest): Json | undefined {
  if (reasoning === undefined) return undefined;
  if (reasoning.effort === 'none') return { type: 'disabled' };
  return withoutUndefined({ type: 'enabled', token_budget: reasoning.budgetTokens });
}

function decodeResponse(body: unknown): CanonicalEvent[] {
  const answer = member(body);
  const message = member(answer['message']);
  const events: CanonicalEvent[] = [startOf(answer)];
  const plan = text(message['tool_plan']);
  if (plan !== '') events.push({ type: 'reasoning-delta', choice: 0, text: plan });
  for (const part of objects(message['content'])) events.push(...partEvents(part));
  for (const [index, call] of objects(message['tool_calls']).entries()) {
    const called = member(call['function']);
    const given = text(called['arguments']) || '{}';
    events.push({
      type: 'tool-call-delta',
      choice: 0,
      index,
      id: text(call['id']),
      name: text(called['name']),
      arguments: given,
    });
  }
  return [...events, ...endOf(answer)];
}

function decodeStream(): StreamDecoder {
  let calls = 0;
  let hasArguments = true;
  const current = (): number => Math.max(0, calls - 1);
  return frameDecoder((event) => {
    const message = member(member(event['delta'])['message']);
    const call = member(message['tool_calls']);
    const called = member(call['function']);
    switch (event['type']) {
      case 'message-start':
        return [startOf(event)];
      case 'content-start':
      case 'content-delta':
        return partEvents(member(message['content']));
      case 'tool-plan-delta':
        return [{ type: 'reasoning-delta', choice: 0, text: text(message['tool_plan']) }];
      case 'tool-call-start': {
        calls += 1;
        const given = text(called['arguments']);
        hasArguments = given !== '';
        const [id, name] = [text(call['id']), text(called['name'])];
        return [{ type: 'tool-call-delta', choice: 0, index: current(), id, name, arguments: given }];
      }
      case 'tool-call-delta': {
        const given = text(called['arguments']);
        hasArguments ||= given !== '';
        return [{ type: 'tool-call-delta', choice: 0, index: current(), arguments: given }];
      }
      case 'tool-call-end':
        return hasArguments
          ? []
          : [{ type: 'tool-call-delta', choice: 0, index: current(), arguments: '{}' }];
      case 'message-end':
        return endOf(member(event['delta']));
      default:
        return [];
    }
  });
}

function startOf(answer: Json): CanonicalEvent {
  return { type: 'start', id: text(answer['id']), model: '', created: 0 };
}

const partEvents = (part: Json): CanonicalEvent[] =>
  contentEvents({ reasoning: text(part['thinking']), text: text(part['text']) });

function endOf(answer: Json): CanonicalEvent[] {
  const raw = text(answer['finish_reason']);
  const events: CanonicalEvent[] = [{ type: 'finish', choice: 0, reason: reasonFrom(REASONS, raw), raw }];
  if (isObject(answer['usage'])) events.push({ type: 'usage', usage: readUsage(answer['usage']) });
  return events;
}

/** Billed units differ from counted tokens; the operator pays the billed ones. */
function readUsage(usage: Json): CanonicalUsage {
  const billed = isObject(usage['billed_units']) ? usage['billed_units'] : member(usage['tokens']);
  const cacheRead = count(usage['cached_tokens']);
  const input = count(billed['input_tokens']) ?? 0;
  return usageOf(
    {
      input: Math.max(0, input - (cacheRead ?? 0)),
      output: count(billed['output_tokens']) ?? 0,
      ...(cacheRead === undefined ? {} : { cacheRead: Math.min(cacheRead, input) }),
    },
    usage,
  );
}

export const cohere: UpstreamCodec = {
  encodeRequest,
  decodeResponse,
  decodeStream,
  decodeError(body) {
    const message = text(member(body)['message']);
    return message === '' ? undefined : { message, type: '', code: '' };
  },
};
