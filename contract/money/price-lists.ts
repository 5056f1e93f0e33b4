// Price lists of others, read into one shape: LiteLLM's file of model prices, models.dev's file of providers, and the prices of
// another gateway of this family. The console reads uploads with this code, the server what it fetches.
import { gatewayPrice, ratioConfig } from './gateway-prices.ts';
import type { ListedPrice } from './listed-price.ts';
import { amount, exact, isObject, present, scaled, type Loose } from '#contract/listed-values.ts';
import type { ListShape } from './price-names.ts';

export interface PriceList {
  shape: ListShape;
  models: ListedPrice[];
}

const LONGEST_NAME = 255;
const MOST_TIERS = 10;

/** Undefined when the text is in none of the shapes, or not JSON. */
export function readPriceList(text: string): PriceList | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const [shape, entries] = shapeOf(value) ?? [];
  if (shape === undefined || entries === undefined) return undefined;
  // A list may name a model twice, by different sellers: the first one counts.
  const byName = new Map<string, ListedPrice>();
  for (const entry of entries) {
    const isPriced = [entry.input, entry.perCall, entry.perSecond].some((price) => price !== undefined);
    const isNamed = entry.model.length > 0 && entry.model.length <= LONGEST_NAME;
    if (isPriced && isNamed && !byName.has(entry.model)) byName.set(entry.model, present(entry));
  }
  return { shape, models: [...byName.values()] };
}

function shapeOf(value: unknown): [ListShape, ListedPrice[]] | undefined {
  if (!isObject(value)) return undefined;
  if (Array.isArray(value['data'])) return ['gateway', value['data'].filter(isObject).flatMap(gatewayPrice)];
  const inner = isObject(value['data']) ? value['data'] : value;
  if (isObject(inner['model_ratio']) || isObject(inner['ModelRatio'])) return ['gateway', ratioConfig(inner)];
  const members = Object.entries(value).filter((entry): entry is [string, Loose] => isObject(entry[1]));
  if (members.some(([, member]) => isObject(member['models']))) return ['models.dev', modelsDev(members)];
  const isLiteLlm = members.some(
    ([, member]) => 'litellm_provider' in member || 'input_cost_per_token' in member,
  );
  return isLiteLlm ? ['litellm', liteLlm(members)] : undefined;
}

/** The vendors themselves, by the names that LiteLLM and models.dev give them; others resell. */
const VENDORS = new Set([
  'openai',
  'text-completion-openai',
  'anthropic',
  'gemini',
  'google',
  'vertex_ai-language-models',
  'deepseek',
  'mistral',
  'xai',
  'cohere',
  'cohere_chat',
  'moonshot',
  'moonshotai',
  'dashscope',
  'alibaba',
  'zai',
  'zhipuai',
  'minimax',
  'volcengine',
  'perplexity',
  'groq',
  'llama',
  'amazon_nova',
]);

const MILLION = 1_000_000;

function liteLlm(members: readonly [string, Loose][]): ListedPrice[] {
  const entries = members
    .filter(([name]) => name !== 'sample_spec')
    .map(([name, fields]) => {
      const { litellm_provider: named } = fields;
      const provider = typeof named === 'string' ? named : '';
      // `gemini/gemini-2.5-pro` is the vendor's model under a name with its seller.
      const isOwn = VENDORS.has(provider) && name.startsWith(`${provider}/`);
      const model = isOwn ? name.slice(provider.length + 1) : name;
      return { model, rank: isOwn ? 1 : 0, price: liteLlmPrice(model, fields) };
    });
  return entries.toSorted((one, other) => one.rank - other.rank).map(({ price }) => price);
}

function liteLlmPrice(model: string, fields: Loose): ListedPrice {
  const perMillion = (name: string) => scaled(fields[name], MILLION);
  const search = isObject(fields['search_context_cost_per_query'])
    ? amount(fields['search_context_cost_per_query']['search_context_size_medium'])
    : undefined;
  const input = perMillion('input_cost_per_token');
  const output = perMillion('output_cost_per_token');
  const tiers = liteLlmTiers(fields);
  const classes = present({
    batch: classRatio(fields, 'batches'),
    flex: classRatio(fields, 'flex'),
    priority: classRatio(fields, 'priority'),
  });
  const isPicture = fields['mode'] === 'image_generation' && !input && !output;
  return present({
    model,
    input: isPicture ? undefined : input,
    output: isPicture ? undefined : output,
    cacheRead: perMillion('cache_read_input_token_cost'),
    cacheWrite5m: perMillion('cache_creation_input_token_cost'),
    cacheWrite1h: perMillion('cache_creation_input_token_cost_above_1hr'),
    image: perMillion('input_cost_per_image_token'),
    audioIn: perMillion('input_cost_per_audio_token'),
    audioOut: perMillion('output_cost_per_audio_token'),
    reasoning: perMillion('output_cost_per_reasoning_token'),
    perCall: isPicture
      ? (amount(fields['output_cost_per_image']) ?? amount(fields['input_cost_per_image']))
      : undefined,
    perSecond:
      fields['mode'] === 'video_generation' ? amount(fields['output_cost_per_video_per_second']) : undefined,
    search,
    tiers: tiers.length === 0 ? undefined : tiers,
    classes: Object.keys(classes).length === 0 ? undefined : classes,
  });
}

const TIER_FIELDS = {
  input_cost_per_token: 'input',
  output_cost_per_token: 'output',
  cache_read_input_token_cost: 'cacheRead',
  cache_creation_input_token_cost: 'cacheWrite',
} as const;

type Tier = NonNullable<ListedPrice['tiers']>[number];

function liteLlmTiers(fields: Loose): Tier[] {
  const tiers = new Map<number, Tier>();
  for (const [name, value] of Object.entries(fields)) {
    const found = /^(\w+?)_above_(\d+)k_tokens$/.exec(name);
    const member = TIER_FIELDS[(found?.[1] ?? '') as keyof typeof TIER_FIELDS] as keyof Tier | undefined;
    const price = scaled(value, MILLION);
    if (found === null || member === undefined || price === undefined) continue;
    const above = Number(found[2]) * 1000;
    tiers.set(above, { ...(tiers.get(above) ?? { above }), [member]: price });
  }
  return ascending([...tiers.values()]);
}

/** A class has one ratio here; one that differs between input and output is left to the operator. */
function classRatio(fields: Loose, name: string): number | undefined {
  const ratios = ['input_cost_per_token', 'output_cost_per_token'].map((field) => {
    const [usual, own] = [amount(fields[field]), amount(fields[`${field}_${name}`])];
    return usual === undefined || own === undefined || usual === 0 ? undefined : exact(own / usual);
  });
  const [input, output] = ratios;
  return input !== undefined && input === output ? input : undefined;
}

function modelsDev(providers: readonly [string, Loose][]): ListedPrice[] {
  const ranked = providers.flatMap(([id, provider]) => {
    const models = isObject(provider['models']) ? Object.entries(provider['models']) : [];
    const rank = VENDORS.has(id) ? 0 : 1;
    return models.flatMap(([model, fields]) =>
      isObject(fields) && isObject(fields['cost']) ? [{ rank, price: devPrice(model, fields['cost']) }] : [],
    );
  });
  return ranked.toSorted((one, other) => one.rank - other.rank).map(({ price }) => price);
}

function devPrice(model: string, cost: Loose): ListedPrice {
  const tiers = devTiers(cost);
  return present({
    model,
    input: amount(cost['input']),
    output: amount(cost['output']),
    cacheRead: amount(cost['cache_read']),
    cacheWrite5m: amount(cost['cache_write']),
    reasoning: amount(cost['reasoning']),
    audioIn: amount(cost['input_audio']),
    audioOut: amount(cost['output_audio']),
    tiers: tiers.length === 0 ? undefined : tiers,
  });
}

/** `tiers` by the size of the context, or the older member for prompts of more than 200,000 tokens. */
function devTiers(cost: Loose): Tier[] {
  const listed = Array.isArray(cost['tiers']) ? cost['tiers'].filter(isObject) : [];
  const named = listed.flatMap((each) => {
    const tier = isObject(each['tier']) ? each['tier'] : {};
    return tier['type'] === 'context' && typeof tier['size'] === 'number'
      ? [devTier(tier['size'], each)]
      : [];
  });
  const older = cost['context_over_200k'];
  const tiers = named.length === 0 && isObject(older) ? [devTier(200_000, older)] : named;
  return ascending(tiers);
}

function ascending(tiers: readonly Tier[]): Tier[] {
  const known = tiers.filter(({ above }) => Number.isInteger(above) && above > 0 && above <= 1e9);
  return known.toSorted((one, other) => one.above - other.above).slice(0, MOST_TIERS);
}

const devTier = (above: number, cost: Loose): Tier =>
  present({
    above,
    input: amount(cost['input']),
    output: amount(cost['output']),
    cacheRead: amount(cost['cache_read']),
    cacheWrite: amount(cost['cache_write']),
  });
