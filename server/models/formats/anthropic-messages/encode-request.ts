// Canonical requests to requests of Anthropic's Messages API.
import type {
  CanonicalMessage,
  CanonicalPart,
  CanonicalRequest,
  ConversionNote,
} from '#server/models/formats/canonical.ts';
import { encodeCache } from '#server/models/formats/cache-control.ts';
import { approximate, carryExtra, drop } from '#server/models/formats/extras.ts';
import { withoutUndefined, type Json } from '#server/models/formats/json.ts';
import { withShownPictures } from '#server/models/formats/media.ts';
import { noteSummary, type CarriedParts } from '#server/models/formats/requested-part-features.ts';
import { describedSchema, noteLosses, type FeatureName } from '#server/models/formats/requested-features.ts';
import { encodeParts, type EncodeContext } from './encode-blocks.ts';
import { factsOf, type ModelFacts } from './models.ts';
import { encodeThinking } from './thinking.ts';
import { encodeToolChoice, encodeTools } from './tools.ts';

export function encodeRequest(request: CanonicalRequest, notes: ConversionNote[]): Json {
  const facts = factsOf(request.model);
  const context: EncodeContext = { notes, ownsFiles: request.format === 'anthropic-messages' };
  const { system, messages } = encodeConversation(request, facts, context);
  const { maxTokens, thinking, effort } = encodeThinking(request, messages, facts, notes);
  const isThinking = thinking !== undefined && thinking['type'] !== 'disabled';
  const tools = encodeTools(request, facts.hasSchemas, notes);
  const format = outputFormat(request, facts);
  noteLosses(request, CARRIED, request.format === 'anthropic-messages' ? ownParts : carriedParts, notes);
  if (request.format !== 'anthropic-messages') noteSummary(request, notes);
  const user = request.user ?? request.safetyIdentifier;
  return withoutUndefined({
    model: request.model,
    max_tokens: maxTokens,
    system,
    messages,
    stream: request.stream ? true : undefined,
    ...encodeSampling(request, facts, isThinking, notes),
    stop_sequences: encodeStops(request.stop, notes),
    tools,
    tool_choice: tools === undefined ? undefined : encodeToolChoice(request, isThinking, notes),
    thinking,
    output_config:
      effort === undefined && format === undefined ? undefined : withoutUndefined({ effort, format }),
    metadata: user === undefined ? undefined : { user_id: user },
    service_tier: encodeServiceTier(request, notes),
    ...encodeCache(request.cache),
    ...carryExtra(request, 'anthropic-messages', notes),
  });
}

const carriedParts: CarriedParts = {
  cache: 'all',
  citations: true,
  options: true,
  strictTools: true,
  filename: ({ type }) => type === 'file',
};
const ownParts: CarriedParts = { ...carriedParts, detail: true, filename: () => true };

const CARRIED: ReadonlySet<FeatureName> = new Set([
  'maxOutputTokens',
  'temperature',
  'topP',
  'topK',
  'stop',
  'tools',
  'toolChoice',
  'parallelToolCalls',
  'responseFormat',
  'reasoning',
  'user',
  'safetyIdentifier',
  'serviceTier',
  'cache',
]);

function encodeServiceTier(request: CanonicalRequest, notes: ConversionNote[]): string | undefined {
  const tier = request.serviceTier;
  if (request.format === 'anthropic-messages') return tier;
  if (tier === 'default' || tier === 'standard') return 'standard_only';
  if (tier !== undefined && tier !== 'auto') drop(notes, 'service_tier', `Anthropic has no tier ${tier}`);
  return undefined;
}

function encodeStops(stop: readonly string[] | undefined, notes: ConversionNote[]): string[] | undefined {
  const kept = stop?.filter((sequence) => sequence.trim() !== '');
  if (kept !== undefined && kept.length !== stop?.length)
    drop(notes, 'stop', 'Claude cannot stop at white space');
  return kept === undefined || kept.length === 0 ? undefined : kept;
}

function encodeSampling(
  request: CanonicalRequest,
  facts: ModelFacts,
  isThinking: boolean,
  notes: ConversionNote[],
): Json {
  let { temperature, topP, topK } = request;
  if (request.format === 'anthropic-messages') return { temperature, top_p: topP, top_k: topK };
  if (facts.refusesSampling || isThinking) {
    const why = facts.refusesSampling ? 'this model takes none' : 'a model that thinks takes none';
    if (temperature !== undefined && temperature !== 1) drop(notes, 'temperature', why);
    if (topP !== undefined && topP !== 1) drop(notes, 'top_p', why);
    if (topK !== undefined) drop(notes, 'top_k', why);
    return {};
  }
  if (temperature !== undefined && temperature > 1) {
    approximate(notes, 'temperature', 'Claude’s ends at 1');
    temperature = 1;
  }
  if (temperature !== undefined && topP !== undefined && facts.refusesBothSamplings) {
    if (topP !== 1) drop(notes, 'top_p', 'Claude takes it or a temperature, not both');
    topP = undefined;
  }
  return { temperature, top_p: topP, top_k: topK };
}

function outputFormat(request: CanonicalRequest, { hasSchemas }: ModelFacts): Json | undefined {
  const format = request.responseFormat;
  if (format?.type !== 'json_schema' || !hasSchemas) return undefined;
  return { type: 'json_schema', schema: describedSchema(format) };
}

/** The instruction for models without schema support. */
function formatInstruction(
  request: CanonicalRequest,
  facts: ModelFacts,
  notes: ConversionNote[],
): string | undefined {
  const format = request.responseFormat;
  if (format === undefined || format.type === 'text') return undefined;
  if (format.type === 'json_object') {
    approximate(notes, 'response_format', 'JSON is asked for in words');
    return 'Answer with one JSON object and nothing else.';
  }
  if (facts.hasSchemas) return undefined;
  approximate(notes, 'response_format', 'the schema is asked for in words');
  return `Answer with JSON that follows this schema and nothing else: ${JSON.stringify(describedSchema(format))}`;
}

interface Conversation {
  system: string | Json[] | undefined;
  messages: Json[];
}

function encodeConversation(
  request: CanonicalRequest,
  facts: ModelFacts,
  context: EncodeContext,
): Conversation {
  const { notes } = context;
  const system: CanonicalPart[] = [];
  const turns: { role: 'user' | 'assistant'; parts: CanonicalPart[] }[] = [];
  for (const message of withShownPictures(request.messages, notes)) {
    if (message.role === 'system' || message.role === 'developer') {
      if (turns.length > 0)
        approximate(notes, 'messages.system', 'instructions amid the conversation moved to its head');
      system.push(...message.content);
      continue;
    }
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const last = turns.at(-1);
    // Claude requires alternating roles; messages of the same role become one turn.
    if (last?.role === role) last.parts.push(...message.content);
    else turns.push({ role, parts: [...message.content] });
  }
  if (turns.length === 0) turns.push({ role: 'user', parts: system.splice(0) });
  if (turns[0]?.role === 'assistant') {
    approximate(notes, 'messages', 'a conversation must begin with the user');
    turns.unshift({ role: 'user', parts: [{ type: 'text', text: 'Continue.' }] });
  }
  const instruction = formatInstruction(request, facts, notes);
  if (instruction !== undefined) system.push({ type: 'text', text: instruction });
  const messages: { role: string; content: string | Json[] }[] = [];
  for (const [index, { role, parts }] of turns.entries()) {
    const content = encodeTurn(role, parts, index === turns.length - 1, context);
    const last = messages.at(-1);
    if (content === undefined) continue;
    // The turn between them had nothing that Claude takes.
    if (last?.role === role) last.content = [...blocksIn(last.content), ...blocksIn(content)];
    else messages.push({ role, content });
  }
  return { system: encodeSystem(system, context), messages };
}

const blocksIn = (content: string | Json[]): Json[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : content;

function encodeTurn(
  role: CanonicalMessage['role'],
  parts: readonly CanonicalPart[],
  isLast: boolean,
  context: EncodeContext,
): string | Json[] | undefined {
  // Results must come first in a turn.
  const ordered = [
    ...parts.filter((part) => part.type === 'tool_result'),
    ...parts.filter((part) => part.type !== 'tool_result'),
  ];
  const blocks = encodeParts(ordered, context);
  const last = blocks.at(-1);
  if (role === 'assistant' && isLast && last?.['type'] === 'text') {
    // A prefilled answer must not end in white space.
    last['text'] = String(last['text']).trimEnd();
    if (last['text'] === '') blocks.pop();
  }
  const [only] = blocks;
  if (only === undefined) return undefined;
  return blocks.length === 1 && isPlain(only) ? String(only['text']) : blocks;
}

const isPlain = (block: Json): boolean => block['type'] === 'text' && Object.keys(block).length === 2;

function encodeSystem(parts: readonly CanonicalPart[], context: EncodeContext): string | Json[] | undefined {
  const texts = parts.filter((part) => part.type === 'text');
  if (texts.length !== parts.length) drop(context.notes, 'system', 'instructions are text');
  const blocks = encodeParts(texts, context);
  const [only] = blocks;
  if (only === undefined) return undefined;
  return blocks.length === 1 && isPlain(only) ? String(only['text']) : blocks;
}
