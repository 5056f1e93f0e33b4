// Chat requests of OpenAI's format to canonical.
import type {
  CanonicalMessage,
  CanonicalPart,
  CanonicalReasoning,
  CanonicalRequest,
  CanonicalResponseFormat,
  ConversionNote,
  ReasoningPart,
  ToolCallPart,
} from '#server/models/formats/canonical.ts';
import { decodeCache } from '#server/models/formats/cache-control.ts';
import { drop } from '#server/models/formats/extras.ts';
import { Fields, sharedFields, withUnread } from '#server/models/formats/fields.ts';
import {
  FormatError,
  isObject,
  lookup,
  member,
  text,
  withoutUndefined,
  type Json,
} from '#server/models/formats/json.ts';
import { ToolNames } from '#server/models/formats/tool-names.ts';
import { decodeContent } from './parts.ts';
import { decodeDetails } from './reasoning-details.ts';
import { decodeToolChoice, decodeTools } from './tools.ts';

export function decodeRequest(body: unknown, notes: ConversionNote[]): CanonicalRequest {
  const fields = new Fields(body);
  const names = new ToolNames();
  const tools = decodeTools(fields, names, notes);
  const isAsked = fields.optionalBoolean('logprobs');
  const top = fields.optionalInteger('top_logprobs');
  if (top !== undefined && top > 0 && isAsked !== true)
    drop(notes, 'top_logprobs', 'means something beside `logprobs` only');
  const audio = fields.optionalObject('audio');
  const stop = fields.get('stop');
  const limit = fields.optionalInteger('max_tokens');
  const messages = fields.objects('messages').map((message) => decodeMessage(message, names, notes));
  dropCallNames(messages, names);
  return withUnread(fields, {
    format: 'openai-chat',
    ...sharedFields(fields),
    messages,
    maxOutputTokens: fields.optionalInteger('max_completion_tokens') ?? limit,
    topK: fields.optionalNumber('top_k'),
    stop: typeof stop === 'string' ? [stop] : fields.optionalTexts('stop'),
    seed: fields.optionalInteger('seed'),
    choices: fields.optionalInteger('n'),
    presencePenalty: fields.optionalNumber('presence_penalty'),
    frequencyPenalty: fields.optionalNumber('frequency_penalty'),
    logprobs: isAsked === true ? withoutUndefined({ top }) : undefined,
    tools,
    toolChoice: decodeToolChoice(fields, names),
    parallelToolCalls: fields.optionalBoolean('parallel_tool_calls'),
    responseFormat: decodeResponseFormat(fields.optionalObject('response_format')),
    reasoning: decodeReasoning(fields),
    verbosity: fields.optionalText('verbosity'),
    user: fields.optionalText('user'),
    safetyIdentifier: fields.optionalText('safety_identifier'),
    metadata: fields.optionalObject('metadata')?.whole(),
    store: fields.optionalBoolean('store'),
    promptCacheKey: fields.optionalText('prompt_cache_key'),
    modalities: fields.optionalTexts('modalities'),
    audio: audio && withoutUndefined({ voice: audio.get('voice'), format: audio.optionalText('format') }),
    extra: fields.others(),
  });
}

const ROLES: Readonly<Record<string, CanonicalMessage['role']>> = {
  system: 'system',
  developer: 'developer',
  user: 'user',
  assistant: 'assistant',
  tool: 'tool',
  function: 'tool',
};

/** The name of a result repeats the name of its call; another one asks for something that a format may not have. */
function dropCallNames(messages: CanonicalMessage[], names: ToolNames): void {
  const called = new Map<string, string>();
  for (const message of messages) {
    for (const part of message.content) {
      if (part.type === 'tool_call') called.set(part.id, part.name);
      if (part.type !== 'tool_result' || message.name === undefined) continue;
      if (called.get(part.callId) === names.of(message.name)) delete message.name;
    }
  }
}

function decodeMessage(message: Fields, names: ToolNames, notes: ConversionNote[]): CanonicalMessage {
  const role = lookup(ROLES, message.text('role'));
  if (role === undefined)
    throw new FormatError(message.at('role'), `one of ${Object.keys(ROLES).join(', ')}`);
  const content = decodeContent(message, 'content', notes);
  const name = message.optionalText('name');
  if (role === 'tool') {
    const callId = message.optionalText('tool_call_id') ?? name ?? '';
    const result = { type: 'tool_result', callId, content, ...decodeCache(message) } as const;
    return { role, ...(name === undefined || name === callId ? {} : { name }), content: [result] };
  }
  const parts: CanonicalPart[] = role === 'assistant' ? [...decodeThoughts(message)] : [];
  parts.push(...content);
  if (Array.isArray(message.get('images'))) parts.push(...decodeContent(message, 'images', notes));
  if (isObject(message.get('audio'))) drop(notes, 'messages.audio', 'sound kept with OpenAI');
  const refusal = message.optionalText('refusal') ?? '';
  if (refusal !== '') parts.push({ type: 'refusal', text: refusal });
  for (const call of message.optionalObjects('tool_calls') ?? []) parts.push(decodeCall(call, names));
  message.ignore('extra_content');
  if (isObject(message.get('function_call'))) {
    const legacy = message.object('function_call');
    const called = text(legacy.get('name'));
    parts.push({ type: 'tool_call', id: called, name: names.of(called), arguments: argumentsOf(legacy) });
  }
  return { role, ...(name === undefined ? {} : { name }), content: parts };
}

function decodeThoughts(message: Fields): ReasoningPart[] {
  const details = decodeDetails(message.get('reasoning_details'));
  const [content, other] = [message.get('reasoning_content'), message.get('reasoning')];
  const reasoning = text(content) || text(other);
  const [first] = details;
  if (first !== undefined) {
    // Some clients send signature and text separately.
    if (first.signature !== undefined && details.every((part) => part.text === '')) first.text = reasoning;
    return details;
  }
  return reasoning === '' ? [] : [{ type: 'reasoning', text: reasoning }];
}

// A call without arguments is an empty object: an empty string is not JSON.
const argumentsOf = (described: Fields): string => text(described.get('arguments')) || '{}';

function decodeCall(call: Fields, names: ToolNames): ToolCallPart {
  const id = call.text('id');
  // Clients that gather a stream keep the place of the call.
  call.ignore('index', 'extra_content');
  if (call.get('type') === 'custom') {
    const custom = call.object('custom');
    const name = names.of(custom.text('name'));
    return { type: 'tool_call', id, name, arguments: text(custom.get('input')), isCustom: true };
  }
  const described = call.object('function');
  const name = names.of(described.text('name'));
  return {
    type: 'tool_call',
    id,
    name,
    arguments: argumentsOf(described),
    ...signatureOf(call.source),
  };
}

/** Google's compatible API keeps the signature here; without it the next turn is refused. */
export function signatureOf(holder: Json): { signature?: string } {
  const signature = text(member(member(holder['extra_content'])['google'])['thought_signature']);
  return signature === '' ? {} : { signature };
}

function decodeResponseFormat(format: Fields | undefined): CanonicalResponseFormat | undefined {
  return format && decodeFormat(format, () => format.object('json_schema'));
}

/** The form of the answer; `schemaOf` gives the object that describes a schema. */
export function decodeFormat(format: Fields, schemaOf: () => Fields): CanonicalResponseFormat {
  const type = format.get('type');
  if (type === 'json_object' || type === 'text') return { type };
  if (type !== 'json_schema')
    throw new FormatError(format.at('type'), 'one of text, json_object, json_schema');
  const schema = schemaOf();
  return withoutUndefined<CanonicalResponseFormat>({
    type,
    name: schema.optionalText('name'),
    description: schema.optionalText('description'),
    schema: schema.get('schema'),
    strict: schema.optionalBoolean('strict'),
  });
}

/**
 * OpenAI's word, OpenRouter's object or Anthropic's object: chat clients send all three. Only the word has a canonical name;
 * the objects also pass unchanged to an upstream of the same format, so they are read without counting as read.
 */
function decodeReasoning(fields: Fields): CanonicalReasoning | undefined {
  const effort = fields.optionalText('reasoning_effort');
  const [reasoning, thinking] = ['reasoning', 'thinking'].map((name) => variantOf(fields, name));
  const wanted = effort === undefined ? decodeVariants(reasoning, thinking) : { effort };
  if (wanted === undefined) return undefined;
  const display = thinking?.get('display');
  if (reasoning?.optionalBoolean('exclude') === true || display === 'omitted')
    return { ...wanted, isHidden: true };
  return display === 'summarized' ? { ...wanted, summary: 'auto' } : wanted;
}

function decodeVariants(
  reasoning: Fields | undefined,
  thinking: Fields | undefined,
): CanonicalReasoning | undefined {
  const budget = reasoning?.optionalInteger('max_tokens');
  if (budget !== undefined) return { budgetTokens: budget };
  const nested = reasoning?.optionalText('effort');
  if (nested !== undefined) return { effort: nested };
  if (reasoning?.get('enabled') === true) return { effort: 'medium' };
  const type = thinking?.get('type');
  if (type === 'disabled') return { effort: 'none' };
  const tokens = type === 'adaptive' ? undefined : thinking?.optionalInteger('budget_tokens');
  if (tokens !== undefined) return { budgetTokens: tokens };
  return type === 'adaptive' || type === 'enabled' ? { isAdaptive: true } : undefined;
}

const variantOf = (fields: Fields, name: string): Fields | undefined =>
  isObject(fields.source[name]) ? new Fields(fields.source[name], name, undefined, fields) : undefined;
