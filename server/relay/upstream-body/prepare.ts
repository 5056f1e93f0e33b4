// Turns a received body into what the pipeline needs: model, stream or not, size estimate, and the body per channel.
// Values that decide the price are read from the same text that is sent upstream.
import type { RequestClass } from '#contract/money/price-rules.ts';
import type { CanonicalRequest, ConversionNote } from '#server/models/formats/canonical.ts';
import { codecs } from '#server/models/formats/index.ts';
import { FormatError, type Json } from '#server/models/formats/json.ts';
import type { Channel } from '#server/relay/channel-choice/catalog.ts';
import type { Affinity } from '#server/relay/channel-choice/kept-channel.ts';
import type { KeptRecord } from '#server/relay/channel-choice/why-kept.ts';
import { compactEndpoint, type Fields, type RelayEndpoint } from '#server/relay/request/endpoints.ts';
import { inlineMedia, type MediaFetch } from '#server/relay/request/inline-media.ts';
import { hasControls, RelayError } from '#server/relay/errors/relay-error.ts';
import {
  outputLimitOf,
  reasoningEffortOf,
  requestClassOf,
  withOutputLimit,
} from '#server/relay/request/estimate.ts';
import type { Format } from '#server/models/providers/provider.ts';
import { readJson, type JsonBody, type Unread } from '#server/relay/request/read-body.ts';
import type { Estimate } from '#server/relay/request/request-size.ts';
import { buildBody } from './build-body.ts';
import { asksForUsage, commonChanges } from './common-changes.ts';
import { refuseSharedObjects } from './shared-account.ts';
import type { JsonRequest, UpstreamBody } from './upstream-body.ts';

export interface PreparedCall {
  endpoint: RelayEndpoint;
  model: string;
  /** The name in the answer, where it is another than `model`. */
  shownModel?: string | undefined;
  isStream: boolean;
  /** The caller asked for usage in the stream. */
  wantsUsage: boolean;
  /** Undefined when the caller sets none. */
  outputLimit: number | undefined;
  estimate: Estimate;
  reasoningEffort: string;
  /** Characters of a JSON text, bytes of an upload: no prompt has many more tokens than that. */
  requestLength: number;
  /** The class of service that the request asks for, if that class has a price. */
  requestClass?: RequestClass | undefined;
  fields: Fields;
  /** Undefined for an upload. */
  readonly json?: JsonBody;
  /** Refuse the call if a conversion would lose something. */
  isStrict: boolean;
  /** The caller reads the stream as one JSON array (Gemini without `alt=sse`). */
  wantsArray: boolean;
  /** The channel whose upstream holds the state this call continues. */
  affinity: Affinity | undefined;
  /** The conversation to which the turn is added. */
  conversation?: NamedConversation | undefined;
  /** Among warm channels, and the one that was found there. */
  conversationName?: string | undefined;
  warmId?: number | undefined;
  /** Whether the conversation kept its channel. */
  kept?: KeptRecord | undefined;
  bodyFor(channel: Channel, requestId: string): UpstreamBody;
  /** The same call for another model. */
  as?(model: string, shownModel: string): PreparedCall;
  /** Asks for answers of at most so many tokens. Before the first `bodyFor`. */
  lowerOutputLimit?(tokens: number): void;
  /** How long the upstream may keep the prompt in its cache; undefined: the request asks for no cache. */
  cacheWrites?(): '5m' | '1h' | undefined;
  /** Called when the upstream answers that it lacks the endpoint; true when the next attempt will emulate it. */
  emulateAfterRefusal?(channel: Channel, status: number): boolean;
  /** Fetches media given by URL; must run before `bodyFor` of an upstream that takes it by content only. */
  inlineMedia?(fetch: MediaFetch, kind: 'all' | 'files'): Promise<void>;
}

export interface NamedConversation {
  readonly id: string;
  /** The input of this call alone, as the caller wrote it. */
  readonly input: readonly Json[];
}

const LONGEST_MODEL_NAME = 256;

export interface PrepareOptions {
  /** Members only the console sends; removed before the upstream sees the body. */
  ownFields?: readonly string[];
  /** Set when the path names them instead of the body. */
  model?: string;
  shownModel?: string;
  isStream?: boolean;
  wantsArray?: boolean;
  isStrict?: boolean;
  betas?: readonly string[];
  affinity?: Affinity | undefined;
  /** Ids of objects in the upstream's account that are the caller's own. */
  own?: ReadonlySet<string> | undefined;
  conversation?: NamedConversation | undefined;
}

export async function prepareJson(
  endpoint: RelayEndpoint,
  incoming: Unread,
  options: PrepareOptions = {},
): Promise<PreparedCall> {
  return prepareJsonBody(endpoint, await readJson(incoming), options);
}

/** A Responses request sent to the chat path. */
export function isResponsesShape({ format }: RelayEndpoint, fields: Fields): boolean {
  return format === 'openai-chat' && 'input' in fields && !('messages' in fields);
}

export function prepareJsonBody(
  endpoint: RelayEndpoint,
  json: JsonBody,
  options: PrepareOptions = {},
): PreparedCall {
  return new PreparedJson(endpoint, json, options);
}

/** These models write every prompt into their cache. */
const CACHED_ALWAYS = /gpt-(?:5\.[6-9]|[6-9]|\d\d)/;

/** The same request is as large for every model of the other formats. */
const COUNTED_BY_MODEL: ReadonlySet<Format> = new Set<Format>(['openai-images', 'openai-speech']);

const NO_BETAS: readonly string[] = [];

/** A class, not closures: one is made per call, and most calls use few of its methods. */
class PreparedJson implements PreparedCall, JsonRequest {
  readonly endpoint: RelayEndpoint;
  json: JsonBody;
  readonly model: string;
  readonly shownModel: string | undefined;
  readonly isStream: boolean;
  readonly wantsUsage: boolean;
  outputLimit: number | undefined;
  readonly estimate: Estimate;
  readonly reasoningEffort: string;
  readonly requestClass: RequestClass | undefined;
  readonly isStrict: boolean;
  readonly wantsArray: boolean;
  readonly affinity: Affinity | undefined;
  readonly betas: readonly string[];
  readonly own: ReadonlySet<string> | undefined;
  readonly conversation: NamedConversation | undefined;
  readonly changes: ReadonlyMap<string, string | undefined>;
  conversationName: string | undefined = undefined;
  warmId: number | undefined = undefined;
  kept: KeptRecord | undefined = undefined;
  isInlined = false;
  readonly #options: PrepareOptions;
  #emulated: number[] | undefined;
  #canonical: { request: CanonicalRequest; notes: readonly ConversionNote[] } | undefined;

  /** `like`: the same call for another model. */
  constructor(endpoint: RelayEndpoint, json: JsonBody, options: PrepareOptions, like?: PreparedJson) {
    const fields = json.value;
    const model = modelOf(endpoint.modelInPath ? options.model : fields['model'], endpoint);
    if (like === undefined) refuseSharedObjects(endpoint.format, fields, options.own);
    const isStream = options.isStream ?? flag(fields, 'stream');
    this.endpoint = endpoint;
    this.json = json;
    this.model = model;
    this.shownModel = options.shownModel;
    this.#options = options;
    this.isStream = isStream;
    this.wantsUsage = isStream && endpoint.asksForUsage && asksForUsage(fields);
    const changes = commonChanges(endpoint, fields, model, isStream && !this.wantsUsage, options.ownFields);
    const isRenamed = like !== undefined && !endpoint.modelInPath;
    this.changes = isRenamed ? new Map(changes).set('model', JSON.stringify(model)) : changes;
    const isSameSize = like !== undefined && !COUNTED_BY_MODEL.has(endpoint.format);
    this.estimate = isSameSize ? like.estimate : endpoint.estimate(fields, model);
    this.outputLimit = outputLimitOf(endpoint, fields);
    this.reasoningEffort = reasoningEffortOf(fields);
    this.requestClass = requestClassOf(fields);
    this.isStrict = options.isStrict ?? false;
    this.wantsArray = options.wantsArray ?? false;
    this.affinity = options.affinity;
    this.betas = options.betas ?? NO_BETAS;
    this.own = options.own;
    this.conversation = options.conversation;
  }

  get fields(): Fields {
    return this.json.value;
  }

  get requestLength(): number {
    return this.json.text.length;
  }

  get issuerId(): number | undefined {
    return this.affinity?.issuesThoughts === true ? this.affinity.channelId : undefined;
  }

  as(model: string, shownModel: string): PreparedCall {
    const { text, value } = this.json;
    // The text is large, and most targets are never asked: the name in it is replaced when it is sent.
    const json = this.endpoint.modelInPath ? this.json : { text, value: { ...value, model } };
    return new PreparedJson(this.endpoint, json, { ...this.#options, model, shownModel }, this);
  }

  bodyFor(channel: Channel, requestId: string): UpstreamBody {
    return buildBody(this, channel, requestId);
  }

  lowerOutputLimit(tokens: number): void {
    this.outputLimit = tokens;
    this.#canonical = undefined;
    this.json = withOutputLimit(this, tokens);
  }

  cacheWrites(): '5m' | '1h' | undefined {
    const { text } = this.json;
    if (
      !CACHED_ALWAYS.test(this.model) &&
      !text.includes('"cache_control"') &&
      !text.includes('"prompt_cache')
    )
      return undefined;
    return text.includes('"1h"') ? '1h' : '5m';
  }

  isEmulated(channelId: number): boolean {
    return this.#emulated?.includes(channelId) ?? false;
  }

  emulateAfterRefusal(channel: Channel, status: number): boolean {
    const isMissing = this.endpoint === compactEndpoint && (status === 404 || status === 405);
    if (!isMissing || this.isEmulated(channel.id)) return false;
    (this.#emulated ??= []).push(channel.id);
    return true;
  }

  async inlineMedia(fetch: MediaFetch, kind: 'all' | 'files'): Promise<void> {
    if (codecs[this.endpoint.format] === undefined || this.isInlined) return;
    const isInlined = await inlineMedia(this.canonical([]), fetch, kind);
    // A later attempt may need the rest.
    this.isInlined = isInlined && kind === 'all';
  }

  /** Decoded once for all attempts; the notes of decoding are repeated for each. */
  canonical(notes: ConversionNote[]): CanonicalRequest {
    this.#canonical ??= canonicalOf(this.endpoint, this.fields, this.model);
    notes.push(...this.#canonical.notes);
    return this.#canonical.request;
  }
}

function canonicalOf(
  endpoint: RelayEndpoint,
  fields: Fields,
  model: string,
): { request: CanonicalRequest; notes: readonly ConversionNote[] } {
  const codec = codecs[endpoint.format];
  if (codec === undefined) throw new RelayError('not_supported');
  const notes: ConversionNote[] = [];
  const body = endpoint.modelInPath ? { ...fields, model } : fields;
  try {
    return { request: codec.decodeRequest(body, notes), notes };
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    throw new RelayError('invalid_body', { detail: error.message }, { param: error.path || 'body' });
  }
}

export function modelOf(given: unknown, endpoint: RelayEndpoint): string {
  if (given === undefined || given === null || given === '') {
    if (endpoint.defaultModel === undefined) throw new RelayError('model_required', {}, { param: 'model' });
    return endpoint.defaultModel;
  }
  if (typeof given !== 'string') throw invalid('model');
  const isTidy = given.length <= LONGEST_MODEL_NAME && !hasControls(given) && !/\s|\.\.|%0/i.test(given);
  if (!isTidy) throw new RelayError('invalid_model', {}, { param: 'model' });
  return given;
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
