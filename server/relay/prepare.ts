// Turns a received body into what the pipeline needs: model, stream or not, size, and the bytes for each channel. The
// values that decide about money are read from the very text that goes upstream.
import type { Channel } from './catalog.ts';
import { responsesEndpoint, type Fields, type RelayEndpoint } from './endpoints.ts';
import { patchMembers } from './json-scan.ts';
import { hasControls, RelayError } from './errors.ts';
import { mapModel } from './mapping.ts';
import { readJson, type JsonBody } from './receive.ts';
import { wholeNumber, type Estimate } from './request-size.ts';

export interface UpstreamBody {
  model: string;
  contentType: string;
  body: string | Uint8Array;
}

export interface PreparedCall {
  endpoint: RelayEndpoint;
  model: string;
  isStream: boolean;
  /** The caller asked for usage in the stream. */
  wantsUsage: boolean;
  /** undefined: the caller set none. */
  outputLimit: number | undefined;
  estimate: Estimate;
  reasoningEffort: string;
  fields: Fields;
  bodyFor(channel: Channel): UpstreamBody;
}

const longestModelName = 256;
const mostOutputTokens = 100_000_000;

/** Where a call goes and with which key is the gateway's to say. */
const routingFields = ['api_base', 'base_url', 'api_key', 'api_version', 'custom_llm_provider'];

export interface PrepareOptions {
  /** Members of the console's own that no upstream knows. */
  ownFields?: readonly string[];
}

export async function prepareJson(
  endpoint: RelayEndpoint,
  request: Request,
  options: PrepareOptions = {},
): Promise<PreparedCall> {
  return prepareJsonBody(endpoint, await readJson(request), options);
}

export function prepareJsonBody(
  givenEndpoint: RelayEndpoint,
  json: JsonBody,
  { ownFields = [] }: PrepareOptions = {},
): PreparedCall {
  const fields = json.value;
  // Some editors send the newer request shape to the older address.
  const isResponses = givenEndpoint.format === 'openai-chat' && 'input' in fields && !('messages' in fields);
  const endpoint = isResponses ? responsesEndpoint : givenEndpoint;
  const model = modelOf(fields['model'], endpoint);
  const isStream = flag(fields, 'stream');
  const changes = new Map<string, string | undefined>();
  for (const name of routingFields) if (json.members.has(name)) changes.set(name, undefined);
  // An object under this name is a preference some upstreams understand; a text names another supplier.
  if (typeof fields['provider'] === 'string') changes.set('provider', undefined);
  for (const name of ownFields) if (json.members.has(name)) changes.set(name, undefined);
  if (fields['model'] === undefined && endpoint.defaultModel !== undefined)
    changes.set('model', JSON.stringify(model));
  const wantsUsage = askForUsage(endpoint, fields, isStream, changes);
  return {
    endpoint,
    model,
    isStream,
    wantsUsage,
    outputLimit: outputLimitOf(endpoint, fields),
    estimate: endpoint.estimate(fields, model),
    reasoningEffort: reasoningEffortOf(fields),
    fields,
    bodyFor: (channel) => jsonFor(channel, json, model, changes, isStream && endpoint.asksForUsage),
  };
}

function jsonFor(
  channel: Channel,
  json: JsonBody,
  model: string,
  common: ReadonlyMap<string, string | undefined>,
  asksForUsage: boolean,
): UpstreamBody {
  const upstreamModel = mapModel(channel.modelMapping, model);
  const { paramOverride } = channel;
  let changes = common;
  if (
    upstreamModel !== model ||
    paramOverride !== undefined ||
    (asksForUsage && !channel.provider.reportsStreamUsage)
  ) {
    const own = new Map(common);
    if (!channel.provider.reportsStreamUsage) own.delete('stream_options');
    if (upstreamModel !== model) own.set('model', JSON.stringify(upstreamModel));
    for (const [name, value] of Object.entries(paramOverride ?? {})) {
      // What decides about money and routing was read from the request and stays as it was read.
      if (name !== 'model' && name !== 'stream' && name !== 'stream_options')
        own.set(name, JSON.stringify(value));
    }
    changes = own;
  }
  const body = changes.size === 0 ? json.text : patchMembers(json.text, json.members, changes);
  return { model: upstreamModel, contentType: 'application/json', body };
}

function askForUsage(
  endpoint: RelayEndpoint,
  fields: Fields,
  isStream: boolean,
  changes: Map<string, string | undefined>,
): boolean {
  if (!isStream || !endpoint.asksForUsage) return false;
  const options = fields['stream_options'];
  if (options === undefined || options === null) {
    changes.set('stream_options', '{"include_usage":true}');
    return false;
  }
  if (typeof options !== 'object' || Array.isArray(options)) throw invalid('stream_options');
  if ((options as Fields)['include_usage'] === true) return true;
  changes.set('stream_options', JSON.stringify({ ...options, include_usage: true }));
  return false;
}

export function modelOf(given: unknown, endpoint: RelayEndpoint): string {
  if (given === undefined || given === null || given === '') {
    if (endpoint.defaultModel === undefined) throw new RelayError('model_required', {}, { param: 'model' });
    return endpoint.defaultModel;
  }
  if (typeof given !== 'string') throw invalid('model');
  const isTidy = given.length <= longestModelName && !hasControls(given) && !/\s|\.\.|%0/i.test(given);
  if (!isTidy) throw new RelayError('invalid_model', {}, { param: 'model' });
  return given;
}

export function outputLimitOf(endpoint: RelayEndpoint, fields: Fields): number | undefined {
  let limit: number | undefined;
  for (const name of endpoint.outputLimits) limit ??= wholeNumber(fields, name, 1, mostOutputTokens);
  return limit;
}

function reasoningEffortOf(fields: Fields): string {
  const { reasoning, reasoning_effort: effort } = fields;
  if (typeof effort === 'string') return effort.slice(0, 32);
  if (typeof reasoning === 'object' && reasoning !== null && 'effort' in reasoning) {
    return typeof reasoning.effort === 'string' ? reasoning.effort.slice(0, 32) : '';
  }
  return '';
}

function flag(fields: Fields, name: string): boolean {
  const value = fields[name];
  if (value === undefined || value === null) return false;
  if (typeof value !== 'boolean') throw invalid(name);
  return value;
}

function invalid(field: string): RelayError {
  return new RelayError('invalid_field', { field }, { param: field });
}
