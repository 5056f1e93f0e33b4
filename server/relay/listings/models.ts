// The models a token may call and that have a price, with OpenAI's and Anthropic's fields side by side so that clients of both can read it.
import { builtInPrice } from '#server/money/prices/price-list/index.ts';
import { modelAllowed, type Caller } from '#server/relay/caller/authenticate.ts';
import { findPrice, type Pricing } from '#server/relay/money/admission.ts';
import { isReachable, type VirtualListing } from '#server/relay/virtual-models/listed.ts';
import { planGroups } from '#server/relay/money/payers.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';

const CREATED_AT = 1_626_777_600;
const createdText = new Date(CREATED_AT * 1000).toISOString();

function endpointTypes(kind: string | undefined): string[] {
  switch (kind) {
    case 'embedding':
      return ['embeddings'];
    case 'image':
      return ['image-generation', 'image-edit'];
    case 'rerank':
      return ['jina-rerank'];
    case 'speech':
    case 'transcription':
    case 'moderation':
    case 'realtime':
    case 'task':
      return [];
    default:
      return ['openai', 'openai-response', 'anthropic', 'gemini'];
  }
}

function modelEntry(id: string, { virtualModels }: Listing) {
  const virtual = virtualModels.current.get(id);
  const price = builtInPrice(virtual?.targets[0]?.model ?? id);
  return {
    id,
    object: 'model',
    created: CREATED_AT,
    owned_by: virtual === undefined ? (price?.vendor.toLowerCase() ?? 'custom') : 'custom',
    supported_endpoint_types: endpointTypes(price?.kind),
    type: 'model',
    display_name: id,
    created_at: createdText,
  };
}

type Listing = Pricing & Pick<VirtualListing, 'virtualModels'>;

/** A model without a price would be listed here and refused at the call; so would a virtual model without a target. */
function callable(pricing: Listing, group: string): string[] {
  const { current } = pricing.virtualModels;
  const names = pricing.catalog.current
    .models(group)
    .filter((name) => !current.has(name) && typeof findPrice(pricing, name, group) === 'object');
  const virtual = [...current.values()].filter((each) => isReachable(pricing, each, group));
  return [...names, ...virtual.map(({ name }) => name)];
}

export function modelsOf(caller: Caller, pricing: Listing): string[] {
  const own = callable(pricing, caller.group);
  const ofPlans = planGroups(caller).flatMap((plan) =>
    callable(pricing, plan.group).filter((name) => modelAllowed(plan, name)),
  );
  const names = ofPlans.length === 0 ? own : [...new Set([...own, ...ofPlans])];
  return names.filter((name) => caller.models === undefined || caller.models.has(name)).sort();
}

/** All of them, or a page of `limit` after `after_id` or before `before_id`, as Anthropic's clients ask. */
export function listModels(caller: Caller, pricing: Listing, query = new URLSearchParams()) {
  const names = modelsOf(caller, pricing);
  const limit = pageSize(query.get('limit'), names.length);
  const after = names.indexOf(query.get('after_id') ?? '') + 1;
  const before = names.indexOf(query.get('before_id') ?? '');
  const start = before < 0 ? after : Math.max(0, before - limit);
  const end = before < 0 ? start + limit : before;
  const data = names.slice(start, end).map((name) => modelEntry(name, pricing));
  return {
    object: 'list',
    data,
    has_more: before < 0 ? end < names.length : start > 0,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
  };
}

export function readModel(caller: Caller, pricing: Listing, id: string) {
  if (!modelsOf(caller, pricing).includes(id)) {
    throw new RelayError('model_not_found', { model: id.slice(0, 100) }, { param: 'model' });
  }
  return modelEntry(id, pricing);
}

function geminiEntry(id: string) {
  const price = builtInPrice(id);
  return {
    name: `models/${id}`,
    version: '001',
    displayName: id,
    description: '',
    supportedGenerationMethods:
      price?.kind === 'embedding'
        ? ['embedContent', 'batchEmbedContents']
        : ['generateContent', 'streamGenerateContent', 'countTokens'],
  };
}

/** The token of a page is the number of its first model. */
export function listGeminiModels(caller: Caller, pricing: Listing, query = new URLSearchParams()) {
  const names = modelsOf(caller, pricing);
  const start = Number(/^\d{1,6}$/.exec(query.get('pageToken') ?? '')?.[0] ?? 0);
  const end = start + pageSize(query.get('pageSize'), names.length);
  const next = end < names.length ? { nextPageToken: String(end) } : {};
  return { models: names.slice(start, end).map(geminiEntry), ...next };
}

function pageSize(wanted: string | null, all: number): number {
  const size = Math.trunc(Number(wanted ?? 0));
  return size >= 1 ? size : Math.max(all, 1);
}

export function readGeminiModel(caller: Caller, pricing: Listing, id: string) {
  if (!modelsOf(caller, pricing).includes(id))
    throw new RelayError('model_not_found', { model: id.slice(0, 100) }, { param: 'model' });
  return geminiEntry(id);
}
