// Options of a request that decide its price: the limit of the answer, how much thinking, the class of service.
import type { RequestClass } from '#contract/money/price-rules.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import type { Fields, RelayEndpoint } from './endpoints.ts';
import { patchMembers } from './json-scan.ts';
import type { JsonBody } from './read-body.ts';
import { wholeNumber } from './request-size.ts';

const mostOutputTokens = 100_000_000;

/** Upstreams take 0 here as no limit; of the others it is an error. */
const zeroLimit = 'max_completion_tokens';

export function outputLimitOf(endpoint: RelayEndpoint, fields: Fields): number | undefined {
  const holder = endpoint.limitsIn === undefined ? fields : (fields[endpoint.limitsIn] ?? {});
  if (typeof holder !== 'object' || Array.isArray(holder)) {
    const field = endpoint.limitsIn ?? 'body';
    throw new RelayError('invalid_field', { field }, { param: field });
  }
  let limit: number | undefined;
  for (const name of endpoint.outputLimits)
    limit ??= wholeNumber(holder as Fields, name, name === zeroLimit ? 0 : 1, mostOutputTokens);
  return limit === 0 ? undefined : limit;
}

/** Every limit that the caller set is lowered; without one the model's usual one is added. */
export function withOutputLimit(
  { endpoint, json, model }: { endpoint: RelayEndpoint; json: JsonBody; model: string },
  tokens: number,
): JsonBody {
  const { outputLimits, limitsIn } = endpoint;
  const holder = limitsIn === undefined ? json.value : (json.value[limitsIn] as Fields | undefined);
  const given = outputLimits.filter((name) => (holder?.[name] ?? null) !== null);
  const usual = wantsNewLimit.test(model) ? outputLimits.slice(0, 1) : outputLimits.slice(-1);
  const limits = Object.fromEntries((given.length > 0 ? given : usual).map((name) => [name, tokens]));
  const members: Fields = limitsIn === undefined ? limits : { [limitsIn]: { ...holder, ...limits } };
  const changes = new Map(Object.entries(members).map(([name, value]) => [name, JSON.stringify(value)]));
  return { text: patchMembers(json.text, changes), value: { ...json.value, ...members } };
}

/** They refuse `max_tokens`; others may not know `max_completion_tokens`. */
const wantsNewLimit = /^(?:[\w-]+\/)?(?:o\d|gpt-(?:[5-9]|\d\d))/;

export function reasoningEffortOf(fields: Fields): string {
  const { reasoning, reasoning_effort: effort, output_config: config } = fields;
  if (typeof effort === 'string') return effort.slice(0, 32);
  return effortIn(reasoning) ?? effortIn(config) ?? '';
}

/** Gemini spells the member its own way. */
export function requestClassOf(fields: Fields): RequestClass | undefined {
  const tier = fields['service_tier'] ?? fields['serviceTier'];
  return tier === 'flex' || tier === 'priority' ? tier : undefined;
}

function effortIn(holder: unknown): string | undefined {
  if (typeof holder !== 'object' || holder === null || !('effort' in holder)) return undefined;
  return typeof holder.effort === 'string' ? holder.effort.slice(0, 32) : '';
}
