// From the rounds' figures to one row per target, the ratios the promise is about, and the table.
import type { Held, Latency, Throughput } from './phases.ts';

export interface Figures {
  name: string;
  throughput: Throughput[];
  latency: Latency[];
  firstTokenMilliseconds: number[];
  cpuMicrosecondsPerChunk: number[];
  /** Of streams between two formats; nothing for the bare proxy. */
  cpuMicrosecondsPerConvertedChunk: number[];
  held: Held | undefined;
  idleMegabytes: number;
}

export interface Row {
  name: string;
  cpuMicrosecondsPerRequest: number;
  requestsPerSecond: number;
  p50Milliseconds: number;
  p99Milliseconds: number;
  addedP50Milliseconds: number;
  addedP99Milliseconds: number;
  cpuMicrosecondsPerChunk: number;
  cpuMicrosecondsPerConvertedChunk: number;
  addedFirstTokenMilliseconds: number;
  idleMegabytes: number;
  loadedMegabytes: number;
  heldStreams: number;
  heldMegabytes: number;
}

export interface Ratios {
  cpuPerRequest: number;
  cpuPerChunk: number;
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

/** `direct` is the same load straight to the mock: what is added is counted from there. */
export function rowOf(figures: Figures, direct: Figures): Row {
  const of = <T>(list: readonly T[], pick: (item: T) => number): number => median(list.map(pick));
  const p50 = of(figures.latency, (latency) => latency.p50Milliseconds);
  const p99 = of(figures.latency, (latency) => latency.p99Milliseconds);
  return {
    name: figures.name,
    cpuMicrosecondsPerRequest: of(figures.throughput, (run) => run.cpuMicrosecondsPerRequest),
    requestsPerSecond: of(figures.throughput, (run) => run.requestsPerSecond),
    p50Milliseconds: p50,
    p99Milliseconds: p99,
    addedP50Milliseconds: p50 - of(direct.latency, (latency) => latency.p50Milliseconds),
    addedP99Milliseconds: p99 - of(direct.latency, (latency) => latency.p99Milliseconds),
    cpuMicrosecondsPerChunk: median(figures.cpuMicrosecondsPerChunk),
    cpuMicrosecondsPerConvertedChunk: median(figures.cpuMicrosecondsPerConvertedChunk),
    addedFirstTokenMilliseconds:
      median(figures.firstTokenMilliseconds) - median(direct.firstTokenMilliseconds),
    idleMegabytes: figures.idleMegabytes,
    loadedMegabytes: Math.max(0, ...figures.throughput.map((run) => run.residentMegabytes)),
    heldStreams: figures.held?.streams ?? 0,
    heldMegabytes: figures.held?.residentMegabytes ?? 0,
  };
}

/**
 * Against the bare proxy, round by round: a busy neighbour slows both halves of a round alike, so the median of the
 * rounds' ratios is steadier than the ratio of medians.
 */
export function ratiosOf(figures: Figures, proxy: Figures): Ratios {
  const paired = <T>(pick: (of: Figures) => readonly T[], compare: (ours: T, floor: T) => number): number => {
    const floors = pick(proxy);
    const ratios: number[] = [];
    for (const [index, ours] of pick(figures).entries()) {
      const floor = floors[index];
      if (floor !== undefined) ratios.push(compare(ours, floor));
    }
    return median(ratios);
  };
  return {
    cpuPerRequest: paired(
      (of) => of.throughput,
      (ours, floor) => ours.cpuMicrosecondsPerRequest / floor.cpuMicrosecondsPerRequest,
    ),
    cpuPerChunk: paired(
      (of) => of.cpuMicrosecondsPerChunk,
      (ours, floor) => ours / floor,
    ),
    throughput: paired(
      (of) => of.throughput,
      (ours, floor) => ours.requestsPerSecond / floor.requestsPerSecond,
    ),
    addedP50Ms: paired(
      (of) => of.latency,
      (ours, floor) => ours.p50Milliseconds - floor.p50Milliseconds,
    ),
  };
}

/** A converted chunk against one that passes, round by round. */
export function crossFormatChunk({
  cpuMicrosecondsPerChunk,
  cpuMicrosecondsPerConvertedChunk,
}: Figures): number {
  return median(
    cpuMicrosecondsPerConvertedChunk.map(
      (converted, round) => converted / (cpuMicrosecondsPerChunk[round] ?? Number.NaN),
    ),
  );
}

const columns: [title: string, text: (row: Row) => string][] = [
  ['', (row) => row.name],
  ['CPU µs/request', (row) => row.cpuMicrosecondsPerRequest.toFixed(1)],
  ['req/s at 64', (row) => row.requestsPerSecond.toFixed(0)],
  ['added p50 ms', (row) => row.addedP50Milliseconds.toFixed(3)],
  ['added p99 ms', (row) => row.addedP99Milliseconds.toFixed(3)],
  ['CPU µs/chunk', (row) => row.cpuMicrosecondsPerChunk.toFixed(1)],
  ['converted µs/chunk', (row) => row.cpuMicrosecondsPerConvertedChunk.toFixed(1)],
  ['added first token ms', (row) => row.addedFirstTokenMilliseconds.toFixed(3)],
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

/** Where a request's CPU goes, by thread, largest first. */
export function threadLine({ name, throughput }: Figures): string {
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
    `CPU per chunk ${ratios.cpuPerChunk.toFixed(2)}×, throughput ${(ratios.throughput * 100).toFixed(0)} %, ` +
    `p50 at concurrency 1 ${ratios.addedP50Ms >= 0 ? '+' : ''}${ratios.addedP50Ms.toFixed(3)} ms`
  );
}
