// Turns a received body into what the pipeline needs: model, stream or not, size, and the bytes for each channel. The
// values that decide about money are read from the very text that goes upstream.
import type { PlainRequest } from '#server/edge/index.ts';
import type { CanonicalRequest, ConversionNote } from '#server/formats/canonical.ts';
import { codecs } from '#server/formats/index.ts';
import { FormatError } from '#server/formats/json.ts';
import type { Channel } from './catalog.ts';
import { compactEndpoint, type Fields, type RelayEndpoint } from './endpoints.ts';
import { inlineMedia, type MediaFetch } from './inline-media.ts';
import { hasControls, RelayError } from './errors.ts';
import { readJson, type JsonBody } from './receive.ts';
import { wholeNumber, type Estimate } from './request-size.ts';
import { jsonFor, type UpstreamBody } from './upstream-body.ts';

export type { UpstreamBody } from './upstream-body.ts';

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
  /** A call that would lose something on the way is refused. */
  isStrict: boolean;
  /** The caller reads a stream as one JSON array. */
  wantsArray: boolean;
  /** The channel that keeps what this call goes on with. */
  affinity: Affinity | undefined;
  bodyFor(channel: Channel, requestId: string): UpstreamBody;
  /** The channel's upstream answered that it has no such endpoint; true: asked again, it is asked in another way. */
  standIn?(channel: Channel, status: number): boolean;
  /** Reads what the request gives by address, before a body is made for an upstream that takes content only. */
  inlineMedia?(fetch: MediaFetch): Promise<void>;
}

export interface Affinity {
  readonly channelId: number;
  /** No other channel can answer; else it is only the better one. */
  readonly isRequired: boolean;
  /** It issued encrypted thoughts in the input. */
  readonly issuesThoughts?: boolean;
}

const longestModelName = 256;
const mostOutputTokens = 100_000_000;

/** Where a call goes and with which key is the gateway's to say. */
const routingFields = ['api_base', 'base_url', 'api_key', 'api_version', 'custom_llm_provider'];

export interface PrepareOptions {
  /** Members of the console's own that no upstream knows. */
  ownFields?: readonly string[];
  /** Where the address names them, not the body. */
  model?: string;
  isStream?: boolean;
  wantsArray?: boolean;
  isStrict?: boolean;
  betas?: readonly string[];
  affinity?: Affinity | undefined;
}

export async function prepareJson(
  endpoint: RelayEndpoint,
  request: PlainRequest,
  options: PrepareOptions = {},
): Promise<PreparedCall> {
  return prepareJsonBody(endpoint, await readJson(request), options);
}

/** The newer request shape, whatever the address says. */
export function isResponsesShape({ format }: RelayEndpoint, fields: Fields): boolean {
  return format === 'openai-chat' && 'input' in fields && !('messages' in fields);
}

export function prepareJsonBody(
  endpoint: RelayEndpoint,
  json: JsonBody,
  options: PrepareOptions = {},
): PreparedCall {
  const fields = json.value;
  const { isStrict = false } = options;
  const model = modelOf(endpoint.modelInPath ? options.model : fields['model'], endpoint);
  const isStream = options.isStream ?? flag(fields, 'stream');
  const changes = new Map<string, string | undefined>();
  for (const name of routingFields) if (Object.hasOwn(fields, name)) changes.set(name, undefined);
  // An object under this name is a preference some upstreams understand; a text names another supplier.
  if (typeof fields['provider'] === 'string') changes.set('provider', undefined);
  for (const name of options.ownFields ?? []) if (Object.hasOwn(fields, name)) changes.set(name, undefined);
  if (fields['model'] === undefined && endpoint.defaultModel !== undefined)
    changes.set('model', JSON.stringify(model));
  const wantsUsage = askForUsage(endpoint, fields, isStream, changes);
  const estimate = endpoint.estimate(fields, model);
  const request = {
    endpoint,
    json,
    model,
    isStream,
    changes,
    includeUsage: wantsUsage,
    estimatedInput: estimate.promptTokens,
    isStrict,
    betas: options.betas ?? [],
    issuerId: options.affinity?.issuesThoughts === true ? options.affinity.channelId : undefined,
    canonical: canonicalOnce(endpoint, fields, model),
    media: { isInlined: false },
    emulated: new Set<number>(),
  };
  return {
    endpoint,
    model,
    isStream,
    wantsUsage,
    outputLimit: outputLimitOf(endpoint, fields),
    estimate,
    reasoningEffort: reasoningEffortOf(fields),
    fields,
    isStrict,
    wantsArray: options.wantsArray ?? false,
    affinity: options.affinity,
    bodyFor: (channel, requestId) => jsonFor(request, channel, requestId),
    standIn(channel, status) {
      const isMissing = endpoint === compactEndpoint && (status === 404 || status === 405);
      if (!isMissing || request.emulated.has(channel.id)) return false;
      request.emulated.add(channel.id);
      return true;
    },
    async inlineMedia(fetch) {
      if (codecs[endpoint.format] === undefined || request.media.isInlined) return;
      request.media.isInlined = await inlineMedia(request.canonical([]), fetch);
    },
  };
}

/** Read once, however many channels are tried; what the reading could not carry is told to each of them. */
function canonicalOnce(
  endpoint: RelayEndpoint,
  fields: Fields,
  model: string,
): (notes: ConversionNote[]) => CanonicalRequest {
  let known: { request: CanonicalRequest; notes: ConversionNote[] } | undefined;
  return (notes) => {
    if (known === undefined) {
      const codec = codecs[endpoint.format];
      if (codec === undefined) throw new RelayError('not_supported');
      const own: ConversionNote[] = [];
      const body = endpoint.modelInPath ? { ...fields, model } : fields;
      try {
        known = { request: codec.decodeRequest(body, own), notes: own };
      } catch (error) {
        if (!(error instanceof FormatError)) throw error;
        throw new RelayError('invalid_body', { detail: error.message }, { param: error.path || 'body' });
      }
    }
    notes.push(...known.notes);
    return known.request;
  };
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
  const holder = endpoint.limitsIn === undefined ? fields : (fields[endpoint.limitsIn] ?? {});
  if (typeof holder !== 'object' || Array.isArray(holder)) throw invalid(endpoint.limitsIn ?? 'body');
  let limit: number | undefined;
  for (const name of endpoint.outputLimits)
    limit ??= wholeNumber(holder as Fields, name, 1, mostOutputTokens);
  return limit;
}

function reasoningEffortOf(fields: Fields): string {
  const { reasoning, reasoning_effort: effort, output_config: config } = fields;
  if (typeof effort === 'string') return effort.slice(0, 32);
  for (const holder of [reasoning, config]) {
    if (typeof holder === 'object' && holder !== null && 'effort' in holder)
      return typeof holder.effort === 'string' ? holder.effort.slice(0, 32) : '';
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
