// The most that an honest upstream could report for a call: made of what was asked for, what the model can hold and say, and
// what was delivered. Every bound is generous: an honest upstream that is not believed loses money, and a dishonest one gains
// no more than the bound. Reading the request costs time, so it happens only for a report that plain text cannot explain.
import { isObject, list } from '#server/models/formats/json.ts';
import type { Channel } from '#server/relay/channel-choice/catalog.ts';
import { outputLimitOf } from '#server/relay/request/estimate.ts';
import type { PreparedCall } from '#server/relay/upstream-body/prepare.ts';
import type { ModelLimits } from '#server/money/prices/model-limits.ts';
import type { Fields } from '#server/relay/request/endpoints.ts';
import type { UsageBounds } from './believable-usage.ts';

/** The parts of a call that say what was asked for. */
export interface AskedCall {
  readonly prepared: Pick<
    PreparedCall,
    'endpoint' | 'estimate' | 'outputLimit' | 'requestLength' | 'fields' | 'model'
  >;
  readonly record?: { readonly upstreamModel: string };
  /** Known already: of a batch, whose requests are not kept. */
  readonly bounds?: UsageBounds;
  /** The channel of the last attempt. */
  readonly channel?: Pick<Channel, 'paramOverride' | 'provider'> | undefined;
  /** What is known of the model. */
  readonly limits?: ModelLimits | undefined;
  /** Of a stream: what the model can have produced in its time, beside what was delivered. */
  readonly hiddenTokens?: number | undefined;
}

const largestAnswerOf = ({ limits }: AskedCall): number | undefined =>
  limits?.isAnswerKnown === true ? limits.answerTokens : undefined;

/** No model holds more, nor do the turns of a tool that the upstream runs. */
const MOST_CONTEXT_TOKENS = 10_000_000;
/** No model says more in one answer. */
const MOST_ANSWER_TOKENS = 500_000;
/** The largest budget of any model whose upstream counts reasoning beside the limit. */
const MOST_REASONING_TOKENS = 131_072;
/** Templates and instructions that an upstream puts before a prompt. */
const HIDDEN_PROMPT_TOKENS = 100_000;
/** The local estimate knows no tokenizer, and takes samples of a long text. */
const ESTIMATE_FACTOR = 8;
/** A byte is at least one token; what JSON writes as one UTF-16 unit has up to three, and some tokenizers normalize to more. */
const TOKENS_PER_UNIT = 4;
/** Upstreams end an answer a few tokens late, and raise a very small limit. */
const overshoot = (limit: number): number => limit + Math.ceil(limit / 10) + 64;
/** A picture of the largest size and quality has about six thousand. */
const MOST_PICTURE_TOKENS = 32_768;
const MOST_SEARCHES = 200;
/** Of a caller who says how many. */
const MOST_ASKED_SEARCHES = 1000;

/** Of a request of which nothing is known. */
export const widestBounds: UsageBounds = {
  input: MOST_CONTEXT_TOKENS,
  output: overshoot(MOST_ANSWER_TOKENS),
  answer: overshoot(MOST_ANSWER_TOKENS),
  searches: MOST_SEARCHES,
};

/** What plain text can explain: nothing of the request is read. */
export function plainBounds(call: AskedCall): UsageBounds {
  if (call.bounds !== undefined) return call.bounds;
  const { estimate, requestLength } = call.prepared;
  const text = Math.max(estimate.promptTokens * ESTIMATE_FACTOR, requestLength * TOKENS_PER_UNIT);
  const input = Math.max(
    Math.min(MOST_CONTEXT_TOKENS, Math.ceil(text) + HIDDEN_PROMPT_TOKENS),
    call.limits?.contextTokens ?? 0,
  );
  const { output, answer } = answerBounds(call, input, call.prepared.outputLimit);
  return { input, output, answer, searches: 0 };
}

/** With all that the request asks for, and `deliveredTokens` as counted here. */
export function fullBounds(call: AskedCall, deliveredTokens: number): UsageBounds {
  const { prepared, channel } = call;
  const plain = plainBounds(call);
  if (call.bounds !== undefined) return { ...plain, ...withDelivered(plain, deliveredTokens) };
  const asked = { ...prepared.fields, ...channel?.paramOverride };
  const hasTools = channel?.provider.runsMore === true || asksForMore(asked) || isSearchModel(call);
  const input = hasTools || holdsMore(asked) ? Math.max(plain.input, MOST_CONTEXT_TOKENS) : plain.input;
  // The turns of a tool that the upstream runs are one answer together.
  const limit = channel?.provider.runsMore === true ? undefined : limitOf(call);
  const wide = hasTools ? { ...call, limits: undefined } : call;
  const { output, answer } = answerBounds(wide, input, limit);
  return {
    ...withDelivered({ output, answer }, deliveredTokens),
    input,
    searches: hasTools ? searchesOf(call, asked) * prepared.estimate.choices : 0,
  };
}

/** An upstream that ignores the limit is paid for what the caller got. */
function withDelivered(bounds: Pick<UsageBounds, 'output' | 'answer'>, deliveredTokens: number) {
  const delivered = deliveredTokens * ESTIMATE_FACTOR;
  return { output: Math.max(bounds.output, delivered), answer: Math.max(bounds.answer, delivered) };
}

function answerBounds(
  call: AskedCall,
  input: number,
  limit: number | undefined,
): Pick<UsageBounds, 'output' | 'answer'> {
  const { endpoint, estimate } = call.prepared;
  if (endpoint.format === 'openai-images') {
    const output = MOST_PICTURE_TOKENS * estimate.choices;
    return { output, answer: output };
  }
  // Embeddings, rankings, speech and transcripts: an upstream may count the prompt as an answer, and there is no other limit.
  if (endpoint.outputLimits.length === 0) return { output: input, answer: input };
  const largest = largestAnswerOf(call);
  // A limit that the upstream took is more than a list can know.
  const output = overshoot(limit ?? largest ?? MOST_ANSWER_TOKENS) * estimate.choices;
  const beside = call.limits?.besideTokens ?? 0;
  if (limit === undefined || call.limits?.limitsReasoning === true)
    return inTime(call, output, output + beside * estimate.choices);
  // DeepSeek, Qwen and Doubao count reasoning beside the limit.
  const reasoning = Math.max(largest ?? MOST_REASONING_TOKENS, beside);
  return inTime(call, output, output + reasoning * estimate.choices);
}

/** What a stream did not deliver it can only have produced in the time in which nothing was visible. */
function inTime({ hiddenTokens }: AskedCall, output: number, answer: number) {
  if (hiddenTokens === undefined) return { output, answer };
  return { output: Math.min(output, hiddenTokens), answer: Math.min(answer, hiddenTokens) };
}

/** The larger one of the caller's limit and the operator's, which replaces it; undefined without a limit. */
function limitOf({ prepared, channel }: AskedCall): number | undefined {
  const { outputLimit, endpoint } = prepared;
  const override = channel?.paramOverride;
  if (outputLimit === undefined || override === undefined) return outputLimit;
  const names = ['max_tokens', 'max_completion_tokens', 'max_output_tokens', 'maxOutputTokens'];
  const config = override['generationConfig'];
  const given = [override, ...(isObject(config) ? [config] : [])].flatMap((holder) =>
    names.map((name) => outputLimitIn(endpoint, holder, name)),
  );
  return Math.max(outputLimit, ...given);
}

function outputLimitIn(endpoint: AskedCall['prepared']['endpoint'], holder: Fields, name: string): number {
  try {
    return outputLimitOf({ ...endpoint, outputLimits: [name], limitsIn: undefined }, holder) ?? 0;
  } catch {
    return 0;
  }
}

/** Members that make the upstream search, read stored texts or run other tools. */
const MORE_MEMBERS = [
  'previous_response_id',
  'conversation',
  'cachedContent',
  'cached_content',
  'container',
  'mcp_servers',
  'web_search_options',
  'search_parameters',
  'enable_search',
  'plugins',
];

const isSet = (value: unknown): boolean => value !== undefined && value !== null && value !== false;

function asksForMore(asked: Fields): boolean {
  // As an object it is a prompt that the upstream stores; a text is the prompt itself.
  if (isObject(asked['prompt'])) return true;
  return MORE_MEMBERS.some((name) => isSet(asked[name])) || list(asked['tools']).some(isUpstreamTool);
}

/** The caller runs functions itself; every other tool is the upstream's. */
function isUpstreamTool(tool: unknown): boolean {
  if (!isObject(tool)) return false;
  const { type } = tool;
  if (type === 'function' || type === 'custom' || 'function' in tool || 'input_schema' in tool) return false;
  const names = Object.keys(tool);
  return names.some((name) => name !== 'functionDeclarations' && name !== 'function_declarations');
}

/** Models that search by themselves; their names say so. */
const SEARCH_MODEL = /search|sonar|online|research|compound|perplexity|pplx|ground|brows|web/i;

const isSearchModel = ({ prepared, record }: AskedCall): boolean =>
  SEARCH_MODEL.test(prepared.model) || SEARCH_MODEL.test(record?.upstreamModel ?? '');

const SEARCH_MEMBERS = ['web_search_options', 'search_parameters', 'enable_search', 'plugins'];

function searchesOf(call: AskedCall, asked: Fields): number {
  if (call.channel?.provider.runsMore === true || isSearchModel(call)) return MOST_SEARCHES;
  if (SEARCH_MEMBERS.some((name) => isSet(asked[name]))) return MOST_SEARCHES;
  let most = 0;
  for (const tool of list(asked['tools'])) {
    if (!isUpstreamTool(tool) || !isObject(tool)) continue;
    if (!/search/i.test(`${String(tool['type'])} ${Object.keys(tool).join(' ')}`)) continue;
    const { max_uses: uses } = tool;
    most += Number.isSafeInteger(uses) && Number(uses) >= 0 ? Number(uses) : MOST_SEARCHES;
  }
  return Math.min(most, MOST_ASKED_SEARCHES);
}

/** Where a request has what a model reads. */
const CONTENT_MEMBERS = [
  'messages',
  'input',
  'contents',
  'content',
  'system',
  'prompt',
  'requests',
  'documents',
];
const MEDIA_TYPE = /image|audio|video|file|document/i;
const MEDIA_MEMBERS = [
  'image_url',
  'video_url',
  'input_audio',
  'file_id',
  'inlineData',
  'inline_data',
  'fileData',
  'file_data',
  'source',
  'image',
  'audio',
];
/** A request with more is believed to hold media: it is not read to its end. */
const MOST_NODES = 200_000;

/** Pictures, recordings and files have more tokens than their text tells. */
function holdsMore(asked: Fields): boolean {
  const open = CONTENT_MEMBERS.map((name) => asked[name]);
  let nodes = 0;
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value !== 'object' || value === null) continue;
    nodes += 1;
    if (nodes > MOST_NODES || isMedia(value)) return true;
    for (const item of Object.values(value)) if (typeof item === 'object') open.push(item);
  }
  return false;
}

function isMedia(value: object): boolean {
  if (!isObject(value)) return false;
  const { type } = value;
  if (typeof type === 'string' && MEDIA_TYPE.test(type)) return true;
  return MEDIA_MEMBERS.some((name) => isSet(value[name]));
}

/** Recordings: no codec needs fewer bytes for a second. */
const FEWEST_BYTES_PER_SECOND = 250;

/** The longest recording that the request can hold. The file's own word for its length is the caller's. */
export function mostSeconds({ prepared: { estimate, requestLength } }: AskedCall): number {
  const estimated = (estimate.promptTokens * ESTIMATE_FACTOR * 60) / 1000;
  return Math.ceil(Math.max(estimated, requestLength / FEWEST_BYTES_PER_SECOND)) + 60;
}

const DOCUMENTS_PER_UNIT = 100;
const TOKENS_PER_DOCUMENT = 500;

/** A unit of a ranking is a query with a hundred documents; a long document counts as several. */
export function mostUnits({ prepared: { fields, requestLength } }: AskedCall): number {
  const parts = list(fields['documents']).length + (requestLength * TOKENS_PER_UNIT) / TOKENS_PER_DOCUMENT;
  return 1 + Math.ceil(parts / DOCUMENTS_PER_UNIT);
}

/** No realtime model says more in one response. */
export const MOST_RESPONSE_TOKENS = 131_072;

/** Of one response of a realtime session: its input and what was delivered of it, both as counted here. */
export function sessionBounds(
  inputTokens: number,
  outputLimit: number | undefined,
  deliveredTokens: number,
  hiddenTokens = HIDDEN_PROMPT_TOKENS,
): UsageBounds {
  const input = Math.min(MOST_CONTEXT_TOKENS, Math.ceil(inputTokens * ESTIMATE_FACTOR) + hiddenTokens);
  const output = overshoot(Math.min(outputLimit ?? MOST_RESPONSE_TOKENS, MOST_RESPONSE_TOKENS));
  return { ...withDelivered({ output, answer: output }, deliveredTokens), input, searches: 0 };
}
