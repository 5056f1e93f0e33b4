// /v1/chat/completions as JSON. Checks a request as strictly as OpenAI, so that a gateway that leaks a field of its own is
// refused.
import type { Answer, Exchange, Route } from '#mock/upstream/dialect.ts';
import { calledOf, type ChatAnswer, logprobsJson } from './chat-answer.ts';
import { chatEvents } from './chat-stream.ts';
import { type FunctionTool, type Wish, compose } from './compose.ts';
import { badRequest, refusal } from './errors.ts';
import { nowSeconds, publicModel, silence, uniqueId } from './identity.ts';
import { chatRefusal, isReasoningModel } from './model-refusals.ts';
import { isObject, lastRole, lastUserText, sizeOfMessages } from './prompt.ts';
import { chatUsage } from './usage.ts';

const knownFields = new Set(
  `messages model audio frequency_penalty function_call functions logit_bias logprobs max_completion_tokens max_tokens
  metadata modalities moderation n parallel_tool_calls prediction presence_penalty prompt_cache_key prompt_cache_options
  prompt_cache_retention reasoning_effort response_format safety_identifier seed service_tier stop store stream
  stream_options temperature tool_choice tools top_logprobs top_p user verbosity web_search_options`.split(
    /\s+/,
  ),
);

export const chatRoute: Route = {
  lastUserText: (body) => lastUserText(body['messages']),
  answer: answerChat,
};

function answerChat(exchange: Exchange): Answer {
  const { body, behaviour, record, model } = exchange;
  const fault = findFault(exchange);
  if (fault) return fault;
  const composition = compose(wishOf(exchange));
  record.usage = composition.usage;
  const options = body['stream_options'];
  const chat: ChatAnswer = {
    composition,
    choices: choicesOf(body),
    includeUsage: isObject(options) && options['include_usage'] === true,
    logprobs: body['logprobs'] === true,
    audio: Array.isArray(body['modalities']) && body['modalities'].includes('audio'),
  };
  if (chat.audio && record.usage.audioOutputTokens === 0) {
    record.usage = { ...record.usage, audioOutputTokens: composition.pieces.length * chat.choices };
    composition.usage = record.usage;
  }
  if (record.stream) return { kind: 'events', events: chatEvents(exchange, chat), done: '[DONE]' };
  const choices = Array.from({ length: chat.choices }, (_, index) => choiceJson(index, chat)).join(',');
  const usage = behaviour.usageReport === 'missing' ? '' : `,"usage":${chatUsage(composition)}`;
  if (usage !== '') record.usageReports = 1;
  return {
    kind: 'json',
    body:
      `{"id":"${uniqueId('chatcmpl-')}","object":"chat.completion","created":${nowSeconds()},` +
      `"model":${publicModel(model)},"choices":[${choices}]${usage},"service_tier":"default","system_fingerprint":"fp_mock0001"}`,
  };
}

function findFault(exchange: Exchange): Answer | undefined {
  const { body, model } = exchange;
  if (model === '') return badRequest('you must provide a model parameter');
  if (model.startsWith('missing-')) return refusal(exchange, 404);
  if (!Array.isArray(body['messages'])) {
    return badRequest("Missing required parameter: 'messages'.", 'messages', 'missing_required_parameter');
  }
  if (body['messages'].length === 0) {
    return badRequest(
      "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.",
      'messages',
      'empty_array',
    );
  }
  if (isObject(body['stream_options']) && body['stream'] !== true) {
    return badRequest(
      "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
      'stream_options',
    );
  }
  if (!isOpenAIModel(model)) return undefined;
  for (const field in body) {
    if (!knownFields.has(field)) return badRequest(`Unrecognized request argument supplied: ${field}`);
  }
  return chatRefusal(model, body);
}

/** Models of other vendors are served by upstreams with fields of their own. */
export function isOpenAIModel(model: string): boolean {
  return model.startsWith('gpt-') || model.startsWith('chatgpt-') || /^o\d/.test(model);
}

function choicesOf(body: Record<string, unknown>): number {
  return typeof body['n'] === 'number' && body['n'] > 0 ? body['n'] : 1;
}

function wishOf({ body, behaviour, model }: Exchange): Wish {
  const messages = body['messages'] as unknown[];
  const limit = body['max_completion_tokens'] ?? body['max_tokens'];
  const format = body['response_format'];
  return {
    model,
    behaviour,
    prompt: sizeOfMessages(messages),
    maxOutputTokens: typeof limit === 'number' ? limit : undefined,
    choices: choicesOf(body),
    tools: allowedOf(body['tool_choice'], Array.isArray(body['tools']) ? functionTools(body['tools']) : []),
    toolsWanted: toolsWanted(body['tool_choice']),
    parallelTools: body['parallel_tool_calls'] !== false,
    afterToolResult: lastRole(messages) === 'tool',
    schema: isObject(format) ? schemaOf(format) : undefined,
    reasoningWanted: isReasoningModel(model) && body['reasoning_effort'] !== 'none',
  };
}

function functionTools(tools: unknown[]): FunctionTool[] {
  const found: FunctionTool[] = [];
  for (const tool of tools) {
    if (!isObject(tool) || !isObject(tool['function'])) continue;
    found.push({ name: String(tool['function']['name']), parameters: tool['function']['parameters'] });
  }
  return found;
}

/** Of `allowed_tools`, which Responses has at the top and Chat one level deeper. */
function allowedIn(choice: unknown): Record<string, unknown> | undefined {
  if (!isObject(choice) || choice['type'] !== 'allowed_tools') return undefined;
  return isObject(choice['allowed_tools']) ? choice['allowed_tools'] : choice;
}

export function allowedOf(choice: unknown, tools: FunctionTool[]): FunctionTool[] {
  const allowed = allowedIn(choice);
  if (allowed === undefined) return tools;
  const names = JSON.stringify(allowed['tools']);
  return tools.filter(({ name }) => names.includes(JSON.stringify(name)));
}

export function toolsWanted(choice: unknown): Wish['toolsWanted'] {
  if (choice === 'none' || choice === 'required') return choice;
  if (allowedIn(choice)?.['mode'] === 'required') return 'required';
  if (!isObject(choice) || choice['type'] === 'allowed_tools') return 'auto';
  const named = isObject(choice['function']) ? choice['function'] : choice;
  return { name: String(named['name']) };
}

export function schemaOf(format: Record<string, unknown>): unknown {
  if (format['type'] === 'json_object') return { properties: { answer: { type: 'string' } } };
  if (format['type'] !== 'json_schema') return undefined;
  return isObject(format['json_schema']) ? format['json_schema']['schema'] : format['schema'];
}

function choiceJson(index: number, { composition, logprobs, audio }: ChatAnswer): string {
  const { pieces, reasoning, toolCalls, finishReason } = composition;
  const text = pieces.join('');
  const content = audio || (pieces.length === 0 && toolCalls.length > 0) ? 'null' : JSON.stringify(text);
  let extra = '';
  if (reasoning.length > 0) extra += `,"reasoning_content":${JSON.stringify(reasoning.join(''))}`;
  if (toolCalls.length > 0) {
    const calls = toolCalls.map((call) => ({ id: uniqueId('call_'), ...calledOf(call) }));
    extra += `,"tool_calls":${JSON.stringify(calls)}`;
  }
  if (audio) {
    const spoken = {
      id: uniqueId('audio_'),
      data: silence,
      expires_at: nowSeconds() + 3600,
      transcript: text,
    };
    extra += `,"audio":${JSON.stringify(spoken)}`;
  }
  const probabilities = logprobs ? logprobsJson(pieces) : 'null';
  return (
    `{"index":${index},"message":{"role":"assistant","content":${content}${extra},"refusal":null,"annotations":[]},` +
    `"logprobs":${probabilities},"finish_reason":"${finishReason}"}`
  );
}
