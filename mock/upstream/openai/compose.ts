// Composes the model's answer: text pieces (one token each), reasoning, tool calls, finish reason and usage. Chat, Responses,
// completions and realtime share it, so their figures agree.
import type { Behaviour, MockToolCall, MockUsage } from '#mock/upstream/behaviour.ts';

export interface PromptSize {
  textTokens: number;
  audioTokens: number;
  imageTokens: number;
}

export interface Composition {
  pieces: readonly string[];
  reasoning: readonly string[];
  toolCalls: readonly MockToolCall[];
  finishReason: string;
  usage: MockUsage;
  shape: Behaviour['usageShape'];
  /** The output as usage objects name it; in one shape without the reasoning, which only the total has. */
  reportedOutput: number;
}

export interface FunctionTool {
  name: string;
  parameters: unknown;
}

export interface Wish {
  model: string;
  prompt: PromptSize;
  behaviour: Behaviour;
  maxOutputTokens: number | undefined;
  choices: number;
  tools: readonly FunctionTool[];
  toolsWanted: 'auto' | 'none' | 'required' | { name: string };
  parallelTools: boolean;
  /** The last turn is a tool result, so the model answers with text. */
  afterToolResult: boolean;
  schema: unknown;
  reasoningWanted: boolean;
}

export const DEFAULT_PIECES: readonly string[] = [
  'Hello',
  '!',
  ' I',
  ' am',
  ' a',
  ' mock',
  ' model',
  ',',
  ' and',
  ' this',
  ' is',
  ' a',
  ' steady',
  ' answer',
  '.',
];

const HIDDEN_REASONING_TOKENS = 16;
const repeatedPieces = new Map<number, readonly string[]>();

export function compose(wish: Wish): Composition {
  const { behaviour } = wish;
  const reasoning = behaviour.reasoning === undefined ? [] : splitPieces(behaviour.reasoning);
  const toolCalls = chooseToolCalls(wish);
  let pieces = toolCalls.length > 0 && behaviour.text === undefined ? [] : choosePieces(wish);
  let finishReason = toolCalls.length > 0 ? 'tool_calls' : 'stop';
  const reasoningTokens =
    reasoning.length > 0 ? reasoning.length : wish.reasoningWanted ? HIDDEN_REASONING_TOKENS : 0;
  const { maxOutputTokens } = wish;
  if (maxOutputTokens !== undefined && pieces.length + reasoningTokens > maxOutputTokens) {
    pieces = pieces.slice(0, Math.max(0, maxOutputTokens - reasoningTokens));
    finishReason = 'length';
  }
  const toolTokens = toolCalls.reduce((sum, call) => sum + splitArguments(call.arguments).length + 1, 0);
  const { textTokens, audioTokens, imageTokens } = wish.prompt;
  const usage: MockUsage = {
    inputTokens: textTokens + audioTokens + imageTokens,
    cachedInputTokens: 0,
    cacheWriteInputTokens: 0,
    cacheWriteHourInputTokens: 0,
    audioInputTokens: audioTokens,
    imageInputTokens: imageTokens,
    outputTokens: (pieces.length + reasoningTokens + toolTokens) * wish.choices,
    reasoningTokens: reasoningTokens * wish.choices,
    audioOutputTokens: 0,
    ...(behaviour.fillsLimit === true ? wholeLimit(wish, pieces.length) : {}),
    ...behaviour.usage,
  };
  const shape = behaviour.usageShape;
  return {
    pieces,
    reasoning,
    toolCalls,
    finishReason: behaviour.finishReason ?? finishReason,
    usage,
    shape,
    reportedOutput: usage.outputTokens - (shape === 'reasoning-outside' ? usage.reasoningTokens : 0),
  };
}

const LARGEST_ANSWER = 100_000;

function wholeLimit(
  { maxOutputTokens = LARGEST_ANSWER, choices }: Wish,
  written: number,
): Partial<MockUsage> {
  const outputTokens = maxOutputTokens * choices;
  return { outputTokens, reasoningTokens: Math.max(0, outputTokens - written * choices) };
}

function choosePieces(wish: Wish): readonly string[] {
  const { behaviour } = wish;
  if (behaviour.text !== undefined) return splitPieces(behaviour.text);
  if (behaviour.outputTokens !== undefined) return repeated(behaviour.outputTokens);
  if (wish.schema !== undefined) return splitPieces(JSON.stringify(sampleOf(wish.schema)));
  return DEFAULT_PIECES;
}

function chooseToolCalls(wish: Wish): readonly MockToolCall[] {
  if (wish.behaviour.toolCalls) return wish.behaviour.toolCalls;
  const { tools, toolsWanted } = wish;
  if (tools.length === 0 || toolsWanted === 'none' || wish.behaviour.text !== undefined) return [];
  if (typeof toolsWanted === 'object')
    return tools.filter((tool) => tool.name === toolsWanted.name).map(callOf);
  if (wish.afterToolResult && toolsWanted !== 'required') return [];
  return tools.slice(0, wish.parallelTools ? 2 : 1).map(callOf);
}

function callOf(tool: FunctionTool): MockToolCall {
  return { name: tool.name, arguments: JSON.stringify(sampleOf(tool.parameters)) };
}

export function repeated(count: number): readonly string[] {
  let pieces = repeatedPieces.get(count);
  if (!pieces) {
    pieces = Array.from({ length: count }, (_, index) => DEFAULT_PIECES[index % DEFAULT_PIECES.length] ?? '');
    repeatedPieces.set(count, pieces);
  }
  return pieces;
}

export function* endlessPieces(): Generator<string> {
  for (;;) yield* DEFAULT_PIECES;
}

/** One piece per word with its leading space, so that joining restores the text. */
export function splitPieces(text: string): readonly string[] {
  return text.match(/\s*\S+|\s+$/gu) ?? [];
}

/** Fragments break inside strings and numbers, like real ones. */
export function splitArguments(json: string): readonly string[] {
  return json.match(/[\s\S]{1,5}/gu) ?? [];
}

/** The smallest value a JSON schema accepts, so that SDK helpers that parse the answer succeed. */
export function sampleOf(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null) return {};
  const {
    type,
    properties,
    enum: choices,
    items,
    anyOf,
  } = schema as {
    type?: string | string[];
    properties?: Record<string, unknown>;
    enum?: unknown[];
    items?: unknown;
    anyOf?: unknown[];
  };
  if (choices) return choices[0];
  if (anyOf) return sampleOf(anyOf[0]);
  switch (Array.isArray(type) ? type[0] : type) {
    case 'string':
      return 'sample';
    case 'integer':
      return 7;
    case 'number':
      return 1.5;
    case 'boolean':
      return true;
    case 'null':
      return null;
    case 'array':
      return [sampleOf(items)];
    default: {
      const entries = Object.entries(properties ?? {});
      return Object.fromEntries(entries.map(([name, value]) => [name, sampleOf(value)]));
    }
  }
}
