// npm run bench -- --aborts: callers that leave in mid stream, 100,000 times. Memory and descriptors must be back where
// they were; the base is taken after a first part, when pools and compiled code have their size.
import type { LoadGenerator } from './children.ts';
import { type Target, chatBody } from './phases.ts';
import { openDescriptors, residentMegabytes } from './process-stats.ts';

export interface AbortReport {
  name: string;
  aborted: number;
  errors: number;
  seconds: number;
  baseMegabytes: number;
  endMegabytes: number;
  baseDescriptors: number;
  endDescriptors: number;
}

const manyAborts = 100_000;
const connections = 100;

export async function abortedStreams(
  load: LoadGenerator,
  targets: readonly Target[],
  say: (text: string) => void,
  short: boolean,
): Promise<AbortReport[]> {
  const reports: AbortReport[] = [];
  const total = short ? 10_000 : manyAborts;
  for (const target of targets) {
    const report = await abort(load, target, total);
    say(
      `${report.name.padEnd(20)} ${report.aborted} aborted in ${report.seconds.toFixed(0)} s, ${report.errors} errors, ` +
        `RSS ${report.baseMegabytes.toFixed(0)} → ${report.endMegabytes.toFixed(0)} MB, ` +
        `descriptors ${report.baseDescriptors} → ${report.endDescriptors}`,
    );
    reports.push(report);
  }
  return reports;
}

async function abort(load: LoadGenerator, target: Target, total: number): Promise<AbortReport> {
  const body = chatBody({ endless: true, chunkDelayMilliseconds: 5 });
  const job = {
    url: target.url,
    key: target.key,
    path: '/v1/chat/completions',
    body,
    connections,
    abortAfterEvents: 3,
  };
  const first = await load.run({ ...job, requests: total / 10 });
  const base = await settled(target);
  const rest = await load.run({ ...job, requests: total - total / 10 });
  const end = await settled(target);
  return {
    name: target.name,
    aborted: first.aborted + rest.aborted,
    errors: first.errors + rest.errors,
    seconds: first.seconds + rest.seconds,
    baseMegabytes: base.megabytes,
    endMegabytes: end.megabytes,
    baseDescriptors: base.descriptors,
    endDescriptors: end.descriptors,
  };
}

/** Upstream connections are given up within a second of the caller's leaving; the collector takes a little longer. */
async function settled(target: Target): Promise<{ megabytes: number; descriptors: number }> {
  await Bun.sleep(5000);
  return { megabytes: residentMegabytes(target.processId), descriptors: openDescriptors(target.processId) };
}
