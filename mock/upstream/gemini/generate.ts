// generateContent and streamGenerateContent: one part per chunk, reasoning marked, usage in every chunk. With alt=sse the
// stream is server-sent events, else one JSON array.
import type { Answer, Exchange, Framing, Route, StreamEvent } from '#mock/upstream/dialect.ts';
import {
  type Composition,
  type FunctionTool,
  type PromptSize,
  type Wish,
  compose,
  endlessPieces,
} from '#mock/upstream/openai/compose.ts';
import { uniqueId } from '#mock/upstream/openai/identity.ts';
import { countText, isObject, textOf } from '#mock/upstream/openai/prompt.ts';
import { requestFault, thoughtSignature } from './check.ts';
import { badRequest, refusal } from './errors.ts';

type Json = Record<string, unknown>;

export const generateRoute: Route = { lastUserText, answer: answerGenerate };
export const countRoute: Route = { lastUserText, answer: countTokens };

function answerGenerate(exchange: Exchange): Answer {
  const { body, record, model, behaviour, url } = exchange;
  if (model.startsWith('missing-')) return refusal(exchange, 404);
  const fault = requestFault(body, model);
  if (fault !== undefined) return badRequest(fault);
  if (behaviour.blocksPrompt) return blocked(exchange);
  const composition = compose(wishOf(exchange));
  record.usage = composition.usage;
  if (record.stream) {
    const events = chunks(exchange, composition);
    if (new URL(url).searchParams.get('alt') === 'sse') return { kind: 'events', events };
    return { kind: 'events', events, framing: jsonArray };
  }
  record.usageReports = behaviour.usageReport === 'missing' ? 0 : 1;
  const parts: Json[] = [];
  for (const part of partsOf(exchange, composition)) merge(parts, part);
  const candidate = { content: { parts, role: 'model' }, finishReason: finishOf(composition), index: 0 };
  const usage = record.usageReports === 0 ? {} : { usageMetadata: usageOf(composition) };
  return {
    kind: 'json',
    body: JSON.stringify({ candidates: [candidate], ...usage, ...tailOf(model) }),
  };
}

const jsonArray: Framing = {
  contentType: 'application/json; charset=UTF-8',
  frame: ({ data }, index) => (index === 0 ? `[${data}` : `\n,\r\n${data}`),
  closing: '\n]\n',
};

function tailOf(model: string): Json {
  return { modelVersion: model.split('@')[0], responseId: uniqueId('resp') };
}

function* chunks(exchange: Exchange, composition: Composition): Generator<StreamEvent> {
  const { behaviour, model } = exchange;
  const reportsUsage = behaviour.usageReport !== 'missing';
  const tail = tailOf(model);
  let written = 0;
  const chunk = (part: Json | undefined, tokens: number, finish?: string): StreamEvent => {
    written += tokens;
    const content =
      part === undefined ? { parts: [{ text: '' }], role: 'model' } : { parts: [part], role: 'model' };
    const candidate = { content, ...(finish === undefined ? {} : { finishReason: finish }), index: 0 };
    const usage = reportsUsage
      ? { usageMetadata: usageOf(composition, finish === undefined ? written : undefined) }
      : {};
    return {
      data: JSON.stringify({ candidates: [candidate], ...usage, ...tail }),
      tokens,
      usage: reportsUsage,
    };
  };
  for (const part of partsOf(exchange, composition)) yield chunk(part, 1);
  if (behaviour.endless) for (const text of endlessPieces()) yield chunk({ text }, 1);
  const left = Math.max(0, composition.usage.outputTokens - written);
  const last = chunk(undefined, left, finishOf(composition));
  yield last;
  if (behaviour.usageReport === 'twice') yield last;
}

function* partsOf({ behaviour }: Exchange, { reasoning, pieces, toolCalls }: Composition): Generator<Json> {
  for (const text of reasoning) yield { text, thought: true };
  if (!behaviour.endless) for (const text of pieces) yield { text };
  for (const [index, call] of toolCalls.entries()) {
    const functionCall = { name: call.name, args: JSON.parse(call.arguments || '{}') as unknown };
    // Only the first of parallel calls is signed.
    yield {
      functionCall,
      ...(index === 0 ? { thoughtSignature: thoughtSignature(functionCall) } : {}),
    };
  }
}

/** A whole answer has one part for each kind of text. */
function merge(parts: Json[], part: Json): void {
  const last = parts.at(-1);
  if (last !== undefined && typeof last['text'] === 'string' && typeof part['text'] === 'string') {
    if (last['thought'] === part['thought']) {
      last['text'] += part['text'];
      return;
    }
  }
  parts.push({ ...part });
}

function blocked({ record, model }: Exchange): Answer {
  const promptTokenCount = 5;
  record.usage = { ...record.usage, inputTokens: promptTokenCount };
  const body = {
    promptFeedback: { blockReason: 'PROHIBITED_CONTENT' },
    usageMetadata: { promptTokenCount, totalTokenCount: promptTokenCount },
    ...tailOf(model),
  };
  const text = JSON.stringify(body);
  return record.stream
    ? { kind: 'events', events: [{ data: text, usage: true }] }
    : { kind: 'json', body: text };
}

/** Reasoning is counted beside the candidates; cached tokens are part of the prompt. */
function usageOf({ usage }: Composition, written?: number): Json {
  const output = Math.min(written ?? usage.outputTokens, usage.outputTokens);
  const thoughts = Math.min(usage.reasoningTokens, output);
  return {
    promptTokenCount: usage.inputTokens,
    candidatesTokenCount: output - thoughts,
    totalTokenCount: usage.inputTokens + output,
    ...(thoughts === 0 ? {} : { thoughtsTokenCount: thoughts }),
    ...(usage.cachedInputTokens === 0 ? {} : { cachedContentTokenCount: usage.cachedInputTokens }),
    promptTokensDetails: [
      { modality: 'TEXT', tokenCount: usage.inputTokens - usage.imageInputTokens - usage.audioInputTokens },
      ...(usage.imageInputTokens === 0 ? [] : [{ modality: 'IMAGE', tokenCount: usage.imageInputTokens }]),
      ...(usage.audioInputTokens === 0 ? [] : [{ modality: 'AUDIO', tokenCount: usage.audioInputTokens }]),
    ],
  };
}

const FINISH_REASONS: Readonly<Record<string, string>> = {
  stop: 'STOP',
  length: 'MAX_TOKENS',
  // Calls have no finish reason of their own.
  tool_calls: 'STOP',
  content_filter: 'SAFETY',
};

function finishOf({ finishReason }: Composition): string {
  return FINISH_REASONS[finishReason] ?? finishReason;
}

function wishOf({ body, behaviour, model }: Exchange): Wish {
  const config = isObject(body['generationConfig']) ? body['generationConfig'] : {};
  const choice = isObject(body['toolConfig']) ? body['toolConfig']['functionCallingConfig'] : undefined;
  const contents = body['contents'] as unknown[];
  const limit = config['maxOutputTokens'];
  const wantsJson = config['responseMimeType'] === 'application/json';
  const schema = config['responseSchema'] ?? config['responseJsonSchema'];
  const last = contents.at(-1);
  return {
    model,
    behaviour,
    prompt: sizeOf(body),
    maxOutputTokens: typeof limit === 'number' ? limit : undefined,
    choices: 1,
    tools: functionTools(body['tools']),
    toolsWanted: toolsWanted(choice),
    parallelTools: true,
    afterToolResult: isObject(last) && JSON.stringify(last['parts'] ?? []).includes('"functionResponse"'),
    schema: wantsJson ? lowered(schema ?? { properties: { answer: { type: 'string' } } }) : undefined,
    reasoningWanted: false,
  };
}

/** Types may be upper-case. */
function lowered(schema: unknown): unknown {
  return JSON.parse(JSON.stringify(schema), (name, value: unknown) =>
    name === 'type' && typeof value === 'string' ? value.toLowerCase() : value,
  );
}

function functionTools(tools: unknown): FunctionTool[] {
  const list = Array.isArray(tools) ? (tools as unknown[]).filter(isObject) : [];
  return list.flatMap((tool) => {
    const declared = tool['functionDeclarations'];
    return (Array.isArray(declared) ? (declared as unknown[]).filter(isObject) : []).map((each) => ({
      name: String(each['name']),
      parameters: lowered(each['parameters'] ?? each['parametersJsonSchema'] ?? {}),
    }));
  });
}

function toolsWanted(choice: unknown): Wish['toolsWanted'] {
  if (!isObject(choice)) return 'auto';
  const [only] = Array.isArray(choice['allowedFunctionNames'])
    ? (choice['allowedFunctionNames'] as unknown[])
    : [];
  if (choice['mode'] === 'ANY') return only === undefined ? 'required' : { name: textOf(only) };
  return choice['mode'] === 'NONE' ? 'none' : 'auto';
}

/** Four characters per token; images and audio have a fixed size. */
export function sizeOf(body: Json): PromptSize {
  const size = { textTokens: 3, audioTokens: 0, imageTokens: 0 };
  const add = (value: unknown): void => {
    if (typeof value === 'string') size.textTokens += countText(value);
    else if (Array.isArray(value)) for (const item of value as unknown[]) add(item);
    else if (isObject(value)) {
      const media = value['inlineData'] ?? value['fileData'];
      if (isObject(media)) {
        if (String(media['mimeType']).startsWith('audio/')) size.audioTokens += 10;
        else size.imageTokens += 85;
      } else add(value['text'] ?? value['parts'] ?? []);
    }
  };
  add(body['systemInstruction']);
  add(body['contents']);
  if (body['tools'] !== undefined) size.textTokens += countText(JSON.stringify(body['tools']));
  return size;
}

function countTokens(exchange: Exchange): Answer {
  const inner = exchange.body['generateContentRequest'];
  const body = isObject(inner) ? inner : exchange.body;
  if (!Array.isArray(body['contents'])) return badRequest('contents is not specified');
  const { textTokens, audioTokens, imageTokens } = sizeOf(body);
  return { kind: 'json', body: JSON.stringify({ totalTokens: textTokens + audioTokens + imageTokens }) };
}

export function lastUserText(body: Json): string {
  const contents = Array.isArray(body['contents']) ? (body['contents'] as unknown[]) : [];
  for (const content of contents.toReversed()) {
    if (!isObject(content) || content['role'] === 'model') continue;
    const texts = (Array.isArray(content['parts']) ? (content['parts'] as unknown[]) : [])
      .filter(isObject)
      .map((part) => textOf(part['text']))
      .filter((text) => text !== '');
    // Messages of one role are one turn, and a directive may be in any part of it.
    const found = texts.find((text) => text.startsWith('{"mock":')) ?? texts[0];
    if (found !== undefined) return found;
  }
  return '';
}
