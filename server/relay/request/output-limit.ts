// The limit of an answer in the request: read for the hold, and lowered to what can be paid.
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
