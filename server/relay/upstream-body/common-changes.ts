// The members of a JSON request that are replaced whichever channel it is sent to.
import { RelayError } from '#server/relay/errors/relay-error.ts';
import type { Fields, RelayEndpoint } from '#server/relay/request/endpoints.ts';

/** Removed from bodies: callers must not choose the upstream address or key. */
const ROUTING_FIELDS = ['api_base', 'base_url', 'api_key', 'api_version', 'custom_llm_provider'];

type Changes = Map<string, string | undefined>;

const noChanges: ReadonlyMap<string, string | undefined> = new Map();

/** Members replaced for every channel. */
export function commonChanges(
  endpoint: RelayEndpoint,
  fields: Fields,
  model: string,
  needsUsage: boolean,
  ownFields: readonly string[] = [],
): ReadonlyMap<string, string | undefined> {
  let changes: Changes | undefined;
  for (const name of ROUTING_FIELDS)
    if (fields[name] !== undefined) (changes ??= new Map()).set(name, undefined);
  // `provider` as an object is a routing preference some upstreams accept; as a string it would choose the upstream.
  if (typeof fields['provider'] === 'string') (changes ??= new Map()).set('provider', undefined);
  for (const name of ownFields) if (fields[name] !== undefined) (changes ??= new Map()).set(name, undefined);
  if (fields['model'] === undefined && endpoint.defaultModel !== undefined)
    (changes ??= new Map()).set('model', JSON.stringify(model));
  if (needsUsage && endpoint.asksForUsage) {
    const options = { ...(fields['stream_options'] as Fields | null | undefined), include_usage: true };
    (changes ??= new Map()).set('stream_options', JSON.stringify(options));
  }
  return changes ?? noChanges;
}

/** The caller asked for usage in the stream. */
export function asksForUsage(fields: Fields): boolean {
  const options = fields['stream_options'];
  if (options === undefined || options === null) return false;
  if (typeof options !== 'object' || Array.isArray(options))
    throw new RelayError('invalid_field', { field: 'stream_options' }, { param: 'stream_options' });
  return (options as Fields)['include_usage'] === true;
}
