// What the ways of making a request body share: its shape, the request it is made from, and the operator's overrides.
import type { CanonicalRequest, ConversionNote } from '#server/formats/canonical.ts';
import type { Format, Framing, TaskConversion, UpstreamCall } from '#server/providers/provider.ts';
import type { Channel } from '#server/relay/channels/catalog.ts';
import { pathOfFormat } from '#server/relay/channels/spoken-format.ts';
import { compactEndpoint, type RelayEndpoint } from '#server/relay/request/endpoints.ts';
import type { JsonBody } from '#server/relay/request/read-body.ts';
import type { Conversion } from './conversion.ts';

export interface UpstreamBody {
  readonly model: string;
  readonly contentType: string;
  readonly body: string | Uint8Array;
  readonly format: Format;
  readonly path: string;
  /** What is asked of the upstream; the caller may get something else. */
  readonly isStream: boolean;
  readonly framing: Framing;
  /** undefined: the answer passes as it comes. */
  readonly conversion: Conversion | undefined;
  readonly task: { conversion: TaskConversion; request: Record<string, unknown> } | undefined;
  readonly notes: readonly ConversionNote[];
}

/** What is known of a JSON request, whichever channel takes it. */
export interface JsonRequest {
  readonly endpoint: RelayEndpoint;
  readonly json: JsonBody;
  readonly model: string;
  readonly isStream: boolean;
  /** Members that change for every channel. */
  readonly changes: ReadonlyMap<string, string | undefined>;
  /** The caller asked for usage in the stream. */
  readonly wantsUsage: boolean;
  readonly estimate: { readonly promptTokens: number };
  readonly isStrict: boolean;
  /** Features of Anthropic's API that the caller named in a header. */
  readonly betas: readonly string[];
  /** The channel that issued the encrypted thoughts in the input. */
  readonly issuerId: number | undefined;
  /** What was given by address is content now, but only in the common language. */
  readonly isInlined: boolean;
  /** The channel's upstream has no such endpoint: it is asked for the same in another way. */
  isEmulated(channelId: number): boolean;
  /** The request in the common language, read once. */
  canonical(notes: ConversionNote[]): CanonicalRequest;
}

/** Without what is the same for every way of making it. */
export type Made = Omit<UpstreamBody, 'path' | 'framing' | 'notes'>;

export function pathFor(
  endpoint: RelayEndpoint,
  { format, conversion }: Pick<Made, 'format' | 'conversion'>,
): string {
  const isEmulated = endpoint === compactEndpoint && conversion !== undefined;
  return format === endpoint.format && !isEmulated ? endpoint.path : pathOfFormat(format, endpoint.path);
}

export function callOf(
  { endpoint, betas }: Pick<JsonRequest, 'endpoint' | 'betas'>,
  format: Format,
  model: string,
  isStream: boolean,
): UpstreamCall {
  return { format, path: pathFor(endpoint, { format, conversion: undefined }), model, isStream, betas };
}

/** The supplier's last word on a body. */
export function adjusted(
  channel: Channel,
  body: Record<string, unknown>,
  call: UpstreamCall,
  notes: ConversionNote[],
): Record<string, unknown> {
  return channel.provider.adjust?.(body, call, channel, notes) ?? body;
}

/** What decides about money and routing was read from the request and stays as it was read. */
const fixedMembers = new Set(['model', 'stream', 'stream_options']);

export function overridden(channel: Channel, changes: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(channel.paramOverride ?? {})) {
    if (!fixedMembers.has(name)) changes[name] = value;
  }
}
