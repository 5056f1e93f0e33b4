// The entries of `model_list` as channels. Entries with the same upstream and key become one channel; a name that is served
// by several upstreams is offered by several channels, among which calls are divided by weight.
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import type { NewRow } from '#server/platform/store/schema.ts';
import { resolveVariable, variableOf, type LiteLlmModel } from './config.ts';

interface Provider {
  type: number;
  baseUrl?: string;
}

const compatible = (baseUrl: string): Provider => ({ type: CHANNEL_TYPE.openAi, baseUrl });

const PROVIDERS: Record<string, Provider> = {
  openai: { type: CHANNEL_TYPE.openAi },
  'text-completion-openai': { type: CHANNEL_TYPE.openAi },
  custom_openai: { type: CHANNEL_TYPE.openAi },
  openai_like: { type: CHANNEL_TYPE.openAi },
  hosted_vllm: { type: CHANNEL_TYPE.openAi },
  litellm_proxy: { type: CHANNEL_TYPE.openAi },
  azure: { type: CHANNEL_TYPE.azure },
  anthropic: { type: CHANNEL_TYPE.anthropic },
  gemini: { type: CHANNEL_TYPE.gemini },
  vertex_ai: { type: CHANNEL_TYPE.vertex },
  bedrock: { type: CHANNEL_TYPE.bedrock },
  mistral: { type: CHANNEL_TYPE.mistral },
  deepseek: { type: CHANNEL_TYPE.deepSeek },
  cohere: { type: CHANNEL_TYPE.cohere },
  cohere_chat: { type: CHANNEL_TYPE.cohere },
  openrouter: { type: CHANNEL_TYPE.openRouter },
  xai: { type: CHANNEL_TYPE.xai },
  perplexity: { type: CHANNEL_TYPE.perplexity },
  ollama: { type: CHANNEL_TYPE.ollama },
  ollama_chat: { type: CHANNEL_TYPE.ollama },
  moonshot: { type: CHANNEL_TYPE.moonshot },
  dashscope: { type: CHANNEL_TYPE.ali },
  volcengine: { type: CHANNEL_TYPE.volcEngine },
  jina_ai: { type: CHANNEL_TYPE.jina },
  groq: compatible('https://api.groq.com/openai'),
  together_ai: compatible('https://api.together.xyz'),
  fireworks_ai: compatible('https://api.fireworks.ai/inference'),
  deepinfra: compatible('https://api.deepinfra.com/v1/openai'),
  nvidia_nim: compatible('https://integrate.api.nvidia.com'),
  cerebras: compatible('https://api.cerebras.ai'),
  novita: compatible('https://api.novita.ai/v3/openai'),
};

export interface LiteLlmChannel {
  columns: NewRow<'channels'>;
  key: string;
  /** Identifies the channel in a second import. */
  sourceId: string;
}

type Placed = {
  provider: Provider;
  name: string;
  model: string;
  key: string;
  baseUrl: string;
  other: string;
};

export interface LeftModel {
  model: string;
  reason: string;
}

export function channelsOf(
  models: readonly LiteLlmModel[],
  variables: Record<string, string | undefined>,
): { channels: LiteLlmChannel[]; left: LeftModel[]; notes: string[] } {
  const left: LeftModel[] = [];
  const upstreams: {
    place: Placed;
    entries: { offered: string; upstream: string; entry: LiteLlmModel }[];
  }[] = [];
  for (const entry of models) {
    const place = placeOf(entry, variables);
    if ('reason' in place) {
      left.push({ model: entry.model_name, reason: place.reason });
      continue;
    }
    const offered = { offered: entry.model_name, upstream: place.model, entry };
    const same = upstreams.find(
      (other) =>
        identityOf(other.place) === identityOf(place) &&
        (other.entries[0]?.entry.litellm_params.weight ?? 0) === (entry.litellm_params.weight ?? 0) &&
        (other.entries[0]?.entry.litellm_params.order ?? 0) === (entry.litellm_params.order ?? 0) &&
        !other.entries.some(
          (known) => known.offered === offered.offered && known.upstream !== offered.upstream,
        ),
    );
    if (same === undefined) upstreams.push({ place, entries: [offered] });
    else same.entries.push(offered);
  }
  const channels = upstreams.map(({ place, entries }, index) => {
    const mapping = Object.fromEntries(
      entries
        .filter(({ offered, upstream }) => offered !== upstream)
        .map(({ offered, upstream }) => [offered, upstream]),
    );
    const parameters = entries[0]?.entry.litellm_params;
    return {
      key: place.key,
      sourceId: `${index} ${place.name} ${place.baseUrl} ${entries.map(({ offered }) => offered).join(',')}`,
      columns: {
        name: `LiteLLM ${place.name} ${index + 1}`,
        type: place.provider.type,
        base_url: place.baseUrl,
        other: place.other,
        models: [...new Set(entries.map(({ offered }) => offered))].join(','),
        group: 'default',
        model_mapping: Object.keys(mapping).length > 0 ? JSON.stringify(mapping) : '',
        openai_organization: parameters?.organization ?? '',
        weight: Math.max(0, Math.round(parameters?.weight ?? 0)),
        // A smaller order is tried first.
        priority: 0 - Math.round(parameters?.order ?? 0),
        max_concurrency: concurrencyOf(entries.map(({ entry }) => entry)),
        tag: null,
        deleted_at: null,
      },
    };
  });
  // A limit for some models of a channel would bind the others.
  const notes = upstreams.flatMap(({ entries }) => {
    const limited = entries.filter(({ entry }) => limitOf(entry) > 0).map(({ offered }) => offered);
    if (limited.length === 0 || limited.length === entries.length) return [];
    return [
      `max_parallel_requests is not brought, because other models have the same upstream and key without it: ${limited.join(', ')}`,
    ];
  });
  return { channels, left, notes };
}

const limitOf = ({ litellm_params }: LiteLlmModel): number =>
  Math.round(litellm_params.max_parallel_requests ?? 0);

/** Each entry has its own limit there, and a channel one for all: their sum, or none when one of them has none. */
function concurrencyOf(entries: readonly LiteLlmModel[]): number {
  const limits = entries.map((entry) => limitOf(entry));
  return limits.includes(0) ? 0 : limits.reduce((sum, limit) => sum + limit, 0);
}

const identityOf = ({ provider, key, baseUrl, other }: Placed): string =>
  JSON.stringify([provider.type, key, baseUrl, other]);

function placeOf(
  { litellm_params: parameters }: LiteLlmModel,
  variables: Record<string, string | undefined>,
): Placed | { reason: string } {
  const [prefix = '', ...rest] = parameters.model.split('/');
  const isNamed = rest.length > 0 && Object.hasOwn(PROVIDERS, prefix);
  const name =
    parameters.custom_llm_provider ??
    (isNamed ? prefix : rest.length === 0 ? vendorOf(parameters.model) : prefix);
  const provider = PROVIDERS[name];
  if (provider === undefined) return { reason: `the provider ${name} is not known here` };
  const missing = (Object.values(parameters) as unknown[]).find(
    (value): value is string =>
      typeof value === 'string' &&
      value.startsWith('os.environ/') &&
      resolveVariable(value, variables) === undefined,
  );
  if (missing !== undefined)
    return { reason: `the environment variable ${variableOf(missing)} is not set, or not named with --env` };
  const value = (one: string | undefined) => resolveVariable(one, variables) ?? '';
  const base = (value(parameters.api_base) || value(parameters.base_url) || (provider.baseUrl ?? '')).replace(
    /\/+$/,
    '',
  );
  return {
    provider,
    name,
    model: isNamed ? rest.join('/') : parameters.model,
    key: keyOf(provider, parameters, value),
    // LiteLLM's addresses include the version; here the path begins with it.
    baseUrl: base.replace(/\/v1$/, ''),
    other:
      provider.type === CHANNEL_TYPE.vertex
        ? value(parameters.vertex_location)
        : value(parameters.api_version),
  };
}

function keyOf(
  { type }: Provider,
  parameters: LiteLlmModel['litellm_params'],
  value: (one: string | undefined) => string,
): string {
  if (type === CHANNEL_TYPE.bedrock && parameters.aws_access_key_id !== undefined)
    return [parameters.aws_access_key_id, parameters.aws_secret_access_key, parameters.aws_region_name]
      .map(value)
      .join('|');
  if (type === CHANNEL_TYPE.vertex) return value(parameters.vertex_credentials);
  return value(parameters.api_key);
}

/** LiteLLM knows these vendors by the model's name. */
function vendorOf(model: string): string {
  if (model.startsWith('claude')) return 'anthropic';
  if (model.startsWith('gemini')) return 'vertex_ai';
  return model.startsWith('command') ? 'cohere' : 'openai';
}
