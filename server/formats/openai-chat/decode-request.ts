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
} from '#server/formats/canonical.ts';
import { drop } from '#server/formats/extras.ts';
import {
  FormatError,
  isObject,
  lookup,
  member,
  objectAt,
  objectsAt,
  optionalBoolean,
  optionalInteger,
  optionalNumber,
  optionalObject,
  optionalText,
  optionalTexts,
  otherMembers,
  text,
  textAt,
  withoutUndefined,
  type Json,
} from '#server/formats/json.ts';
import { sharedFields } from '#server/formats/shared-fields.ts';
import { ToolNames } from '#server/formats/tool-names.ts';
import { decodeContent, decodeCache } from './parts.ts';
import { decodeDetails } from './reasoning-details.ts';
import { decodeToolChoice, decodeTools } from './tools.ts';

/** Fields with a canonical name; all others go into `extra`. */
const named = new Set([
  'model',
  'messages',
  'stream',
  'max_tokens',
  'max_completion_tokens',
  'temperature',
  'top_p',
  'top_k',
  'stop',
  'seed',
  'n',
  'presence_penalty',
  'frequency_penalty',
  'logprobs',
  'top_logprobs',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'response_format',
  'reasoning_effort',
  'verbosity',
  'user',
  'metadata',
  'service_tier',
  'store',
  'prompt_cache_key',
  'modalities',
  'audio',
]);

export function decodeRequest(body: unknown, notes: ConversionNote[]): CanonicalRequest {
  const fields = objectAt(body, '');
  const names = new ToolNames();
  const tools = decodeTools(fields, names, notes);
  const isAsked = optionalBoolean(fields['logprobs'], 'logprobs');
  const top = optionalInteger(fields['top_logprobs'], 'top_logprobs');
  const audio = optionalObject(fields['audio'], 'audio');
  return withoutUndefined<CanonicalRequest>({
    format: 'openai-chat',
    ...sharedFields(fields),
    messages: objectsAt(fields['messages'], 'messages').map((message, index) =>
      decodeMessage(message, `messages[${index}]`, names, notes),
    ),
    maxOutputTokens:
      optionalInteger(fields['max_completion_tokens'], 'max_completion_tokens') ??
      optionalInteger(fields['max_tokens'], 'max_tokens'),
    topK: optionalNumber(fields['top_k'], 'top_k'),
    stop: typeof fields['stop'] === 'string' ? [fields['stop']] : optionalTexts(fields['stop'], 'stop'),
    seed: optionalInteger(fields['seed'], 'seed'),
    choices: optionalInteger(fields['n'], 'n'),
    presencePenalty: optionalNumber(fields['presence_penalty'], 'presence_penalty'),
    frequencyPenalty: optionalNumber(fields['frequency_penalty'], 'frequency_penalty'),
    logprobs: isAsked === true ? withoutUndefined({ top }) : undefined,
    tools,
    toolChoice: decodeToolChoice(fields, names),
    parallelToolCalls: optionalBoolean(fields['parallel_tool_calls'], 'parallel_tool_calls'),
    responseFormat: decodeResponseFormat(fields['response_format']),
    reasoning: decodeReasoning(fields),
    verbosity: optionalText(fields['verbosity'], 'verbosity'),
    user: optionalText(fields['user'], 'user'),
    metadata: optionalObject(fields['metadata'], 'metadata'),
    store: optionalBoolean(fields['store'], 'store'),
    promptCacheKey: optionalText(fields['prompt_cache_key'], 'prompt_cache_key'),
    modalities: optionalTexts(fields['modalities'], 'modalities'),
    audio:
      audio === undefined
        ? undefined
        : withoutUndefined({ voice: audio['voice'], format: optionalText(audio['format'], 'audio.format') }),
    extra: otherMembers(fields, named),
  });
}

const roles: Readonly<Record<string, CanonicalMessage['role']>> = {
  system: 'system',
  developer: 'developer',
  user: 'user',
  assistant: 'assistant',
  tool: 'tool',
  function: 'tool',
};

function decodeMessage(
  message: Json,
  path: string,
  names: ToolNames,
  notes: ConversionNote[],
): CanonicalMessage {
  const given = textAt(message['role'], `${path}.role`);
  const role = lookup(roles, given);
  if (role === undefined) throw new FormatError(`${path}.role`, `one of ${Object.keys(roles).join(', ')}`);
  const content = decodeContent(message['content'], `${path}.content`, notes);
  if (role === 'tool') {
    const callId = optionalText(message['tool_call_id'], `${path}.tool_call_id`) ?? text(message['name']);
    return { role, content: [{ type: 'tool_result', callId, content, ...decodeCache(message) }] };
  }
  const name = optionalText(message['name'], `${path}.name`);
  const parts: CanonicalPart[] = role === 'assistant' ? [...decodeThoughts(message)] : [];
  parts.push(...content);
  if (Array.isArray(message['images']))
    parts.push(...decodeContent(message['images'], `${path}.images`, notes));
  if (isObject(message['audio'])) drop(notes, 'messages.audio', 'sound kept with OpenAI');
  const refusal = optionalText(message['refusal'], `${path}.refusal`) ?? '';
  if (refusal !== '') parts.push({ type: 'refusal', text: refusal });
  if (message['tool_calls'] !== undefined && message['tool_calls'] !== null) {
    for (const [index, call] of objectsAt(message['tool_calls'], `${path}.tool_calls`).entries())
      parts.push(decodeCall(call, `${path}.tool_calls[${index}]`, names));
  }
  const legacy = message['function_call'];
  if (isObject(legacy)) {
    const called = text(legacy['name']);
    parts.push({ type: 'tool_call', id: called, name: names.of(called), arguments: argumentsOf(legacy) });
  }
  return { role, ...(name === undefined ? {} : { name }), content: parts };
}

function decodeThoughts(message: Json): ReasoningPart[] {
  const details = decodeDetails(message['reasoning_details']);
  const reasoning = text(message['reasoning_content']) || text(message['reasoning']);
  const [first] = details;
  if (first !== undefined) {
    // Some clients send signature and text separately.
    if (first.signature !== undefined && details.every((part) => part.text === '')) first.text = reasoning;
    return details;
  }
  return reasoning === '' ? [] : [{ type: 'reasoning', text: reasoning }];
}

// A call without arguments is an empty object: an empty string is not JSON.
const argumentsOf = (described: Json): string => text(described['arguments']) || '{}';

function decodeCall(call: Json, path: string, names: ToolNames): ToolCallPart {
  const id = textAt(call['id'], `${path}.id`);
  if (call['type'] === 'custom') {
    const custom = objectAt(call['custom'], `${path}.custom`);
    const name = names.of(textAt(custom['name'], `${path}.custom.name`));
    return { type: 'tool_call', id, name, arguments: text(custom['input']), isCustom: true };
  }
  const described = objectAt(call['function'], `${path}.function`);
  const name = names.of(textAt(described['name'], `${path}.function.name`));
  const signature = signatureOf(call);
  return { type: 'tool_call', id, name, arguments: argumentsOf(described), ...signature };
}

/** Google's compatible API keeps the signature here; without it the next turn is refused. */
export function signatureOf(holder: Json): { signature?: string } {
  const signature = text(member(member(holder['extra_content'])['google'])['thought_signature']);
  return signature === '' ? {} : { signature };
}

function decodeResponseFormat(format: unknown): CanonicalResponseFormat | undefined {
  const given = optionalObject(format, 'response_format');
  if (given === undefined) return undefined;
  const { type } = given;
  if (type === 'json_object' || type === 'text') return { type };
  if (type !== 'json_schema')
    throw new FormatError('response_format.type', 'one of text, json_object, json_schema');
  const schema = objectAt(given['json_schema'], 'response_format.json_schema');
  return withoutUndefined<CanonicalResponseFormat>({
    type,
    name: optionalText(schema['name'], 'response_format.json_schema.name'),
    description: optionalText(schema['description'], 'response_format.json_schema.description'),
    schema: schema['schema'],
    strict: optionalBoolean(schema['strict'], 'response_format.json_schema.strict'),
  });
}

/** OpenAI's word, OpenRouter's object or Anthropic's object: chat clients send all three. */
function decodeReasoning(fields: Json): CanonicalReasoning | undefined {
  const effort = optionalText(fields['reasoning_effort'], 'reasoning_effort');
  if (effort !== undefined) return { effort };
  const reasoning = member(fields['reasoning']);
  const budget = optionalInteger(reasoning['max_tokens'], 'reasoning.max_tokens');
  if (budget !== undefined) return { budgetTokens: budget };
  const nested = optionalText(reasoning['effort'], 'reasoning.effort');
  if (nested !== undefined) return { effort: nested };
  if (reasoning['enabled'] === true) return { effort: 'medium' };
  const thinking = member(fields['thinking']);
  if (thinking['type'] === 'disabled') return { effort: 'none' };
  if (thinking['type'] === 'adaptive') return { isAdaptive: true };
  const tokens = optionalInteger(thinking['budget_tokens'], 'thinking.budget_tokens');
  return tokens === undefined ? undefined : { budgetTokens: tokens };
}
