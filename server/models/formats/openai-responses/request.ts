// Requests of OpenAI's Responses API to canonical and back.
import type {
  CanonicalReasoning,
  CanonicalRequest,
  ConversionNote,
} from '#server/models/formats/canonical.ts';
import { approximate, carryExtra, shortUser } from '#server/models/formats/extras.ts';
import { Fields, sharedFields, withUnread } from '#server/models/formats/fields.ts';
import { withForeignItems } from '#server/models/formats/foreign-items.ts';
import { withoutUndefined, type Json } from '#server/models/formats/json.ts';
import { decodeFormat } from '#server/models/formats/openai-chat/decode-request.ts';
import { encodeServiceTier } from '#server/models/formats/openai-chat/encode-request.ts';
import { inlineOf } from '#server/models/formats/media.ts';
import type { CarriedParts } from '#server/models/formats/requested-part-features.ts';
import { encodeEffort } from '#server/models/formats/openai-chat/reasoning.ts';
import { openAiModel } from '#server/models/formats/openai-models.ts';
import { noteLosses, type FeatureName } from '#server/models/formats/requested-features.ts';
import { ToolNames } from '#server/models/formats/tool-names.ts';
import { encodeInput } from './encode-items.ts';
import { decodeInput, type DecodeContext } from './items.ts';
import { decodeToolChoice, decodeTools, encodeToolChoice, encodeTools } from './tools.ts';

const ASKS_LOGPROBS = 'message.output_text.logprobs';
const ASKS_THOUGHTS = 'reasoning.encrypted_content';

export function decodeRequest(body: unknown, notes: ConversionNote[]): CanonicalRequest {
  const fields = new Fields(body);
  const context: DecodeContext = { names: new ToolNames(), notes, tools: [], callIds: new Map() };
  const given = decodeTools(fields, context.names);
  const output = fields.optionalObject('text');
  const format = output?.optionalObject('format');
  const include = fields.optionalTexts('include');
  const top = fields.optionalInteger('top_logprobs');
  const messages = decodeInput(fields, context);
  const tools = context.tools.length === 0 ? given : [...(given ?? []), ...context.tools];
  const instructions = fields.optionalText('instructions') ?? '';
  if (instructions !== '')
    messages.unshift({ role: 'system', content: [{ type: 'text', text: instructions }] });
  const hasLogprobs = include?.includes(ASKS_LOGPROBS) === true || (top ?? 0) > 0;
  return withUnread(fields, {
    format: 'openai-responses',
    ...sharedFields(fields),
    messages,
    maxOutputTokens: fields.optionalInteger('max_output_tokens'),
    logprobs: hasLogprobs ? withoutUndefined({ top }) : undefined,
    tools,
    toolChoice: decodeToolChoice(fields, context.names),
    parallelToolCalls: fields.optionalBoolean('parallel_tool_calls'),
    responseFormat: format && decodeFormat(format, () => format),
    reasoning: decodeReasoning(fields.optionalObject('reasoning')),
    verbosity: output?.optionalText('verbosity'),
    user: fields.optionalText('user'),
    safetyIdentifier: fields.optionalText('safety_identifier'),
    metadata: fields.optionalObject('metadata')?.whole(),
    store: fields.optionalBoolean('store'),
    previousResponseId: fields.optionalText('previous_response_id'),
    include,
    truncation: fields.optionalText('truncation'),
    promptCacheKey: fields.optionalText('prompt_cache_key'),
    extra: fields.others(),
  });
}

function decodeReasoning(reasoning: Fields | undefined): CanonicalReasoning | undefined {
  if (reasoning === undefined) return undefined;
  const older = reasoning.optionalText('generate_summary');
  const summary = reasoning.optionalText('summary') ?? older;
  return withoutUndefined({ effort: reasoning.optionalText('effort'), summary });
}

/** Whether the model reasons unasked. */
const alwaysThinks = (model: string): boolean =>
  openAiModel(model).isReasoning || /(^|\/)gpt-oss/.test(model);
const LEAST_OUTPUT_TOKENS = 16;

const CARRIED: ReadonlySet<FeatureName> = new Set([
  'maxOutputTokens',
  'temperature',
  'topP',
  'logprobs',
  'tools',
  'toolChoice',
  'parallelToolCalls',
  'responseFormat',
  'reasoning',
  'verbosity',
  'user',
  'safetyIdentifier',
  'metadata',
  'serviceTier',
  'store',
  'previousResponseId',
  'include',
  'truncation',
  'promptCacheKey',
]);

const carriedParts: CarriedParts = {
  detail: true,
  strictTools: true,
  filename: (part) => part.type === 'file' && (part.text !== undefined || inlineOf(part) !== undefined),
};

export function encodeRequest(given: CanonicalRequest, notes: ConversionNote[]): Json {
  const request = withForeignItems(given, 'openai', notes);
  const isOwn = request.format === 'openai-responses';
  const store = request.store ?? (isOwn ? undefined : false);
  const { instructions, input } = encodeInput(request, store !== false, notes);
  const tools = encodeTools(request, notes);
  if (!isOwn) noteLosses(request, CARRIED, carriedParts, notes);
  return withoutUndefined({
    model: request.model,
    instructions,
    input,
    stream: request.stream ? true : undefined,
    max_output_tokens: encodeLimit(request.maxOutputTokens, notes),
    temperature: request.temperature,
    top_p: request.topP,
    top_logprobs: request.logprobs?.top,
    tools,
    tool_choice: tools === undefined && !isOwn ? undefined : encodeToolChoice(request, notes),
    parallel_tool_calls: tools === undefined && !isOwn ? undefined : request.parallelToolCalls,
    text: encodeText(request),
    reasoning: encodeReasoning(request, notes),
    user: isOwn ? request.user : shortUser(request.user, notes),
    safety_identifier: request.safetyIdentifier,
    metadata: request.metadata,
    service_tier: encodeServiceTier(request),
    store,
    previous_response_id: request.previousResponseId,
    include: encodeInclude(request, isOwn),
    truncation: request.truncation,
    prompt_cache_key: request.promptCacheKey,
    ...carryExtra(request, 'openai-responses', notes, true),
  });
}

function encodeLimit(limit: number | undefined, notes: ConversionNote[]): number | undefined {
  if (limit === undefined || limit >= LEAST_OUTPUT_TOKENS) return limit;
  approximate(notes, 'max_output_tokens', `OpenAI takes no less than ${LEAST_OUTPUT_TOKENS}`);
  return LEAST_OUTPUT_TOKENS;
}

function encodeText({ responseFormat: format, verbosity }: CanonicalRequest): Json | undefined {
  if (format === undefined && verbosity === undefined) return undefined;
  const encoded = format?.type === 'json_schema' ? { ...format, name: format.name ?? 'answer' } : format;
  return withoutUndefined({ format: encoded, verbosity });
}

function encodeReasoning(request: CanonicalRequest, notes: ConversionNote[]): Json | undefined {
  const { reasoning } = request;
  if (reasoning === undefined) return undefined;
  const isOwn = request.format === 'openai-responses';
  const effort = encodeEffort(request, 'openai-responses', notes);
  if (!isOwn && !openAiModel(request.model).canThink) return undefined;
  return withoutUndefined({ effort, summary: reasoning.summary });
}

/** For callers of other formats nothing is stored upstream, so the answer must include the encrypted reasoning. */
function encodeInclude(request: CanonicalRequest, isOwn: boolean): string[] | undefined {
  const include = [...(request.include ?? [])];
  const { effort } = request.reasoning ?? { effort: 'none' };
  const isAsked = effort !== 'none' && openAiModel(request.model).canThink;
  if (!isOwn && (isAsked || alwaysThinks(request.model))) include.push(ASKS_THOUGHTS);
  if (request.logprobs !== undefined && !include.includes(ASKS_LOGPROBS)) include.push(ASKS_LOGPROBS);
  return include.length === 0 ? undefined : include;
}
