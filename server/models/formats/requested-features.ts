// Everything a canonical request may ask for. A codec names what it carries; every other wish is noted as lost, so a member
// that a codec does not know can never be lost in silence.
import type { CanonicalRequest, CanonicalResponseFormat, ConversionNote } from './canonical.ts';
import { carryExtra, drop } from './extras.ts';
import { isObject } from './json.ts';
import { notePartLosses, type CarriedParts } from './requested-part-features.ts';

export type FeatureName = Exclude<
  keyof CanonicalRequest,
  'format' | 'model' | 'messages' | 'stream' | 'extra' | 'unread' | 'source'
>;

interface Wish<Value> {
  /** The name in notes: the callers' own. */
  field: string;
  /** The value asks for nothing that an upstream without the member would not do. */
  isUsual?(value: Value, request: CanonicalRequest): boolean;
}

const PLAIN_INCLUDES = new Set(['reasoning.encrypted_content', 'message.output_text.logprobs']);
const USUAL_TIERS = new Set(['auto', 'default', 'standard', 'standard_only']);

const wishes: { readonly [Name in FeatureName]-?: Wish<NonNullable<CanonicalRequest[Name]>> } = {
  maxOutputTokens: { field: 'max_tokens' },
  temperature: { field: 'temperature' },
  topP: { field: 'top_p' },
  topK: { field: 'top_k' },
  stop: { field: 'stop', isUsual: (stop) => stop.length === 0 },
  seed: { field: 'seed' },
  choices: { field: 'n', isUsual: (choices) => choices <= 1 },
  presencePenalty: { field: 'presence_penalty', isUsual: (penalty) => penalty === 0 },
  frequencyPenalty: { field: 'frequency_penalty', isUsual: (penalty) => penalty === 0 },
  logprobs: { field: 'logprobs' },
  tools: { field: 'tools', isUsual: (tools) => tools.length === 0 },
  toolChoice: {
    field: 'tool_choice',
    isUsual: (choice, { tools = [] }) => choice === 'auto' || tools.length === 0,
  },
  parallelToolCalls: {
    field: 'parallel_tool_calls',
    isUsual: (isParallel, { tools = [] }) => isParallel || tools.length === 0,
  },
  responseFormat: { field: 'response_format', isUsual: ({ type }) => type === 'text' },
  reasoning: { field: 'reasoning', isUsual: ({ effort }) => effort === 'none' },
  verbosity: { field: 'verbosity' },
  user: { field: 'user' },
  safetyIdentifier: { field: 'safety_identifier' },
  metadata: { field: 'metadata', isUsual: (metadata) => Object.keys(metadata).length === 0 },
  serviceTier: { field: 'service_tier', isUsual: (tier) => USUAL_TIERS.has(tier) },
  // The relay itself keeps responses that an upstream does not.
  store: { field: 'store', isUsual: (store, { format }) => !store || format === 'openai-responses' },
  previousResponseId: { field: 'previous_response_id' },
  include: { field: 'include', isUsual: (include) => include.every((each) => PLAIN_INCLUDES.has(each)) },
  truncation: { field: 'truncation', isUsual: (truncation) => truncation !== 'auto' },
  promptCacheKey: { field: 'prompt_cache_key' },
  cache: { field: 'cache_control' },
  modalities: {
    field: 'modalities',
    isUsual: (modalities) => modalities.every((kind) => kind.toLowerCase() === 'text'),
  },
  audio: { field: 'audio' },
};

const names = Object.keys(wishes) as FeatureName[];

/** Notes every wish that is not carried, of the request and of the parts in it. */
export function noteLosses(
  request: CanonicalRequest,
  carried: ReadonlySet<FeatureName>,
  parts: CarriedParts,
  notes: ConversionNote[],
): void {
  notePartLosses(request, parts, notes);
  for (const name of names) {
    const value = request[name];
    if (value === undefined || carried.has(name)) continue;
    const wish = wishes[name] as Wish<unknown>;
    if (wish.isUsual?.(value, request) !== true)
      drop(notes, wish.field, 'the upstream’s format has no such field');
  }
}

/** The schema of an answer with its description, for formats that have no place beside it. */
export function describedSchema({
  schema,
  description,
}: Extract<CanonicalResponseFormat, { type: 'json_schema' }>): unknown {
  return description === undefined || !isObject(schema) ? schema : { description, ...schema };
}

/** For upstreams with a protocol of their own: wishes that are not carried, and members that only the caller's format has. */
export function noteDropped(
  request: CanonicalRequest,
  carried: readonly FeatureName[],
  notes: ConversionNote[],
  parts: CarriedParts = {},
): void {
  noteLosses(request, new Set(carried), parts, notes);
  carryExtra(request, undefined, notes);
}
