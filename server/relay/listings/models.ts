// The models a token may call, with OpenAI's and Anthropic's fields side by side so that clients of both can read it.
import { builtInPrice } from '#server/billing/price-list/index.ts';
import { modelAllowed } from '#server/relay/caller/allowed-models.ts';
import type { Caller } from '#server/relay/caller/authenticate.ts';
import { planGroups } from '#server/relay/money/payers.ts';
import type { CatalogSnapshot } from '#server/relay/channels/catalog.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';

const createdAt = 1_626_777_600;
const createdText = new Date(createdAt * 1000).toISOString();

function endpointTypes(kind: string | undefined): string[] {
  switch (kind) {
    case 'embedding':
      return ['embeddings'];
    case 'image':
      return ['image-generation', 'image-edit'];
    case 'rerank':
      return ['jina-rerank'];
    case 'task':
      return [];
    default:
      return ['openai', 'openai-response', 'anthropic', 'gemini'];
  }
}

function modelEntry(id: string) {
  const price = builtInPrice(id);
  return {
    id,
    object: 'model',
    created: createdAt,
    owned_by: price?.vendor.toLowerCase() ?? 'custom',
    supported_endpoint_types: endpointTypes(price?.kind),
    type: 'model',
    display_name: id,
    created_at: createdText,
  };
}

export function modelsOf(caller: Caller, catalog: CatalogSnapshot): string[] {
  const own = catalog.models(caller.group);
  const ofPlans = planGroups(caller).flatMap((plan) =>
    catalog.models(plan.group).filter((name) => modelAllowed(plan, name)),
  );
  const names = ofPlans.length === 0 ? own : [...new Set([...own, ...ofPlans])];
  return names.filter((name) => caller.models === undefined || caller.models.has(name)).sort();
}

export function listModels(caller: Caller, catalog: CatalogSnapshot) {
  const data = modelsOf(caller, catalog).map(modelEntry);
  return {
    object: 'list',
    data,
    has_more: false,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
  };
}

export function readModel(caller: Caller, catalog: CatalogSnapshot, id: string) {
  if (!modelsOf(caller, catalog).includes(id)) {
    throw new RelayError('model_not_found', { model: id.slice(0, 100) }, { param: 'model' });
  }
  return modelEntry(id);
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

export function listGeminiModels(caller: Caller, catalog: CatalogSnapshot) {
  return { models: modelsOf(caller, catalog).map(geminiEntry) };
}

export function readGeminiModel(caller: Caller, catalog: CatalogSnapshot, id: string) {
  if (!modelsOf(caller, catalog).includes(id))
    throw new RelayError('model_not_found', { model: id.slice(0, 100) }, { param: 'model' });
  return geminiEntry(id);
}
