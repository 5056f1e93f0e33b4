// The measurements, each a few seconds long, so that they can be interleaved between targets: other programs share the
// machine, and only figures taken close together can be compared.
import type { LoadGenerator } from './children.ts';
import type { LoadJob, LoadResult } from './load-job.ts';
import { cpuByThread, cpuMicroseconds, residentMegabytes } from './process-stats.ts';

export interface Target {
  name: string;
  url: string;
  key: string;
  /** 0 = the mock itself, whose CPU is of no interest. */
  processId: number;
}

export interface Effort {
  rounds: number;
  /** Fewer rounds on a busy machine rather than a longer bench. */
  budgetSeconds: number;
  warmUpRequests: number;
  warmUpSeconds: number;
  throughputSeconds: number;
  latencySeconds: number;
  streamRequests: number;
  firstTokenSeconds: number;
  heldStreams: number;
}

export const shortEffort: Effort = {
  rounds: 5,
  budgetSeconds: 160,
  warmUpRequests: 30_000,
  warmUpSeconds: 7,
  throughputSeconds: 2.5,
  latencySeconds: 1,
  streamRequests: 128,
  firstTokenSeconds: 1,
  heldStreams: 500,
};

export const fullEffort: Effort = {
  rounds: 7,
  budgetSeconds: 1200,
  warmUpRequests: 100_000,
  warmUpSeconds: 30,
  throughputSeconds: 6,
  latencySeconds: 4,
  streamRequests: 512,
  firstTokenSeconds: 3,
  heldStreams: 2000,
};

const model = 'gpt-4o-mini';
const path = '/v1/chat/completions';
const loadConnections = 64;
const streamConnections = 32;
/** As many streams as a busy gateway has, each with some sixty events a second: the pace of today's models. */
const pacedConnections = 128;
const pace = { outputTokens: 150, chunkDelayMilliseconds: 16 };
const question = 'What is a toll gate, and who pays for the road behind it? Answer in one sentence, please.';

export function chatBody(directive?: Record<string, unknown>, asked = model): string {
  const content = directive === undefined ? question : `${JSON.stringify({ mock: directive })}\n${question}`;
  const stream = directive === undefined ? {} : { stream: true };
  return JSON.stringify({ model: asked, ...stream, messages: [{ role: 'user', content }] });
}

const plainBody = chatBody();
const hastyBody = chatBody({ outputTokens: 200 });
const hastyConvertedBody = chatBody({ outputTokens: 200 }, 'claude-opus-4-5');
const pacedBody = chatBody(pace);
/** The same stream from an upstream of another format. */
const convertedBody = chatBody(pace, 'claude-opus-4-5');
const promptBody = chatBody({ outputTokens: 1 });
const heldBody = chatBody({ outputTokens: 4, chunkDelayMilliseconds: 1000 });

/** A run that did not go through is no measurement. */
export async function cleanRun(
  load: LoadGenerator,
  target: Target,
  job: Partial<LoadJob>,
): Promise<LoadResult> {
  const base = { url: target.url, path, key: target.key, body: plainBody, connections: 1 };
  const result = await load.run({ ...base, ...job });
  const refused = Object.keys(result.statuses).filter((status) => status !== '200');
  if (result.errors > 0 || refused.length > 0) {
    const what = JSON.stringify({
      statuses: result.statuses,
      errors: result.errors,
      firstError: result.firstError,
    });
    throw new Error(`${target.name}: not every call was answered: ${what}`);
  }
  return result;
}

/** A process whose compilers take a larger part of its time is not measured yet, unless it stays that way. */
const restlessShare = 0.03;
const leastTurns = 2;
const mostTurns = 4;

/**
 * The compilers and the heap of a fresh process take a while to settle; what they cost then is not the call's price. Every
 * kind of call comes again and again: code that was compiled for one kind is compiled again when another comes along.
 */
export async function warmUp(
  load: LoadGenerator,
  target: Target,
  effort: Effort,
  isConverting: boolean,
): Promise<void> {
  const { warmUpRequests: requests, warmUpSeconds: seconds } = effort;
  const streams = { connections: streamConnections, requests: 8 * streamConnections, seconds };
  for (let turn = 1; turn <= mostTurns; turn += 1) {
    const before = compilerShareOf(target);
    await cleanRun(load, target, { connections: loadConnections, requests, seconds: seconds / 2 });
    const isRestless = before() > restlessShare;
    await cleanRun(load, target, { ...streams, body: hastyBody });
    if (isConverting) await cleanRun(load, target, { ...streams, body: hastyConvertedBody });
    await cleanRun(load, target, { requests: 500, seconds: 1 });
    if (turn >= leastTurns && !isRestless) break;
  }
  const paced = { connections: pacedConnections, requests: pacedConnections, seconds };
  await cleanRun(load, target, { ...paced, body: pacedBody });
}

/** From now until it is asked: the part of the process's time that its compilers took. */
function compilerShareOf(target: Target): () => number {
  if (target.processId === 0) return () => 0;
  const compilers = () => cpuByThread(target.processId)['JITWorker'] ?? 0;
  const compiledBefore = compilers();
  const before = cpuOf(target);
  return () => (compilers() - compiledBefore) / Math.max(1, cpuOf(target) - before);
}

export interface Throughput {
  requestsPerSecond: number;
  cpuMicrosecondsPerRequest: number;
  threads: Record<string, number>;
  residentMegabytes: number;
}

export async function measureThroughput(
  load: LoadGenerator,
  target: Target,
  seconds: number,
): Promise<Throughput> {
  const cpuBefore = cpuOf(target);
  const threadsBefore = cpuByThread(target.processId);
  const result = await cleanRun(load, target, { connections: loadConnections, seconds });
  const cpu = cpuOf(target) - cpuBefore;
  const threads: Record<string, number> = {};
  for (const [name, microseconds] of Object.entries(cpuByThread(target.processId))) {
    threads[name] = (microseconds - (threadsBefore[name] ?? 0)) / result.requests;
  }
  return {
    requestsPerSecond: result.requests / result.seconds,
    cpuMicrosecondsPerRequest: cpu / result.requests,
    threads,
    residentMegabytes: memoryOf(target),
  };
}

export interface Latency {
  p50Milliseconds: number;
  p99Milliseconds: number;
}

export async function measureLatency(load: LoadGenerator, target: Target, seconds: number): Promise<Latency> {
  const { latencyMilliseconds } = await cleanRun(load, target, { seconds });
  return { p50Milliseconds: latencyMilliseconds.p50, p99Milliseconds: latencyMilliseconds.p99 };
}

export async function measureFirstToken(
  load: LoadGenerator,
  target: Target,
  seconds: number,
): Promise<number> {
  const result = await cleanRun(load, target, { body: promptBody, seconds });
  return result.firstEventMilliseconds.p50;
}

/** CPU per event of long streams whose events come one by one, as from a real model. */
export async function measureStreams(load: LoadGenerator, target: Target, requests: number): Promise<number> {
  const cpuBefore = cpuOf(target);
  const result = await cleanRun(load, target, { body: pacedBody, connections: pacedConnections, requests });
  return (cpuOf(target) - cpuBefore) / result.events;
}

/** The same where every event is read in one format and written in another. */
export async function measureConverted(
  load: LoadGenerator,
  target: Target,
  requests: number,
): Promise<number> {
  const cpuBefore = cpuOf(target);
  const job = { body: convertedBody, connections: pacedConnections, requests };
  const result = await cleanRun(load, target, job);
  return (cpuOf(target) - cpuBefore) / result.events;
}

export interface Held {
  streams: number;
  residentMegabytes: number;
}

export async function measureHeld(load: LoadGenerator, target: Target, streams: number): Promise<Held> {
  let resident = 0;
  const watch = setInterval(() => {
    resident = Math.max(resident, memoryOf(target));
  }, 200);
  try {
    const result = await cleanRun(load, target, { body: heldBody, connections: streams, requests: streams });
    return { streams: result.mostOpenStreams, residentMegabytes: resident };
  } finally {
    clearInterval(watch);
  }
}

function cpuOf(target: Target): number {
  return target.processId === 0 ? 0 : cpuMicroseconds(target.processId);
}

function memoryOf(target: Target): number {
  return target.processId === 0 ? 0 : residentMegabytes(target.processId);
}
