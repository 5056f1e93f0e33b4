// A platform that makes videos: how a request is written for its API, and how its answers are read. The rest (money, rows,
// polling, paths) is the same for all of them. A new platform is one object of this kind in registry.ts.
import type { ConversionNote } from '#server/models/formats/canonical.ts';
import type { VideoRequest } from './request.ts';

/** A request to the upstream's API, without address and key. */
export interface UpstreamRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  /** For upstreams with the model in the address. */
  readonly model?: string;
  readonly json?: Record<string, unknown>;
  /** Instead of `json`. */
  readonly form?: FormData;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a platform will make of a request. Prices depend on it before the platform has said what it made. */
export interface Plan {
  readonly seconds: number;
  /** Such as `720p`. */
  readonly resolution: string;
}

export type VideoStatus = 'QUEUED' | 'IN_PROGRESS' | 'SUCCESS' | 'FAILURE';

/** What the upstream says about a task. */
export interface VideoReport {
  readonly status: VideoStatus;
  /** Percent. */
  readonly progress?: number;
  readonly failReason?: string;
  /** Public address of the video. */
  readonly url?: string;
  readonly imageUrl?: string;
  /** The upstream's name of the file, where a report has no address. */
  readonly file?: string;
  readonly seconds?: number;
  readonly resolution?: string;
  readonly tokens?: number;
  /** The upstream does not know the task. */
  readonly isLost?: true;
}

export interface VideoPlatform {
  readonly name: string;
  /** Reports of a longer video are believed only up to what was asked for. */
  readonly longestSeconds: number;
  /** Accepts pictures as data only; those given by URL are downloaded. */
  readonly takesPictureData?: boolean;
  plan(video: VideoRequest): Plan;
  submission(video: VideoRequest, notes: ConversionNote[]): UpstreamRequest;
  /** The id for later questions; empty when the answer has none. */
  idIn(answer: unknown, sent: UpstreamRequest): string;
  question(id: string): UpstreamRequest;
  /** Undefined when the answer is no report. */
  report(answer: unknown): VideoReport | undefined;
  /** Where the bytes are, for platforms whose report has no public address. */
  contentAt?(id: string, variant: string, file: string): UpstreamRequest;
  /** Reads the answer to `contentAt` when it is not the bytes: an address, or the bytes as base64. */
  contentIn?(answer: unknown): { url: string } | { base64: string; type: string } | undefined;
  cancel?(id: string): UpstreamRequest;
  /** Deletes a finished video at the upstream. */
  remove?(id: string): UpstreamRequest;
  remix?(id: string, prompt: string): UpstreamRequest;
}
