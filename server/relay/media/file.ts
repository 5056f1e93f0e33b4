// A file of a task's result: a picture, a song, a video.
import type { Row } from '#server/platform/store/schema.ts';

export type MediaKind = 'image' | 'audio' | 'video';

/** Where the upstream has the file. */
export interface Source {
  readonly url: string;
  /** Not sent to another origin after a redirect. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The origin of the channel; empty: none. Every other address is the upstream's choice and must be a public one. */
  readonly home: string;
  /** The channel's proxy; empty: none. */
  readonly proxy?: string;
}

/** The bytes themselves, from an upstream that sends them inside its answer. */
export interface InlineSource {
  readonly bytes: Uint8Array;
  readonly type: string;
}

export interface MediaFile {
  readonly task: Pick<Row<'tasks'>, 'id' | 'hold_id'>;
  /** Within the task, such as `audio-0`. */
  readonly name: string;
  readonly kind: MediaKind;
  /** A function where the upstream is asked for the address, or for a new one, each time the file is read. */
  readonly source: Source | (() => Promise<Source | InlineSource>);
  /** False while the upstream still replaces it, as the preview of a drawing. */
  readonly isFinal: boolean;
  /** Users get our address of it; only such files are kept. */
  readonly isForwarded: boolean;
}

export const sourceOf = async ({ source }: MediaFile): Promise<Source | InlineSource> =>
  typeof source === 'function' ? await source() : source;
