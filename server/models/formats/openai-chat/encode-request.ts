// Canonical requests to chat requests of OpenAI's format.
import type {
  CanonicalMessage,
  CanonicalPart,
  CanonicalRequest,
  ConversionNote,
  ReasoningPart,
  ToolCallPart,
} from '#server/models/formats/canonical.ts';
import { encodeCache } from '#server/models/formats/cache-control.ts';
import { approximate, carryExtra, drop, shortUser } from '#server/models/formats/extras.ts';
import { withForeignItems } from '#server/models/formats/foreign-items.ts';
import { withoutUndefined, type Json } from '#server/models/formats/json.ts';
import { isMedia, withShownPictures } from '#server/models/formats/media.ts';
import { noteSummary } from '#server/models/formats/requested-part-features.ts';
import { safeCallId, wrapCustom } from '#server/models/formats/tool-names.ts';
import { withoutEmptyTurns } from './empty-turns.ts';
import { noteChatLosses, storedLabels } from './carried.ts';
import { encodeEffort } from './reasoning.ts';
import { factsOf, type ModelFacts } from './models.ts';
import { encodeContent, type PartOptions } from './parts.ts';
import { encodeDetails } from './reasoning-details.ts';
import { encodeToolChoice, encodeTools } from './tools.ts';

interface Context extends PartOptions {
  /** The caller's format is chat: unknown fields pass unchanged. */
  isOwn: boolean;
  facts: ModelFacts;
}

export function encodeRequest(given: CanonicalRequest, notes: ConversionNote[]): Json {
  const isOwn = given.format === 'openai-chat';
  const request = isOwn ? given : withForeignItems(given, 'openai', notes);
  const facts = factsOf(request.model);
  const keepsCache = isOwn || facts.keepsPrompts;
  const context: Context = { isOwn, keepsCache, notes, facts };
  const labels = storedLabels(request, facts);
  if (!isOwn) {
    noteChatLosses(request, facts, labels !== undefined, notes);
    noteSummary(request, notes);
  }
  const tools = encodeTools(request, keepsCache, notes);
  const hasTools = isOwn || tools.tools !== undefined;
  const isOpenAi = isOwn || facts.isOpenAi;
  return withoutUndefined({
    model: request.model,
    messages: encodeMessages(isOwn ? request.messages : chatTurns(request, notes), context),
    stream: request.stream ? true : undefined,
    stream_options: request.stream && !isOwn ? { include_usage: true } : undefined,
    [limitName(request, context)]: encodeLimit(request, context),
    temperature: request.temperature,
    top_p: request.topP,
    top_k: encodeTopK(request, context),
    stop: isOwn ? request.stop : encodeStops(request.stop, notes),
    seed: request.seed,
    n: request.choices,
    presence_penalty: request.presencePenalty,
    frequency_penalty: request.frequencyPenalty,
    logprobs: request.logprobs === undefined ? undefined : true,
    top_logprobs: request.logprobs?.top,
    ...tools,
    tool_choice: hasTools ? encodeToolChoice(request, notes) : undefined,
    parallel_tool_calls: hasTools ? request.parallelToolCalls : undefined,
    response_format: encodeResponseFormat(request.responseFormat),
    reasoning_effort:
      isOwn && !('reasoning_effort' in request.source)
        ? undefined
        : encodeEffort(request, 'openai-chat', notes),
    verbosity: encodeVerbosity(request, context),
    user: isOwn ? request.user : shortUser(request.user, notes),
    safety_identifier: isOpenAi ? request.safetyIdentifier : undefined,
    metadata: isOwn ? request.metadata : labels,
    service_tier: isOpenAi ? encodeServiceTier(request) : undefined,
    store: isOwn ? request.store : labels && true,
    prompt_cache_key: isOpenAi ? request.promptCacheKey : undefined,
    modalities: request.modalities,
    // OpenAI refuses sound without a format, and streams only this one.
    audio: isOwn
      ? request.audio
      : request.audio && { format: request.stream ? 'pcm16' : 'wav', ...request.audio },
    ...carryExtra(request, 'openai-chat', notes, facts.isOpenAi),
  });
}

function encodeTopK({ topK }: CanonicalRequest, { isOwn, facts, notes }: Context): number | undefined {
  if (topK === undefined || isOwn || !facts.isOpenAi) return topK;
  drop(notes, 'top_k', 'OpenAI’s models take none');
  return undefined;
}

const MOST_STOPS = 4;

function encodeStops(stop: readonly string[] | undefined, notes: ConversionNote[]): string[] | undefined {
  if (stop === undefined || stop.length === 0) return undefined;
  if (stop.length > MOST_STOPS) drop(notes, 'stop', `a chat takes ${MOST_STOPS} stop sequences`);
  return stop.slice(0, MOST_STOPS);
}

function limitName(
  { source }: CanonicalRequest,
  { isOwn, facts }: Context,
): 'max_tokens' | 'max_completion_tokens' {
  if (isOwn) return 'max_completion_tokens' in source ? 'max_completion_tokens' : 'max_tokens';
  return facts.hasNewLimit ? 'max_completion_tokens' : 'max_tokens';
}

/** Callers of some formats must set a limit and set a large one; it is reduced to what the model accepts. */
function encodeLimit(
  { maxOutputTokens: limit }: CanonicalRequest,
  { isOwn, facts, notes }: Context,
): number | undefined {
  if (limit === undefined || isOwn || limit <= facts.mostTokens) return limit;
  approximate(notes, 'max_tokens', `this model’s answers end at ${facts.mostTokens}`);
  return facts.mostTokens;
}

/** Service tiers of other vendors are left to the upstream's default. */
export function encodeServiceTier(request: CanonicalRequest): string | undefined {
  const tier = request.serviceTier;
  if (request.format === 'openai-chat' || request.format === 'openai-responses') return tier;
  return tier === 'priority' || tier === 'flex' ? tier : undefined;
}

function encodeVerbosity(
  { verbosity }: CanonicalRequest,
  { isOwn, facts, notes }: Context,
): string | undefined {
  if (verbosity === undefined || isOwn || facts.hasNewLimit) return verbosity;
  drop(notes, 'verbosity', 'this model cannot be told how much to say');
  return undefined;
}

function encodeResponseFormat(format: CanonicalRequest['responseFormat']): Json | undefined {
  if (format?.type !== 'json_schema') return format;
  const { name = 'answer', description, schema, strict } = format;
  return { type: 'json_schema', json_schema: withoutUndefined({ name, description, schema, strict }) };
}

const chatTurns = ({ messages }: CanonicalRequest, notes: ConversionNote[]): CanonicalMessage[] =>
  withoutEmptyTurns(withShownPictures(messages, notes), notes);

function encodeMessages(messages: readonly CanonicalMessage[], context: Context): Json[] {
  const encoded: Json[] = [];
  // A tool message cannot contain images; they follow after all results of the turn.
  let shown: CanonicalPart[] = [];
  const flush = (): void => {
    if (shown.length === 0) return;
    encoded.push({ role: 'user', content: encodeContent(shown, context) });
    shown = [];
  };
  for (const message of messages) {
    const rest: CanonicalPart[] = [];
    for (const part of message.content) {
      if (part.type !== 'tool_result') {
        rest.push(part);
        continue;
      }
      const media: CanonicalPart[] = context.isOwn
        ? []
        : part.content.filter((inner) => inner.type !== 'text' && inner.type !== 'provider');
      if (media.length > 0)
        approximate(context.notes, 'tool_result.content', 'what is not text follows in a message of its own');
      shown.push(...media);
      if (part.isError === true)
        drop(context.notes, 'tool_result.is_error', 'chat results have no such mark');
      const texts = part.content.filter((inner) => !media.includes(inner));
      const content = context.isOwn ? texts : joined(texts, '\n\n', context);
      encoded.push({
        role: 'tool',
        tool_call_id: safeCallId(part.callId),
        content: encodeContent(content, context) ?? '',
        ...(context.keepsCache ? encodeCache(part.cache) : {}),
      });
    }
    if (rest.length === 0 && message.content.length > 0) continue;
    flush();
    encoded.push(encodeMessage(message, rest, context));
  }
  flush();
  return encoded;
}

function encodeMessage(message: CanonicalMessage, parts: readonly CanonicalPart[], context: Context): Json {
  const isAssistant = message.role === 'assistant';
  const calls = parts.filter((part) => part.type === 'tool_call');
  const thoughts = parts.filter((part) => part.type === 'reasoning');
  const pictures = isAssistant ? parts.filter(isMedia) : [];
  const shown = parts.filter(
    (part) => part.type !== 'tool_call' && part.type !== 'reasoning' && !(isAssistant && isMedia(part)),
  );
  const merged = context.isOwn ? shown : joined(shown, isAssistant ? '' : '\n\n', context);
  const content = encodeContent(merged, context);
  const signature = shown.find((part) => part.type === 'text')?.signature;
  return withoutUndefined({
    role: message.role === 'developer' && !context.isOwn ? 'system' : message.role,
    name: message.name,
    content: content ?? (isAssistant ? null : ''),
    ...encodeThoughts(thoughts, context),
    images: pictures.length > 0 && context.isOwn ? encodeContent(pictures, context) : undefined,
    ...googleContent(signature, context),
    tool_calls: calls.length === 0 ? undefined : calls.map((part) => encodeCall(part, context)),
  });
}

/** Text parts become one string: not every upstream accepts a list without images. */
function joined(
  parts: readonly CanonicalPart[],
  separator: string,
  { notes, keepsCache }: Context,
): CanonicalPart[] {
  if (parts.some((part) => part.type === 'provider'))
    drop(notes, 'content.provider', 'an item of another provider’s own');
  const shown = parts.filter((part) => part.type !== 'provider');
  const texts = shown.filter((part) => part.type === 'text');
  const isMarked = texts.some(({ cache }) => cache !== undefined);
  if (texts.length < 2 || texts.length < shown.length || (isMarked && keepsCache)) return shown;
  return [{ type: 'text', text: texts.map((part) => part.text).join(separator) }];
}

/** OpenAI's models refuse unknown members; signatures go only to models of their issuer. */
function encodeThoughts(thoughts: readonly ReasoningPart[], { isOwn, facts, notes }: Context): Json {
  if (thoughts.length === 0) return {};
  const reasoningText = isOwn || !facts.isOpenAi ? thoughts.map((part) => part.text).join('') : '';
  const details = thoughts
    .filter(({ origin }) => isOwn || (origin !== undefined && facts.acceptsSignaturesOf(origin)))
    .flatMap(encodeDetails);
  if (reasoningText === '' && details.length === 0)
    drop(notes, 'content.reasoning', 'this model takes no thoughts back');
  return {
    ...(reasoningText === '' ? {} : { reasoning_content: reasoningText }),
    ...(details.length === 0 ? {} : { reasoning_details: details }),
  };
}

function googleContent(signature: string | undefined, { isOwn, facts }: Context): Json {
  if (signature === undefined || !(isOwn || facts.acceptsSignaturesOf('google'))) return {};
  return { extra_content: { google: { thought_signature: signature } } };
}

function encodeCall(part: ToolCallPart, context: Context): Json {
  const { name } = part;
  const { isOwn } = context;
  if (part.isCustom === true && isOwn)
    return { id: part.id, type: 'custom', custom: { name, input: part.arguments } };
  const given = part.isCustom === true ? wrapCustom(part.arguments) : part.arguments;
  return {
    id: safeCallId(part.id),
    type: 'function',
    function: { name, arguments: given },
    ...googleContent(part.signature, context),
  };
}
