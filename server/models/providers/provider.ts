// What the relay needs to know of an upstream. A provider is data: the formats it accepts, how its URL is made and how the
// key is sent. Code appears only for a quirk, with the reason beside it. Names and usual addresses are in
// facts/channel-types.ts.
import type { CanonicalError, UpstreamCodec } from '#server/models/formats/codec.ts';
import type { ConversionNote } from '#server/models/formats/canonical.ts';
import type { Format, TaskConversion } from '#server/models/formats/format.ts';

export type { Format, TaskConversion, TaskFile } from '#server/models/formats/format.ts';

/** The channel's row as providers see it, with the key decrypted. */
export interface ProviderChannel {
  readonly baseUrl: string;
  readonly key: string;
  readonly organization: string;
  /** The row's free field: API version, region or account id, depending on the provider. */
  readonly other: string;
  /** Formats that this upstream does not accept although its type promises them. */
  readonly refusedFormats?: ReadonlySet<Format>;
}

export interface UpstreamCall {
  readonly format: Format;
  /** In the caller's format, such as `/v1/chat/completions`. */
  readonly path: string;
  readonly model: string;
  readonly isStream: boolean;
  /** From the caller's `anthropic-beta` header. */
  readonly betas?: readonly string[];
}

/** A request without its authentication. */
export interface UnsignedRequest {
  readonly method: string;
  readonly url: URL;
  readonly body: string | Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
}

/** What a provider may use to authenticate: egress (with the address rules of the call itself), clock and token cache. */
export interface SigningTools {
  now(): Date;
  fetchJson(
    url: string,
    request: { method: string; headers: Record<string, string>; body?: string },
  ): Promise<unknown>;
  /** Caches the value until it expires; concurrent calls share one `make`. */
  cached(key: string, make: () => Promise<{ value: string; expiresAt: Date }>): Promise<string>;
  /** Replaces the channel's stored key by the result of `renew`, one at a time; returns the stored key. */
  renewKey?(renew: (key: string) => Promise<string>): Promise<string>;
}

/** How a stream is divided into frames. */
export type Framing = 'sse' | 'ndjson' | 'aws-event-stream' | 'websocket';

/** An upstream's refusal, independent of its format, with the HTTP status it should have had. */
export interface SupplierRefusal extends CanonicalError {
  readonly status: number;
  /** The operator's key or account is at fault: the channel may be disabled automatically. */
  readonly isAccountFault: boolean;
}

/** How the models of a key are listed. */
export interface ModelListing {
  url(channel: ProviderChannel): string;
  /** The names in the answer, unchecked; undefined when the answer is not a list. */
  names(answer: unknown): readonly unknown[] | undefined;
}

export interface Provider {
  /** The number in `channels.type`. */
  readonly type: number;
  /** In order of preference: the caller's format if listed, else the first that has a codec. */
  readonly speaks: readonly Format[];
  /** Instead of `speaks` where the formats depend on the model (Claude or Gemini at Vertex). */
  speaksFor?(model: string, channel: ProviderChannel): readonly Format[];
  /** The whole URL of the call. */
  url(channel: ProviderChannel, call: UpstreamCall): string;
  /**
   * For providers with `other` in the host name: the hosts that follow from it for a channel without a base URL; undefined
   * when the value is malformed. Malformed values are refused on save; a change of the hosts asks for the key again.
   */
  decidesAddress?(other: string): readonly string[] | undefined;
  /** Headers that depend on the channel alone. */
  headers(channel: ProviderChannel): Record<string, string>;
  /** Headers that depend on the request (a signature, an exchanged token), added to `headers`. */
  authorize?(
    channel: ProviderChannel,
    request: UnsignedRequest,
    tools: SigningTools,
  ): Record<string, string> | Promise<Record<string, string>>;
  /** For upstreams with the signature in the query. Called for every request; the URL is a secret. */
  signedUrl?(channel: ProviderChannel, url: URL, tools: SigningTools): URL | Promise<URL>;
  /** The caller's header as this upstream accepts it; undefined drops it. Without this function headers pass unchanged. */
  callerHeader?(name: string, value: string): string | undefined;
  /** Accepts `stream_options.include_usage`. */
  readonly reportsStreamUsage?: boolean;
  /** Last changes to a JSON body in an accepted format; returns a new object, or the same if nothing changes. */
  adjust?(
    body: Record<string, unknown>,
    call: UpstreamCall,
    channel: ProviderChannel,
    notes: ConversionNote[],
  ): Record<string, unknown>;
  /** The codec of format 'own'. */
  readonly ownCodec?: UpstreamCodec;
  /** 'sse' by default. */
  framing?(call: UpstreamCall): Framing;
  /** Always streams: for callers who want a whole answer the relay collects the stream. */
  readonly alwaysStreams?: boolean;
  /** Never streams: for callers who want a stream the relay sends the whole answer as one. */
  readonly neverStreams?: boolean;
  /** A refusal in the upstream's own shape: an error inside a 200, or own codes. Undefined: the default reading applies. */
  refusalIn?(body: Readonly<Record<string, unknown>>, status: number): SupplierRefusal | undefined;
  /** Using the key changes it; `SigningTools.renewKey` stores the new one. */
  readonly renewsKey?: boolean;
  /** Accepts images and documents as data only; the relay downloads those given by URL. */
  readonly takesContentOnly?: boolean;
  /** Runs more than the request says (a workflow, a knowledge base, searches), so that its usage has other limits. */
  readonly runsMore?: boolean;
  /** Has an endpoint that counts the tokens of a request, in the formats it accepts. */
  readonly countsTokens?: boolean;
  /** How a batch's requests name a path of the API (`/v1/chat/completions`), where not in the same way. */
  batchPath?(path: string): string;
  /** OpenAI's list by default; null: the upstream has none. */
  readonly listing?: ModelListing | null;
  /** Conversions of tasks with other names and shapes; their formats are also in `speaks`. */
  readonly tasks?: Partial<Record<Format, TaskConversion>>;
}
