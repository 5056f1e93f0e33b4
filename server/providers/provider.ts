// What the relay must know of an upstream. A provider is data: where it lives, which formats it speaks, how a key is
// presented. Code appears only for a quirk, with the reason beside it.
import type { CanonicalError, UpstreamCodec } from '#server/formats/codec.ts';
import type { ConversionNote } from '#server/formats/canonical.ts';
import type { Format, TaskConversion } from '#server/formats/format.ts';

export type { Format, TaskConversion, TaskFile } from '#server/formats/format.ts';

/** A channel as far as providers care: its row, with the key opened. */
export interface ProviderChannel {
  readonly baseUrl: string;
  readonly key: string;
  readonly organization: string;
  /** The row's free field: API version, region, account id, by provider. */
  readonly other: string;
}

export interface UpstreamCall {
  readonly format: Format;
  /** As the caller's format names it, such as `/v1/chat/completions`. */
  readonly path: string;
  readonly model: string;
  readonly isStream: boolean;
  /** Features of Anthropic's API that the caller named in a header. */
  readonly betas?: readonly string[];
}

/** A request that is ready but for its authentication. */
export interface UnsignedRequest {
  readonly method: string;
  readonly url: URL;
  readonly body: string | Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
}

/** What a provider may use to authenticate: the outbound door (same address rules as the call itself), clock and memory. */
export interface SigningTools {
  now(): Date;
  fetchJson(
    url: string,
    request: { method: string; headers: Record<string, string>; body?: string },
  ): Promise<unknown>;
  /** Remembers what `make` made until it expires; concurrent askers share one making. */
  remember(key: string, make: () => Promise<{ value: string; expiresAt: Date }>): Promise<string>;
  /** Replaces the channel's kept key by what `renew` makes of it, one at a time; gives the key that is kept then. */
  renewKey?(renew: (key: string) => Promise<string>): Promise<string>;
}

/** How a stream is cut into frames. */
export type Framing = 'sse' | 'ndjson' | 'aws-event-stream' | 'websocket';

/** What a supplier refused, in no dialect, with the status the answer should have had. */
export interface SupplierRefusal extends CanonicalError {
  readonly status: number;
  /** The operator's key or account is at fault: the channel may be switched off for it. */
  readonly isAccountFault: boolean;
}

/** How a supplier lists the models of a key. */
export interface ModelListing {
  url(channel: ProviderChannel): string;
  /** The names in the answer, as the supplier wrote them; undefined: the answer is no list. */
  names(answer: unknown): readonly unknown[] | undefined;
}

export interface Provider {
  /** Number in `channels.type`. */
  readonly type: number;
  readonly name: string;
  /** Used when the channel has no base URL of its own. Empty: the channel must have one. */
  readonly baseUrl: string;
  /** In the order of preference: what the caller speaks wins, else the first that can be converted. */
  readonly speaks: readonly Format[];
  /** The formats of one model, when they differ by model (Claude or Gemini at Vertex, say). */
  speaksFor?(model: string, channel: ProviderChannel): readonly Format[];
  /** The whole address of the call. */
  url(channel: ProviderChannel, call: UpstreamCall): string;
  /** Headers that follow from the channel alone. */
  headers(channel: ProviderChannel): Record<string, string>;
  /** Headers that follow from the call: a signature, an exchanged token. Added to `headers`. */
  authorize?(
    channel: ProviderChannel,
    request: UnsignedRequest,
    tools: SigningTools,
  ): Record<string, string> | Promise<Record<string, string>>;
  /**
   * The address with its proof in the query, for suppliers that want it there. It is made anew for every call, and it is a
   * secret.
   */
  signedUrl?(channel: ProviderChannel, url: URL, tools: SigningTools): URL | Promise<URL>;
  /** A header of the caller's as this supplier takes it; undefined: not at all. Without this it passes as it came. */
  callerHeader?(name: string, value: string): string | undefined;
  /** Takes `stream_options.include_usage`. */
  readonly reportsStreamUsage: boolean;
  /** Last changes to a JSON body in a format the provider speaks; must answer a new object, or the same when nothing changes. */
  adjust?(
    body: Record<string, unknown>,
    call: UpstreamCall,
    channel: ProviderChannel,
    notes: ConversionNote[],
  ): Record<string, unknown>;
  /** The codec of format 'own'. */
  readonly ownCodec?: UpstreamCodec;
  /** 'sse' unless said otherwise. */
  framing?(call: UpstreamCall): Framing;
  /** Answers as a stream whether asked to or not: a caller who wants a whole answer gets the stream collected. */
  readonly alwaysStreams?: boolean;
  /** Answers whole whether asked to stream or not: a caller who wants a stream gets the answer as one. */
  readonly neverStreams?: boolean;
  /**
   * A refusal in this supplier's own shape or words: hidden in a 200, or with codes of its own. `status` is the status of
   * the answer. undefined: nothing to add to what is usual.
   */
  refusalIn?(body: Readonly<Record<string, unknown>>, status: number): SupplierRefusal | undefined;
  /** The key changes by being used; `SigningTools.renewKey` keeps the new one. */
  readonly renewsKey?: boolean;
  /** Takes pictures and documents by their content only; addresses are read for it. */
  readonly takesContentOnly?: boolean;
  /** Counts the tokens of a request without answering it, in the formats it speaks. */
  readonly countsTokens?: boolean;
  /** OpenAI's list unless said otherwise; null: the supplier has none. */
  readonly listing?: ModelListing | null;
  /** Tasks the supplier has under other names and shapes; their formats also stand in `speaks`. */
  readonly tasks?: Partial<Record<Format, TaskConversion>>;
}
