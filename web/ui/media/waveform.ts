/** The loudness of a sound as a few bars. The sound is read when a person plays it, and only from this host. */
import { isOwnAddress, shownAddress } from './own-address.ts';

export const BARS = 48;
/** A longer sound would take too much memory to decode: five minutes of it are a hundred megabytes. */
const MOST_BYTES = 12 * 1024 * 1024;
const MOST_KEPT = 50;

/** The loudest sample of each bar, relative to the loudest of all. */
export function peaksOf(samples: Float32Array, count = BARS): number[] {
  const size = Math.max(1, Math.floor(samples.length / count));
  const peaks = Array.from({ length: count }, (_, bar) => {
    let most = 0;
    // A few hundred samples of a bar are enough for its height.
    const step = Math.max(1, Math.floor(size / 400));
    for (let at = bar * size; at < Math.min(samples.length, (bar + 1) * size); at += step)
      most = Math.max(most, Math.abs(samples[at] ?? 0));
    return most;
  });
  const loudest = Math.max(...peaks);
  return peaks.map((peak) => (loudest === 0 ? 0 : peak / loudest));
}

const kept = new Map<string, Promise<number[] | undefined>>();

/** Undefined when the sound cannot be read or is too long. */
export function readPeaks(address: string): Promise<number[] | undefined> {
  const known = kept.get(address);
  if (known !== undefined) return known;
  const read = decode(address).catch(() => undefined);
  if (kept.size >= MOST_KEPT) kept.clear();
  kept.set(address, read);
  return read;
}

async function decode(address: string): Promise<number[] | undefined> {
  if (!isOwnAddress(address)) return undefined;
  const response = await fetch(shownAddress(address), { headers: { Range: `bytes=0-${MOST_BYTES}` } });
  if (!response.ok) return undefined;
  const bytes = await response.arrayBuffer();
  if (bytes.byteLength > MOST_BYTES) return undefined;
  const sound = await new OfflineAudioContext(1, 1, 22_050).decodeAudioData(bytes);
  return peaksOf(sound.getChannelData(0));
}
