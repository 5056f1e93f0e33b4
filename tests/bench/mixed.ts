// npm run bench -- --memory [--minutes=60]: resident memory under a mix of all kinds of calls, by the minute: short calls, streams, streams
// of another format, streams that their callers leave, and pauses. The last column is after a minute of rest.
import type { LoadGenerator } from './children.ts';
import { chatBody, convertedModel, loadConnections } from './phases.ts';
import { residentMegabytes } from './process-stats.ts';
import { isConverting, type StartedTarget } from './targets.ts';

export interface MemoryReport {
  name: string;
  minutes: number;
  requests: number;
  idleMegabytes: number;
  /** At the end of each minute. */
  megabytes: number[];
  mostMegabytes: number;
  restedMegabytes: number;
}

const streams = { outputTokens: 100, chunkDelayMilliseconds: 10 };
const SAMPLE_MILLISECONDS = 250;

export async function mixedLoad(
  load: LoadGenerator,
  targets: readonly StartedTarget[],
  say: (text: string) => void,
  minutes: number,
): Promise<MemoryReport[]> {
  const reports: MemoryReport[] = [];
  for (const target of targets) {
    const report = await mix(load, target, minutes);
    const course = report.megabytes.map((megabytes) => megabytes.toFixed(0)).join(' ');
    say(
      `${report.name.padEnd(20)} ${report.requests} calls in ${minutes} min, RSS idle ${report.idleMegabytes.toFixed(0)} MB, ` +
        `by the minute ${course}, most ${report.mostMegabytes.toFixed(0)}, after the rest ${report.restedMegabytes.toFixed(0)}`,
    );
    reports.push(report);
  }
  return reports;
}

async function mix(load: LoadGenerator, target: StartedTarget, minutes: number): Promise<MemoryReport> {
  const idleMegabytes = residentMegabytes(target.processId);
  let mostMegabytes = idleMegabytes;
  const watch = setInterval(() => {
    mostMegabytes = Math.max(mostMegabytes, residentMegabytes(target.processId));
  }, SAMPLE_MILLISECONDS);
  const megabytes: number[] = [];
  let requests = 0;
  const startedAt = performance.now();
  const passed = () => (performance.now() - startedAt) / 60_000;
  while (passed() < minutes) {
    requests += await turn(load, target);
    if (passed() >= Math.min(megabytes.length + 1, minutes))
      megabytes.push(residentMegabytes(target.processId));
  }
  await Bun.sleep(Math.min(1, minutes) * 60_000);
  clearInterval(watch);
  const restedMegabytes = residentMegabytes(target.processId);
  return { name: target.name, minutes, requests, idleMegabytes, megabytes, mostMegabytes, restedMegabytes };
}

/** Some seconds of each kind. */
async function turn(load: LoadGenerator, target: StartedTarget): Promise<number> {
  const base = {
    url: target.url,
    key: target.key,
    path: '/v1/chat/completions',
    connections: loadConnections,
  };
  const jobs = [
    { body: chatBody(), seconds: 2 },
    { body: chatBody(streams), requests: 2 * loadConnections },
    ...(isConverting(target.kind)
      ? [{ body: chatBody(streams, convertedModel), requests: 2 * loadConnections }]
      : []),
    { body: chatBody({ endless: true, chunkDelayMilliseconds: 5 }), requests: 100, abortAfterEvents: 3 },
  ];
  let requests = 0;
  for (const job of jobs) {
    const { requests: done, aborted, errors, firstError } = await load.run({ ...base, ...job });
    if (errors > 0) throw new Error(`${target.name}: ${errors} calls broke: ${firstError}`);
    requests += done + aborted;
  }
  await Bun.sleep(500);
  return requests;
}
