// npm run bench -- --aborts: callers that leave in mid stream, 100,000 times. Memory and descriptors must return to the
// base. The base is taken after ordinary calls and a fifth of the aborts, when heap, pools and compiled code have
// reached their size; the figure half way shows whether the rest still grows.
import type { LoadGenerator } from './children.ts';
import { type Target, chatBody } from './phases.ts';
import { openDescriptors, residentMegabytes } from './process-stats.ts';

export interface AbortReport {
  name: string;
  aborted: number;
  errors: number;
  seconds: number;
  baseMegabytes: number;
  middleMegabytes: number;
  endMegabytes: number;
  baseDescriptors: number;
  endDescriptors: number;
}

const manyAborts = 100_000;
const connections = 100;
const warmUpSeconds = 20;

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
        `RSS ${report.baseMegabytes.toFixed(0)} → ${report.middleMegabytes.toFixed(0)} → ${report.endMegabytes.toFixed(0)} MB, ` +
        `descriptors ${report.baseDescriptors} → ${report.endDescriptors}`,
    );
    reports.push(report);
  }
  return reports;
}

async function abort(load: LoadGenerator, target: Target, total: number): Promise<AbortReport> {
  const body = chatBody({ endless: true, chunkDelayMilliseconds: 5 });
  const path = '/v1/chat/completions';
  const job = { url: target.url, key: target.key, path, body, connections, abortAfterEvents: 3 };
  await load.run({
    ...job,
    body: chatBody(),
    abortAfterEvents: undefined,
    requests: total,
    seconds: warmUpSeconds,
  });
  await load.run({ ...job, requests: total / 5 });
  const base = await settled(target);
  const first = await load.run({ ...job, requests: total / 2 });
  const middle = await settled(target);
  const second = await load.run({ ...job, requests: total / 2 });
  const end = await settled(target);
  return {
    name: target.name,
    aborted: first.aborted + second.aborted,
    errors: first.errors + second.errors,
    seconds: first.seconds + second.seconds,
    baseMegabytes: base.megabytes,
    middleMegabytes: middle.megabytes,
    endMegabytes: end.megabytes,
    baseDescriptors: base.descriptors,
    endDescriptors: end.descriptors,
  };
}

const settledSamples = 36;
const sampleMilliseconds = 500;

/**
 * Upstream connections are closed within a second after the caller leaves; the garbage collector needs a few turns more.
 */
async function settled(target: Target): Promise<{ megabytes: number; descriptors: number }> {
  let megabytes = Number.POSITIVE_INFINITY;
  for (let sample = 0; sample < settledSamples; sample += 1) {
    await Bun.sleep(sampleMilliseconds);
    megabytes = Math.min(megabytes, residentMegabytes(target.processId));
  }
  return { megabytes, descriptors: openDescriptors(target.processId) };
}
