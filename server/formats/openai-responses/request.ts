// Requests of OpenAI's Responses API to canonical and back.
import type { CanonicalRequest, CanonicalResponseFormat, ConversionNote } from '#server/formats/canonical.ts';
import { effortOfBudget } from '#server/formats/effort.ts';
import { approximate, carryExtra, drop, dropUnsupported, shortUser } from '#server/formats/extras.ts';
import {
  FormatError,
  objectAt,
  optionalBoolean,
  optionalInteger,
  optionalObject,
  optionalText,
  optionalTexts,
  otherMembers,
  withoutUndefined,
  type Json,
} from '#server/formats/json.ts';
import { sharedFields } from '#server/formats/shared-fields.ts';
import { ToolNames } from '#server/formats/tool-names.ts';
import { encodeInput } from './encode-items.ts';
import { decodeInput, type DecodeContext } from './items.ts';
import { decodeToolChoice, decodeTools, encodeToolChoice, encodeTools } from './tools.ts';

const named = new Set([
  'model',
  'input',
  'instructions',
  'stream',
  'max_output_tokens',
  'temperature',
  'top_p',
  'top_logprobs',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'text',
  'reasoning',
  'user',
  'metadata',
  'service_tier',
  'store',
  'previous_response_id',
  'include',
  'truncation',
  'prompt_cache_key',
]);

const asksLogprobs = 'message.output_text.logprobs';
const asksThoughts = 'reasoning.encrypted_content';

export function decodeRequest(body: unknown, notes: ConversionNote[]): CanonicalRequest {
  const fields = objectAt(body, '');
  const context: DecodeContext = { names: new ToolNames(), notes };
  const tools = decodeTools(fields['tools'], context.names);
  const output = optionalObject(fields['text'], 'text') ?? {};
  const reasoning = optionalObject(fields['reasoning'], 'reasoning');
  const include = optionalTexts(fields['include'], 'include');
  const top = optionalInteger(fields['top_logprobs'], 'top_logprobs');
  const messages = decodeInput(fields['input'], context);
  const instructions = optionalText(fields['instructions'], 'instructions') ?? '';
  if (instructions !== '')
    messages.unshift({ role: 'system', content: [{ type: 'text', text: instructions }] });
  const hasLogprobs = include?.includes(asksLogprobs) === true || (top ?? 0) > 0;
  return withoutUndefined<CanonicalRequest>({
    format: 'openai-responses',
    ...sharedFields(fields),
    messages,
    maxOutputTokens: optionalInteger(fields['max_output_tokens'], 'max_output_tokens'),
    logprobs: hasLogprobs ? withoutUndefined({ top }) : undefined,
    tools,
    toolChoice: decodeToolChoice(fields['tool_choice'], context.names),
    parallelToolCalls: optionalBoolean(fields['parallel_tool_calls'], 'parallel_tool_calls'),
    responseFormat: decodeFormat(output['format']),
    reasoning:
      reasoning === undefined
        ? undefined
        : withoutUndefined({
            effort: optionalText(reasoning['effort'], 'reasoning.effort'),
            summary: optionalText(reasoning['summary'] ?? reasoning['generate_summary'], 'reasoning.summary'),
          }),
    verbosity: optionalText(output['verbosity'], 'text.verbosity'),
    user: optionalText(fields['user'], 'user'),
    metadata: optionalObject(fields['metadata'], 'metadata'),
    store: optionalBoolean(fields['store'], 'store'),
    previousResponseId: optionalText(fields['previous_response_id'], 'previous_response_id'),
    include,
    truncation: optionalText(fields['truncation'], 'truncation'),
    promptCacheKey: optionalText(fields['prompt_cache_key'], 'prompt_cache_key'),
    extra: otherMembers(fields, named),
  });
}

function decodeFormat(given: unknown): CanonicalResponseFormat | undefined {
  const format = optionalObject(given, 'text.format');
  if (format === undefined) return undefined;
  const { type } = format;
  if (type === 'text') return { type };
  if (type === 'json_object') return { type };
  if (type !== 'json_schema')
    throw new FormatError('text.format.type', 'one of text, json_object, json_schema');
  return withoutUndefined<CanonicalResponseFormat>({
    type,
    name: optionalText(format['name'], 'text.format.name'),
    description: optionalText(format['description'], 'text.format.description'),
    schema: format['schema'],
    strict: optionalBoolean(format['strict'], 'text.format.strict'),
  });
}

/** Reasoning models; all others refuse the field. */
const thinks = /(^|\/)(o\d|gpt-5|gpt-oss|codex|computer-use)/;
const leastOutputTokens = 16;

export function encodeRequest(request: CanonicalRequest, notes: ConversionNote[]): Json {
  const isOwn = request.format === 'openai-responses';
  const store = request.store ?? (isOwn ? undefined : false);
  const { instructions, input } = encodeInput(request, store !== false, notes);
  const tools = encodeTools(request, notes);
  noteLosses(request, notes);
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
    metadata: request.metadata,
    service_tier: encodeServiceTier(request),
    store,
    previous_response_id: request.previousResponseId,
    include: encodeInclude(request, isOwn),
    truncation: request.truncation,
    prompt_cache_key: request.promptCacheKey,
    ...carryExtra(request, 'openai-responses', notes),
  });
}

function noteLosses(request: CanonicalRequest, notes: ConversionNote[]): void {
  dropUnsupported(request, ['stop', 'seed', 'topK', 'audio'], notes);
  if (request.cache !== undefined) drop(notes, 'cache_control', 'OpenAI decides by itself what it keeps');
  if ((request.choices ?? 1) > 1) drop(notes, 'n', 'there is one answer');
  if ((request.presencePenalty ?? 0) !== 0) drop(notes, 'presence_penalty', 'there are no penalties');
  if ((request.frequencyPenalty ?? 0) !== 0) drop(notes, 'frequency_penalty', 'there are no penalties');
  if (request.modalities?.some((kind) => kind.toLowerCase() !== 'text') === true)
    drop(notes, 'modalities', 'answers are text');
}

function encodeLimit(limit: number | undefined, notes: ConversionNote[]): number | undefined {
  if (limit === undefined || limit >= leastOutputTokens) return limit;
  approximate(notes, 'max_output_tokens', `OpenAI takes no less than ${leastOutputTokens}`);
  return leastOutputTokens;
}

function encodeServiceTier(request: CanonicalRequest): string | undefined {
  const tier = request.serviceTier;
  if (request.format === 'openai-chat' || request.format === 'openai-responses') return tier;
  return tier === 'priority' || tier === 'flex' ? tier : undefined;
}

function encodeText({ responseFormat: format, verbosity }: CanonicalRequest): Json | undefined {
  if (format === undefined && verbosity === undefined) return undefined;
  const encoded = format?.type === 'json_schema' ? { ...format, name: format.name ?? 'answer' } : format;
  return withoutUndefined({ format: encoded, verbosity });
}

function encodeReasoning(request: CanonicalRequest, notes: ConversionNote[]): Json | undefined {
  const { reasoning } = request;
  if (reasoning === undefined) return undefined;
  if (request.format !== 'openai-responses' && !thinks.test(request.model)) {
    if (reasoning.effort !== 'none') drop(notes, 'reasoning', 'this model does not think');
    return undefined;
  }
  const { effort, summary, budgetTokens } = reasoning;
  if (effort !== undefined || budgetTokens === undefined) return withoutUndefined({ effort, summary });
  const byBudget = effortOfBudget(budgetTokens);
  approximate(notes, 'reasoning', `${budgetTokens} tokens of thought became the effort ${byBudget}`);
  return withoutUndefined({ effort: byBudget, summary });
}

/** For callers of other formats nothing is stored upstream, so the answer must include the encrypted reasoning. */
function encodeInclude(request: CanonicalRequest, isOwn: boolean): string[] | undefined {
  const include = [...(request.include ?? [])];
  if (!isOwn && thinks.test(request.model)) include.push(asksThoughts);
  if (request.logprobs !== undefined && !include.includes(asksLogprobs)) include.push(asksLogprobs);
  return include.length === 0 ? undefined : include;
}
