// What is known of a video beside the columns of its row: what was asked for, then what was made.
import { usageOf, type Usage } from '#server/money/prices/usage.ts';
import type { PriceSnapshot } from '#server/money/prices/price.ts';
import type { Task } from '#server/relay/tasks/rows.ts';
import type { Plan } from './platform.ts';

export interface VideoFacts extends Plan {
  /** As the caller wrote it; empty when not given. */
  readonly size: string;
  /** The size, also of a request that has a resolution or a shape instead; empty without any of them. */
  readonly askedSize: string;
  /** Addresses of the caller's pictures. */
  readonly pictureUrls: readonly string[];
  /** What a report may say at most: what was asked for, or the platform's longest video. */
  readonly mostSeconds: number;
  /** From the upstream's report; 0 when it has none. */
  readonly tokens: number;
  /** The last report had impossible numbers, which were not used. */
  readonly isDoubtful: boolean;
  /** Upstream's name of the file. */
  readonly file: string;
  readonly imageUrl: string;
  /** The caller's id of the video this one is made from. */
  readonly remixedFrom: string;
}

/** For videos that were submitted before this was kept. */
const LONGEST_UNKNOWN = 60;

export function factsOf({ properties }: Pick<Task, 'properties'>): VideoFacts {
  const stored = properties === '' ? {} : (JSON.parse(properties) as Partial<VideoFacts>);
  return {
    seconds: stored.seconds ?? 0,
    resolution: stored.resolution ?? '',
    size: stored.size ?? '',
    askedSize: stored.askedSize ?? stored.size ?? '',
    pictureUrls: stored.pictureUrls ?? [],
    mostSeconds: stored.mostSeconds ?? Math.max(LONGEST_UNKNOWN, stored.seconds ?? 0),
    tokens: stored.tokens ?? 0,
    isDoubtful: stored.isDoubtful ?? false,
    file: stored.file ?? '',
    imageUrl: stored.imageUrl ?? '',
    remixedFrom: stored.remixedFrom ?? '',
  };
}

export const factsText = (facts: VideoFacts): string => JSON.stringify(facts);

const FRAMES_PER_SECOND = 24;

/** Width × height × frames / 1024 of a wide picture, as token-priced platforms count. */
export function estimatedTokens({ seconds, resolution }: Plan): number {
  const lines = Number.parseInt(resolution, 10) || 720;
  return Math.ceil((((lines * 16) / 9) * lines * FRAMES_PER_SECOND * seconds) / 1024);
}

/** Twice the tokens of the longest video in 4K: more cannot have been used. */
export const mostTokens = ({ mostSeconds }: VideoFacts): number =>
  2 * estimatedTokens({ seconds: mostSeconds, resolution: '2160p' });

/** What the price is applied to: seconds or one video of a fixed price, or tokens. */
export function videoUsage(price: PriceSnapshot, { seconds, resolution, tokens }: VideoFacts): Usage {
  if (price.kind === 'ratio')
    return usageOf({ output: tokens > 0 ? tokens : estimatedTokens({ seconds, resolution }) });
  return usageOf({ pieces: price.unit === 'second' ? seconds : 1, resolution });
}
