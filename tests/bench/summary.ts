// Turns the figures of all rounds into one row per target, the ratios with their limits, and the table.
import type { Burst, Held, Latency, Throughput } from './phases.ts';

/** Figures of one round for one target. */
export interface Round {
  throughput: Throughput;
  latency: Latency;
  firstTokenMilliseconds: number;
  /** Of streams that begin at once. */
  bursts: readonly Burst[];
  /** CPU µs per chunk, measured once or more: with few streams, and with many. */
  chunk: { few: number[]; many: number[] };
  /** With many converted streams; undefined for the bare proxy. */
  convertedChunk: number | undefined;
}

export interface Figures {
  name: string;
  /** By number: not every target runs in every round. */
  rounds: ReadonlyMap<number, Round>;
  held: Held | undefined;
  idleMegabytes: number;
}

/** The same load straight to the mock: the base of the added time. */
export interface Direct {
  latency: Latency[];
  firstTokenMilliseconds: number[];
  bursts: Burst[];
}

export interface Row {
  name: string;
  cpuMicrosecondsPerRequest: number;
  requestsPerSecond: number;
  p50Milliseconds: number;
  p99Milliseconds: number;
  addedP50Milliseconds: number;
  addedP99Milliseconds: number;
  cpuMicrosecondsPerChunkOfFew: number;
  cpuMicrosecondsPerChunkOfMany: number;
  cpuMicrosecondsPerConvertedChunk: number | undefined;
  addedFirstTokenMilliseconds: number;
  /** Of streams that begin at once: the one in the middle, and the last one. */
  addedFirstOfBurstMilliseconds: number;
  addedLastOfBurstMilliseconds: number;
  idleMegabytes: number;
  loadedMegabytes: number;
  heldStreams: number;
  heldMegabytes: number;
}

export interface Ratios {
  cpuPerRequest: number;
  /** The larger of the two that follow. */
  cpuPerChunk: number;
  cpuPerChunkOfFew: number;
  cpuPerChunkOfMany: number;
  throughput: number;
  addedP50Ms: number;
}

export function median(values: readonly number[]): number {
  if (values.length === 0) return 0;
  const sorted = [...values].sort((left, right) => left - right);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? 0)) / 2;
}

export function quartilesOf(values: readonly number[]): { lower: number; median: number; upper: number } {
  const sorted = values.toSorted((left, right) => left - right);
  const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
  return { lower: at(0.25), median: median(values), upper: at(0.75) };
}

export function rowOf({ name, rounds, held, idleMegabytes }: Figures, direct: Direct): Row {
  const all = [...rounds.values()];
  const of = (pick: (round: Round) => number | number[]): number => median(all.flatMap(pick));
  const p50 = of(({ latency }) => latency.p50Milliseconds);
  const p99 = of(({ latency }) => latency.p99Milliseconds);
  const burst = (pick: (each: Burst) => number): number =>
    of(({ bursts }) => bursts.map(pick)) - median(direct.bursts.map(pick));
  const converted = all.flatMap(({ convertedChunk }) => convertedChunk ?? []);
  return {
    name,
    cpuMicrosecondsPerRequest: of(({ throughput }) => throughput.cpuMicrosecondsPerRequest),
    requestsPerSecond: of(({ throughput }) => throughput.requestsPerSecond),
    p50Milliseconds: p50,
    p99Milliseconds: p99,
    addedP50Milliseconds: p50 - median(direct.latency.map((latency) => latency.p50Milliseconds)),
    addedP99Milliseconds: p99 - median(direct.latency.map((latency) => latency.p99Milliseconds)),
    cpuMicrosecondsPerChunkOfFew: of(({ chunk }) => chunk.few),
    cpuMicrosecondsPerChunkOfMany: of(({ chunk }) => chunk.many),
    cpuMicrosecondsPerConvertedChunk: converted.length === 0 ? undefined : median(converted),
    addedFirstTokenMilliseconds:
      of((round) => round.firstTokenMilliseconds) - median(direct.firstTokenMilliseconds),
    addedFirstOfBurstMilliseconds: burst(({ p50Milliseconds }) => p50Milliseconds),
    addedLastOfBurstMilliseconds: burst(({ lastMilliseconds }) => lastMilliseconds),
    idleMegabytes,
    loadedMegabytes: Math.max(0, ...all.map(({ throughput }) => throughput.residentMegabytes)),
    heldStreams: held?.streams ?? 0,
    heldMegabytes: held?.residentMegabytes ?? 0,
  };
}

/**
 * Compares with the bare proxy round by round: other load slows both halves of a round alike, so the median of the
 * rounds' ratios is steadier than the ratio of medians.
 */
export function ratiosOf(figures: Figures, proxy: Figures): Ratios {
  const paired = (compare: (ours: Round, floor: Round) => number[]): number =>
    median(
      [...figures.rounds].flatMap(([number, ours]) => {
        const floor = proxy.rounds.get(number);
        return floor === undefined ? [] : compare(ours, floor);
      }),
    );
  const part = (pick: (round: Round) => number): number =>
    paired((ours, floor) => [pick(ours) / pick(floor)]);
  const chunk = (pace: keyof Round['chunk']): number =>
    paired((ours, floor) =>
      ours.chunk[pace].map((microseconds, index) => microseconds / (floor.chunk[pace][index] ?? Number.NaN)),
    );
  const cpuPerChunkOfFew = chunk('few');
  const cpuPerChunkOfMany = chunk('many');
  return {
    cpuPerRequest: part(({ throughput }) => throughput.cpuMicrosecondsPerRequest),
    cpuPerChunk: Math.max(cpuPerChunkOfFew, cpuPerChunkOfMany),
    cpuPerChunkOfFew,
    cpuPerChunkOfMany,
    throughput: part(({ throughput }) => throughput.requestsPerSecond),
    addedP50Ms: paired((ours, floor) => [ours.latency.p50Milliseconds - floor.latency.p50Milliseconds]),
  };
}

/** A converted chunk compared with an unconverted one, round by round. */
export function crossFormatChunk({ rounds }: Figures): number {
  return median(
    [...rounds.values()].flatMap(({ chunk, convertedChunk }) =>
      convertedChunk === undefined ? [] : [convertedChunk / median(chunk.many)],
    ),
  );
}

const columns: [title: string, text: (row: Row) => string][] = [
  ['', (row) => row.name],
  ['CPU µs/request', (row) => row.cpuMicrosecondsPerRequest.toFixed(1)],
  ['req/s at 64', (row) => row.requestsPerSecond.toFixed(0)],
  ['added p50 ms', (row) => row.addedP50Milliseconds.toFixed(3)],
  ['added p99 ms', (row) => row.addedP99Milliseconds.toFixed(3)],
  ['CPU µs/chunk of 32', (row) => row.cpuMicrosecondsPerChunkOfFew.toFixed(1)],
  ['of 128', (row) => row.cpuMicrosecondsPerChunkOfMany.toFixed(1)],
  ['converted', (row) => row.cpuMicrosecondsPerConvertedChunk?.toFixed(1) ?? '–'],
  ['added first token ms', (row) => row.addedFirstTokenMilliseconds.toFixed(3)],
  ['of 64 at once', (row) => row.addedFirstOfBurstMilliseconds.toFixed(2)],
  ['their last', (row) => row.addedLastOfBurstMilliseconds.toFixed(2)],
  ['RSS idle MB', (row) => row.idleMegabytes.toFixed(0)],
  ['RSS loaded MB', (row) => row.loadedMegabytes.toFixed(0)],
  ['streams held', (row) => row.heldStreams.toFixed(0)],
  ['RSS then MB', (row) => row.heldMegabytes.toFixed(0)],
];

export function tableOf(rows: readonly Row[]): string {
  const lines = [columns.map(([title]) => title), ...rows.map((row) => columns.map(([, text]) => text(row)))];
  const widths = columns.map((_, index) => Math.max(...lines.map((line) => line[index]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((cell, index) => (index === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[index] ?? 0)))
        .join('  '),
    )
    .join('\n');
}

/** CPU of a request by thread, largest first. */
export function threadLine({ name, rounds }: Figures): string {
  const throughput = [...rounds.values()].map((round) => round.throughput);
  const threads = [...new Set(throughput.flatMap((run) => Object.keys(run.threads)))]
    .map((thread): [string, number] => [thread, median(throughput.map((run) => run.threads[thread] ?? 0))])
    .filter(([, microseconds]) => microseconds >= 0.5)
    .sort(([, left], [, right]) => right - left);
  const parts = threads.map(([thread, microseconds]) => `${thread} ${microseconds.toFixed(1)}`);
  return `${name}: CPU µs per request by thread: ${parts.join(', ')}`;
}

export function ratioLine(name: string, ratios: Ratios): string {
  return (
    `${name} against the bare proxy: CPU per request ${ratios.cpuPerRequest.toFixed(2)}×, ` +
    `CPU per chunk ${ratios.cpuPerChunkOfFew.toFixed(2)}× (of 128 streams ${ratios.cpuPerChunkOfMany.toFixed(2)}×), ` +
    `throughput ${(ratios.throughput * 100).toFixed(0)} %, ` +
    `p50 at concurrency 1 ${ratios.addedP50Ms >= 0 ? '+' : ''}${ratios.addedP50Ms.toFixed(3)} ms`
  );
}
