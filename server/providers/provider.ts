// What the relay must know of an upstream. A provider is data: where it lives, which formats it speaks, how a key is
// presented. Code appears only for a quirk, with the reason beside it.

/** Request formats of the relay's endpoints. An upstream that speaks the caller's format gets the bytes as they are. */
export type Format =
  | 'openai-chat'
  | 'openai-completions'
  | 'openai-embeddings'
  | 'openai-moderations'
  | 'openai-images'
  | 'openai-speech'
  | 'openai-transcriptions'
  | 'openai-rerank'
  | 'openai-responses'
  | 'openai-realtime';

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
  /** As OpenAI names it, such as `/v1/chat/completions`. */
  readonly path: string;
  readonly model: string;
}

export interface Provider {
  /** Number in `channels.type`. */
  readonly type: number;
  readonly name: string;
  /** Used when the channel has no base URL of its own. Empty: the channel must have one. */
  readonly baseUrl: string;
  readonly speaks: readonly Format[];
  /** The whole address of the call. */
  url(channel: ProviderChannel, call: UpstreamCall): string;
  headers(channel: ProviderChannel): Record<string, string>;
  /** Takes `stream_options.include_usage`. */
  readonly reportsStreamUsage: boolean;
}
