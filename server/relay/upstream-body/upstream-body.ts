// A body for one channel: its shape, the request it is built from, and what all ways of building it share.
import type { CanonicalRequest, ConversionNote } from '#server/models/formats/canonical.ts';
import type { Format, Framing, TaskConversion, UpstreamCall } from '#server/models/providers/provider.ts';
import type { Channel } from '#server/relay/channel-choice/catalog.ts';
import { compactEndpoint, type RelayEndpoint } from '#server/relay/request/endpoints.ts';
import type { JsonBody } from '#server/relay/request/read-body.ts';
import type { Suffixed } from '#server/models/reasoning-suffix.ts';
import { receiptText, type Conversion } from './conversion.ts';

export interface UpstreamBody {
  readonly model: string;
  readonly contentType: string;
  readonly body: string | Uint8Array;
  readonly format: Format;
  readonly path: string;
  /** Whether a stream is requested of the upstream; the caller may want the other kind. */
  readonly isStream: boolean;
  readonly framing: Framing;
  /** Undefined when the answer is forwarded unchanged. */
  readonly conversion: Conversion | undefined;
  readonly task: { conversion: TaskConversion; request: Record<string, unknown> } | undefined;
  readonly notes: readonly ConversionNote[];
}

/** What is known of a JSON request before a channel is chosen. */
export interface JsonRequest {
  readonly endpoint: RelayEndpoint;
  readonly json: JsonBody;
  readonly model: string;
  /** The name in the answer, where it is another than `model`. */
  readonly shownModel?: string | undefined;
  readonly isStream: boolean;
  /** Members replaced (or removed, when undefined) for every channel. */
  readonly changes: ReadonlyMap<string, string | undefined>;
  /** The caller asked for usage in the stream. */
  readonly wantsUsage: boolean;
  readonly estimate: { readonly promptTokens: number };
  readonly isStrict: boolean;
  /** The caller's `anthropic-beta` features. */
  readonly betas: readonly string[];
  /** Ids of objects in the upstream's account that are the caller's own. */
  readonly own: ReadonlySet<string> | undefined;
  /** The channel that issued the encrypted reasoning in the input. */
  readonly issuerId: number | undefined;
  /** Media given by URL was fetched; only the canonical request contains the content. */
  readonly isInlined: boolean;
  /** The channel's upstream lacks the endpoint, so that the call is emulated by another one. */
  isEmulated(channelId: number): boolean;
  /** The canonical request, decoded once. */
  canonical(notes: ConversionNote[]): CanonicalRequest;
}

/** The channel a body is built for, with what follows from its settings. */
export interface BodyTarget {
  readonly channel: Channel;
  readonly format: Format;
  /** The model's name after the channel's mapping. */
  readonly mapped: string;
  readonly suffix: Suffixed | undefined;
  readonly requestId: string;
  /** Collects what is changed or lost. */
  readonly notes: ConversionNote[];
}

/** The fields that depend on the way of building. */
export type Made = Omit<UpstreamBody, 'path' | 'framing' | 'notes'>;

export function pathFor(
  endpoint: RelayEndpoint,
  { format, conversion }: Pick<Made, 'format' | 'conversion'>,
): string {
  const isEmulated = endpoint === compactEndpoint && conversion !== undefined;
  return format === endpoint.format && !isEmulated ? endpoint.path : pathOfFormat(format, endpoint.path);
}

/** The upstream path of a format's calls. */
function pathOfFormat(format: Format, callerPath: string): string {
  switch (format) {
    case 'openai-chat':
      return '/v1/chat/completions';
    case 'openai-responses':
      return '/v1/responses';
    case 'anthropic-messages':
      return '/v1/messages';
    case 'openai-embeddings':
      return '/v1/embeddings';
    case 'gemini-generate':
      return '/v1beta/models/{model}';
    default:
      return callerPath;
  }
}

export function callOf(
  { endpoint, betas }: Pick<JsonRequest, 'endpoint' | 'betas'>,
  format: Format,
  model: string,
  isStream: boolean,
): UpstreamCall {
  return { format, path: pathFor(endpoint, { format, conversion: undefined }), model, isStream, betas };
}

/** Applies the provider's adjustments. */
export function adjustBody(
  channel: Channel,
  body: Record<string, unknown>,
  call: UpstreamCall,
  notes: ConversionNote[],
): Record<string, unknown> {
  return channel.provider.adjust?.(body, call, channel, notes) ?? body;
}

/** Overrides must not change what pricing and routing already read from the request. */
const FIXED_MEMBERS = new Set(['model', 'stream', 'stream_options']);

export function applyOverrides(channel: Channel, changes: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(channel.paramOverride ?? {})) {
    if (!FIXED_MEMBERS.has(name)) changes[name] = value;
  }
}

/** What the log and the caller are told of the changes, as JSON. Empty when nothing was changed. The notes of the answer come with it: it is made again when one is added. */
export function receiptOf(
  { endpoint }: Pick<JsonRequest, 'endpoint'>,
  { format, conversion, notes }: Pick<UpstreamBody, 'format' | 'conversion' | 'notes'>,
): string {
  if (conversion === undefined && notes.length === 0) return '';
  return receiptText(endpoint.format, format, [...notes, ...(conversion?.answerNotes ?? [])]);
}
