// /v1/messages as JSON, and /v1/messages/count_tokens.
import type { Answer, Exchange, Route } from '#mock/upstream/dialect.ts';
import {
  type Composition,
  type FunctionTool,
  type PromptSize,
  type Wish,
  compose,
} from '#mock/upstream/openai/compose.ts';
import { uniqueId } from '#mock/upstream/openai/identity.ts';
import { countText, isObject, textOf } from '#mock/upstream/openai/prompt.ts';
import { requestFault } from './check.ts';
import { badRequest, refusal } from './errors.ts';
import { type MessageAnswer, thinkingBlock, toolUseOf } from './message-answer.ts';
import { messageEvents } from './messages-stream.ts';

type Json = Record<string, unknown>;

export const messagesRoute: Route = { lastUserText, answer: answerMessages };
export const countTokensRoute: Route = { lastUserText, answer: countTokens };

function answerMessages(exchange: Exchange): Answer {
  const { body, record, model, request, behaviour } = exchange;
  if (request.headers.get('anthropic-version') === null)
    return badRequest('anthropic-version: header is required');
  if (model === '') return badRequest('model: Field required');
  if (model.startsWith('missing-')) return refusal(exchange, 404);
  const fault = requestFault(body, true);
  if (fault !== undefined) return badRequest(fault);
  const composition = compose(wishOf(exchange));
  record.usage = composition.usage;
  const stopped = stopReasonOf(composition.finishReason, body);
  const answer: MessageAnswer = {
    composition,
    head: { id: uniqueId('msg_'), type: 'message', role: 'assistant', model: model.split('@')[0] },
    ...stopped,
    inputUsage: inputUsage(composition),
  };
  if (record.stream) return { kind: 'events', events: messageEvents(exchange, answer) };
  record.usageReports = behaviour.usageReport === 'missing' ? 0 : 1;
  const message = {
    ...answer.head,
    content: contentBlocks(exchange, composition),
    stop_reason: answer.stopReason,
    stop_sequence: answer.stopSequence,
    ...(record.usageReports === 0
      ? {}
      : { usage: { ...answer.inputUsage, output_tokens: composition.usage.outputTokens } }),
  };
  return { kind: 'json', body: JSON.stringify(message) };
}

function countTokens(exchange: Exchange): Answer {
  const fault = requestFault(exchange.body, false);
  if (fault !== undefined) return badRequest(fault);
  const { textTokens, imageTokens } = sizeOf(exchange.body);
  return { kind: 'json', body: JSON.stringify({ input_tokens: textTokens + imageTokens }) };
}

/** Disjoint classes: tokens read from or written to the cache are not input. */
export function inputUsage({ usage }: Composition): Json {
  const hour = usage.cacheWriteHourInputTokens;
  return {
    input_tokens: usage.inputTokens - usage.cachedInputTokens - usage.cacheWriteInputTokens,
    cache_creation_input_tokens: usage.cacheWriteInputTokens,
    cache_read_input_tokens: usage.cachedInputTokens,
    cache_creation: {
      ephemeral_5m_input_tokens: usage.cacheWriteInputTokens - hour,
      ephemeral_1h_input_tokens: hour,
    },
    service_tier: 'standard',
  };
}

const STOP_REASONS: Readonly<Record<string, string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'refusal',
};

function stopReasonOf(finish: string, body: Json): Pick<MessageAnswer, 'stopReason' | 'stopSequence'> {
  const [sequence] = Array.isArray(body['stop_sequences']) ? (body['stop_sequences'] as unknown[]) : [];
  // A behaviour may request it: the first sequence of the request is the one that was hit.
  if (finish === 'stop_sequence') return { stopReason: finish, stopSequence: textOf(sequence) };
  return { stopReason: STOP_REASONS[finish] ?? finish, stopSequence: null };
}

function contentBlocks(exchange: Exchange, { pieces, reasoning, toolCalls }: Composition): Json[] {
  const blocks: Json[] = [];
  if (reasoning.length > 0) blocks.push(thinkingBlock(exchange, reasoning.join('')));
  if (pieces.length > 0) blocks.push({ type: 'text', text: pieces.join(''), citations: null });
  for (const call of toolCalls) blocks.push(toolUseOf(call));
  return blocks;
}

function wishOf({ body, behaviour, model }: Exchange): Wish {
  const { tools, tool_choice: choice, output_config: config, output_format: format } = body;
  const wanted = isObject(config) && isObject(config['format']) ? config['format'] : format;
  const messages = body['messages'] as unknown[];
  const limit = body['max_tokens'];
  return {
    model,
    behaviour,
    prompt: sizeOf(body),
    maxOutputTokens: typeof limit === 'number' ? limit : undefined,
    choices: 1,
    tools: Array.isArray(tools) ? functionTools(tools as unknown[]) : [],
    toolsWanted: toolsWanted(choice),
    parallelTools: !(isObject(choice) && choice['disable_parallel_tool_use'] === true),
    afterToolResult: endsWithResult(messages),
    schema: isObject(wanted) ? wanted['schema'] : undefined,
    reasoningWanted: false,
  };
}

function functionTools(tools: readonly unknown[]): FunctionTool[] {
  return tools
    .filter(isObject)
    .filter((tool) => tool['input_schema'] !== undefined)
    .map((tool) => ({ name: String(tool['name']), parameters: tool['input_schema'] }));
}

function toolsWanted(choice: unknown): Wish['toolsWanted'] {
  if (!isObject(choice)) return 'auto';
  if (choice['type'] === 'tool') return { name: String(choice['name']) };
  return choice['type'] === 'any' ? 'required' : choice['type'] === 'none' ? 'none' : 'auto';
}

function endsWithResult(messages: readonly unknown[]): boolean {
  const last = messages.at(-1);
  const content = isObject(last) && Array.isArray(last['content']) ? (last['content'] as unknown[]) : [];
  return content.some((block) => isObject(block) && block['type'] === 'tool_result');
}

/** Four characters per token; an image has a fixed size. */
function sizeOf({ system, messages, tools }: Json): PromptSize {
  const size = { textTokens: 3, audioTokens: 0, imageTokens: 0 };
  const add = (content: unknown): void => {
    if (typeof content === 'string') size.textTokens += countText(content);
    else if (Array.isArray(content)) for (const item of content as unknown[]) add(item);
    else if (isObject(content)) {
      if (content['type'] === 'image') size.imageTokens += 85;
      else add(content['text'] ?? content['content'] ?? content['thinking'] ?? []);
    }
  };
  add(system);
  add(messages);
  if (tools !== undefined) size.textTokens += countText(JSON.stringify(tools));
  return size;
}

function lastUserText(body: Json): string {
  const messages = Array.isArray(body['messages']) ? (body['messages'] as unknown[]) : [];
  for (const message of messages.toReversed()) {
    if (!isObject(message) || message['role'] !== 'user') continue;
    const { content } = message;
    if (typeof content === 'string') return content;
    const texts = (Array.isArray(content) ? (content as unknown[]) : [])
      .filter(isObject)
      .filter(({ type }) => type === 'text')
      .map((block) => textOf(block['text']));
    // Messages of one role are one turn, and a directive may be in any part of it.
    const found = texts.find((text) => text.startsWith('{"mock":')) ?? texts[0];
    if (found !== undefined) return found;
    if (!endsWithResult([message])) return '';
  }
  return '';
}
