// npm run bench -- --streams: 5,000 slow streams open at once through each target. Counts drops, watches memory.
import type { LoadGenerator } from './children.ts';
import { type Target, chatBody } from './phases.ts';
import { residentMegabytes } from './process-stats.ts';

export interface HeldReport {
  name: string;
  asked: number;
  heldAtOnce: number;
  completed: number;
  dropped: number;
  idleMegabytes: number;
  mostMegabytes: number;
  afterMegabytes: number;
  kilobytesPerStream: number;
}

/** Two descriptors per stream in a relay, and the process limit on a small machine is 20,000. */
const manyStreams = 5000;
const eventDelayMilliseconds = 5000;
const eventsPerStream = 8;
/** Callers connect one after the other; thousands at the same instant are another test. */
const openedPerSecond = 500;

export async function heldStreams(
  load: LoadGenerator,
  targets: readonly Target[],
  say: (text: string) => void,
  short: boolean,
): Promise<HeldReport[]> {
  const reports: HeldReport[] = [];
  for (const target of targets) {
    const report = await hold(load, target, short ? 1000 : manyStreams);
    say(
      `${report.name.padEnd(20)} held ${report.heldAtOnce} of ${report.asked}, dropped ${report.dropped}, RSS ` +
        `${report.idleMegabytes.toFixed(0)} → ${report.mostMegabytes.toFixed(0)} → ${report.afterMegabytes.toFixed(0)} MB ` +
        `(${report.kilobytesPerStream.toFixed(1)} KB per stream)`,
    );
    reports.push(report);
  }
  return reports;
}

async function hold(load: LoadGenerator, target: Target, streams: number): Promise<HeldReport> {
  const idleMegabytes = residentMegabytes(target.processId);
  let mostMegabytes = idleMegabytes;
  const watch = setInterval(() => {
    mostMegabytes = Math.max(mostMegabytes, residentMegabytes(target.processId));
  }, 250);
  const body = chatBody({ outputTokens: eventsPerStream, chunkDelayMilliseconds: eventDelayMilliseconds });
  const path = '/v1/chat/completions';
  const job = { url: target.url, key: target.key, path, body, connections: streams, requests: streams };
  const result = await load.run({ ...job, perSecond: openedPerSecond });
  clearInterval(watch);
  await Bun.sleep(3000);
  const completed = result.statuses['200'] ?? 0;
  return {
    name: target.name,
    asked: streams,
    heldAtOnce: result.mostOpenStreams,
    completed,
    dropped: streams - completed,
    idleMegabytes,
    mostMegabytes,
    afterMegabytes: residentMegabytes(target.processId),
    kilobytesPerStream: ((mostMegabytes - idleMegabytes) * 1024) / streams,
  };
}
