// Chat requests of OpenAI's format to canonical and back.
import type {
  CanonicalMessage,
  CanonicalPart,
  CanonicalRequest,
  CanonicalTool,
  CanonicalToolChoice,
  ConversionNote,
} from '#server/formats/canonical.ts';
import { isObject } from '#server/formats/openai-usage.ts';
import { decodeContent, encodeContent, text } from './parts.ts';

type Json = Record<string, unknown>;

/** Fields with a canonical name of their own; all others are carried in `extra`. */
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
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'response_format',
  'reasoning_effort',
  'user',
]);

const number = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

export function decodeRequest(body: unknown, notes: ConversionNote[]): CanonicalRequest {
  const fields = isObject(body) ? body : {};
  const { stop } = fields;
  const request: CanonicalRequest = {
    model: text(fields['model']),
    messages: Array.isArray(fields['messages'])
      ? (fields['messages'] as unknown[]).filter(isObject).map((message) => decodeMessage(message, notes))
      : [],
    stream: fields['stream'] === true,
    maxOutputTokens: number(fields['max_completion_tokens']) ?? number(fields['max_tokens']),
    temperature: number(fields['temperature']),
    topP: number(fields['top_p']),
    topK: number(fields['top_k']),
    stop: typeof stop === 'string' ? [stop] : Array.isArray(stop) ? stop.map(String) : undefined,
    seed: number(fields['seed']),
    choices: number(fields['n']),
    presencePenalty: number(fields['presence_penalty']),
    frequencyPenalty: number(fields['frequency_penalty']),
    tools: Array.isArray(fields['tools']) ? decodeTools(fields['tools'] as unknown[], notes) : undefined,
    toolChoice: decodeToolChoice(fields['tool_choice'], notes),
    parallelToolCalls:
      typeof fields['parallel_tool_calls'] === 'boolean' ? fields['parallel_tool_calls'] : undefined,
    responseFormat: decodeResponseFormat(fields['response_format']),
    reasoning:
      typeof fields['reasoning_effort'] === 'string' ? { effort: fields['reasoning_effort'] } : undefined,
    user: typeof fields['user'] === 'string' ? fields['user'] : undefined,
    extra: Object.fromEntries(Object.entries(fields).filter(([name]) => !named.has(name))),
  };
  return withoutUndefined(request);
}

function decodeMessage(message: Json, notes: ConversionNote[]): CanonicalMessage {
  const role = text(message['role']);
  const name = typeof message['name'] === 'string' ? { name: message['name'] } : {};
  if (role === 'tool' || role === 'function') {
    const callId = text(message['tool_call_id']) || text(message['name']);
    return {
      role: 'tool',
      content: [{ type: 'tool_result', callId, content: decodeContent(message['content'], notes) }],
    };
  }
  const content: CanonicalPart[] = [];
  const reasoning = text(message['reasoning_content']) || text(message['reasoning']);
  if (reasoning !== '') content.push({ type: 'reasoning', text: reasoning });
  content.push(...decodeContent(message['content'], notes));
  if (text(message['refusal']) !== '') content.push({ type: 'refusal', text: text(message['refusal']) });
  if (Array.isArray(message['tool_calls'])) {
    for (const call of (message['tool_calls'] as unknown[]).filter(isObject)) content.push(decodeCall(call));
  }
  const known = role === 'system' || role === 'developer' || role === 'assistant' ? role : 'user';
  return { role: known, ...name, content };
}

function decodeCall(call: Json): CanonicalPart {
  const described = isObject(call['function']) ? call['function'] : {};
  // A call without arguments is written as an empty object: an empty text is not JSON.
  const given = text(described['arguments']) || '{}';
  return { type: 'tool_call', id: text(call['id']), name: text(described['name']), arguments: given };
}

function decodeTools(tools: readonly unknown[], notes: ConversionNote[]): CanonicalTool[] {
  return tools.filter(isObject).flatMap((tool) => {
    const described = tool['function'];
    if (tool['type'] !== 'function' || !isObject(described)) {
      notes.push({
        field: `tools.${text(tool['type'])}`,
        what: 'dropped',
        detail: 'a tool of the provider’s own',
      });
      return [];
    }
    return [
      {
        name: text(described['name']),
        ...(typeof described['description'] === 'string' ? { description: described['description'] } : {}),
        parameters: described['parameters'] ?? { type: 'object', properties: {} },
        ...(typeof described['strict'] === 'boolean' ? { strict: described['strict'] } : {}),
      },
    ];
  });
}

function decodeToolChoice(choice: unknown, notes: ConversionNote[]): CanonicalToolChoice | undefined {
  if (choice === 'auto' || choice === 'none' || choice === 'required') return choice;
  if (!isObject(choice)) return undefined;
  if (isObject(choice['function'])) return { name: text(choice['function']['name']) };
  notes.push({ field: 'tool_choice', what: 'approximated', detail: 'a list of allowed tools became auto' });
  return 'auto';
}

function decodeResponseFormat(format: unknown): CanonicalRequest['responseFormat'] {
  if (!isObject(format)) return undefined;
  if (format['type'] === 'json_object' || format['type'] === 'text') return { type: format['type'] };
  const schema = format['json_schema'];
  if (format['type'] !== 'json_schema' || !isObject(schema)) return undefined;
  return {
    type: 'json_schema',
    name: text(schema['name']),
    schema: schema['schema'],
    ...(typeof schema['strict'] === 'boolean' ? { strict: schema['strict'] } : {}),
  };
}

export function encodeRequest(request: CanonicalRequest, notes: ConversionNote[]): Json {
  return withoutUndefined({
    model: request.model,
    messages: request.messages.flatMap((message) => encodeMessage(message, notes)),
    stream: request.stream ? true : undefined,
    max_completion_tokens: request.maxOutputTokens,
    temperature: request.temperature,
    top_p: request.topP,
    top_k: request.topK,
    stop: request.stop,
    seed: request.seed,
    n: request.choices,
    presence_penalty: request.presencePenalty,
    frequency_penalty: request.frequencyPenalty,
    tools: request.tools?.map(({ name, description, parameters, strict }) => ({
      type: 'function',
      function: withoutUndefined({ name, description, parameters, strict }),
    })),
    tool_choice:
      typeof request.toolChoice === 'object'
        ? { type: 'function', function: { name: request.toolChoice.name } }
        : request.toolChoice,
    parallel_tool_calls: request.parallelToolCalls,
    response_format: encodeResponseFormat(request.responseFormat),
    reasoning_effort: request.reasoning?.effort,
    user: request.user,
    ...request.extra,
  });
}

function encodeResponseFormat(format: CanonicalRequest['responseFormat']): Json | undefined {
  if (format?.type !== 'json_schema') return format;
  const { name, schema, strict } = format;
  return { type: 'json_schema', json_schema: withoutUndefined({ name, schema, strict }) };
}

function encodeMessage(message: CanonicalMessage, notes: ConversionNote[]): Json[] {
  const results = message.content.filter((part) => part.type === 'tool_result');
  const rest = message.content.filter((part) => part.type !== 'tool_result');
  // Each result is a message of its own here, before whatever else the turn says.
  const encoded: Json[] = results.map((part) => ({
    role: 'tool',
    tool_call_id: part.callId,
    content: encodeContent(part.content, notes) ?? '',
  }));
  if (rest.length === 0 && results.length > 0) return encoded;
  const calls = rest.filter((part) => part.type === 'tool_call');
  const reasoning = rest
    .filter((part) => part.type === 'reasoning')
    .map((part) => part.text)
    .join('');
  const shown = rest.filter((part) => part.type !== 'tool_call' && part.type !== 'reasoning');
  encoded.push(
    withoutUndefined({
      role: message.role,
      name: message.name,
      content: encodeContent(shown, notes),
      reasoning_content: reasoning === '' ? undefined : reasoning,
      tool_calls:
        calls.length === 0
          ? undefined
          : calls.map((part) => ({
              id: part.id,
              type: 'function',
              function: { name: part.name, arguments: part.arguments },
            })),
    }),
  );
  return encoded;
}

function withoutUndefined<T extends object>(object: T): T {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as T;
}
