// Shared by codecs of single upstreams: text of parts, a conversation as one question, usage, and notes for lost fields.
import type {
  CanonicalEvent,
  CanonicalMessage,
  CanonicalPart,
  CanonicalRequest,
  CanonicalUsage,
  ConversionNote,
  FinishReason,
  FunctionTool,
  UsageClass,
} from './canonical.ts';
import type { CanonicalError, StreamDecoder } from './codec.ts';
import { approximate, drop } from './extras.ts';
import { count, isObject, lookup, member, parseFrame, type Json } from './json.ts';
import { openAiChat } from './openai-chat/index.ts';
import { allowedTools } from './tool-names.ts';

const CLASSES: readonly UsageClass[] = [
  'input',
  'cacheRead',
  'cacheWrite5m',
  'cacheWrite1h',
  'imageInput',
  'audioInput',
  'output',
  'reasoning',
  'audioOutput',
];

/** Counts of disjoint classes; missing ones were not reported. */
export function usageOf(counts: Partial<Record<UsageClass, number>>, raw: unknown): CanonicalUsage {
  const known = Object.fromEntries(CLASSES.map((name) => [name, counts[name] ?? 0])) as Record<
    UsageClass,
    number
  >;
  return { ...known, absent: CLASSES.filter((name) => counts[name] === undefined), raw };
}

/** Tokens under the upstream's names; none without a usage object. What only the total has is output, such as reasoning. */
export function usageEvents(
  usage: unknown,
  names: Readonly<Record<'input' | 'output' | 'total', string>>,
): CanonicalEvent[] {
  if (!isObject(usage)) return [];
  const input = count(usage[names.input]) ?? 0;
  const output = Math.max(count(usage[names.output]) ?? 0, (count(usage[names.total]) ?? 0) - input);
  return [{ type: 'usage', usage: usageOf({ input, output }, usage) }];
}

/** The names that OpenAI and many others use. */
export const TOKEN_NAMES = { input: 'prompt_tokens', output: 'completion_tokens', total: 'total_tokens' };

/** Chat for an upstream that knows functions only: custom tools and allowed tools are converted as for a foreign caller. */
export function functionChat(request: CanonicalRequest, notes: ConversionNote[]): Json {
  return member(openAiChat.encodeRequest({ ...request, format: 'openai-responses' }, notes));
}

/** Reasoning and text of the only choice; an empty one gives no event. */
export function contentEvents(content: { reasoning?: string; text?: string }): CanonicalEvent[] {
  const { reasoning = '', text = '' } = content;
  return [
    ...(reasoning === '' ? [] : [{ type: 'reasoning-delta', choice: 0, text: reasoning } as const]),
    ...(text === '' ? [] : [{ type: 'text-delta', choice: 0, text } as const]),
  ];
}

/** Each frame is a JSON object, and nothing is left open at the end of the stream. */
export function frameDecoder(eventsOf: (message: Json, event: string) => CanonicalEvent[]): StreamDecoder {
  return { push: (event, data) => eventsOf(member(parseFrame(data)), event), end: () => [] };
}

/** An error inside an answer. */
export interface Failure {
  code: string;
  message: string;
}

export const errorOf = (failure: Failure | undefined): CanonicalError | undefined =>
  failure && { ...failure, type: failure.code };

/** The instructions, and the conversation without them. */
export function splitInstructions(messages: readonly CanonicalMessage[]) {
  const { system = [], spoken = [] } = Object.groupBy(messages, ({ role }) =>
    role === 'system' || role === 'developer' ? 'system' : 'spoken',
  );
  return { system, spoken };
}

/** Functions only; other tools are noted. */
export function functionTools(request: CanonicalRequest, notes: ConversionNote[]): FunctionTool[] {
  return (allowedTools(request, notes) ?? []).flatMap((tool) => {
    if (tool.type === 'function') return [tool];
    drop(notes, 'tools', `${tool.name} is no function`);
    return [];
  });
}

/** The text of parts; other parts are noted. */
export function plainText(parts: readonly CanonicalPart[], notes: ConversionNote[]): string {
  const texts: string[] = [];
  for (const part of parts) {
    if (part.type === 'text' || part.type === 'refusal') texts.push(part.text);
    else if (part.type === 'tool_result') texts.push(plainText(part.content, notes));
    else if (part.type === 'tool_call') texts.push(`${part.name}(${part.arguments})`);
    else if (part.type !== 'reasoning') drop(notes, `content.${part.type}`, 'the upstream takes text only');
  }
  return texts.join('\n');
}

/** The conversation as one text, for upstreams that accept only a question. */
export function asQuestion(messages: readonly CanonicalMessage[], notes: ConversionNote[]): string {
  const [only] = messages;
  if (messages.length === 1 && only !== undefined) return plainText(only.content, notes);
  approximate(notes, 'messages', 'the conversation goes out as one text');
  return messages.map((message) => `${message.role}: ${plainText(message.content, notes)}`).join('\n\n');
}

export function reasonFrom(reasons: Readonly<Record<string, FinishReason>>, raw: string): FinishReason {
  return lookup(reasons, raw) ?? 'other';
}

/** Codes are numbers or words. */
export function wordOf(code: unknown): string {
  return typeof code === 'string' || typeof code === 'number' ? String(code) : '';
}
