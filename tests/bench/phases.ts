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
  /** How often every stream of a pace is asked for. */
  streamTurns: number;
  /** How often a round looks at few streams: they are hardly any work, and the machine's other work is soon larger. */
  fewSlices: number;
  firstTokenSeconds: number;
  /** How often so many streams begin at once. */
  bursts: number;
  heldStreams: number;
  /** The promise is about SQLite with a plain upstream: the others are measured in every so many rounds. */
  othersEvery: number;
}

export const shortEffort: Effort = {
  rounds: 4,
  budgetSeconds: 230,
  warmUpRequests: 30_000,
  warmUpSeconds: 7,
  throughputSeconds: 2.2,
  latencySeconds: 0.8,
  streamTurns: 1,
  fewSlices: 3,
  firstTokenSeconds: 0.5,
  bursts: 3,
  heldStreams: 500,
  othersEvery: 3,
};

export const fullEffort: Effort = {
  rounds: 7,
  budgetSeconds: 1200,
  warmUpRequests: 100_000,
  warmUpSeconds: 30,
  throughputSeconds: 6,
  latencySeconds: 4,
  streamTurns: 4,
  fewSlices: 2,
  firstTokenSeconds: 3,
  bursts: 12,
  heldStreams: 2000,
  othersEvery: 1,
};

const model = 'gpt-4o-mini';
/** From an upstream of another format. */
export const convertedModel = 'claude-opus-4-5';
const path = '/v1/chat/completions';
export const loadConnections = 64;
const question = 'What is a toll gate, and who pays for the road behind it? Answer in one sentence, please.';

export function chatBody(directive?: Record<string, unknown>, asked = model): string {
  const content = directive === undefined ? question : `${JSON.stringify({ mock: directive })}\n${question}`;
  const stream = directive === undefined ? {} : { stream: true };
  return JSON.stringify({ model: asked, ...stream, messages: [{ role: 'user', content }] });
}

const plainBody = chatBody();
const promptBody = chatBody({ outputTokens: 1 });
const heldBody = chatBody({ outputTokens: 3, chunkDelayMilliseconds: 1000 });

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

/** Streams side by side whose events come one by one, as from a real model. */
export interface Pace {
  streams: number;
  tokens: number;
  everyMilliseconds: number;
}

export interface Burst {
  p50Milliseconds: number;
  /** Of the stream that waited longest. */
  lastMilliseconds: number;
}

/** The first event of streams that begin at once, each on a connection of its own. */
export async function measureBursts(load: LoadGenerator, target: Target, bursts: number): Promise<Burst[]> {
  const job = { body: promptBody, connections: loadConnections, requests: loadConnections };
  const measured: Burst[] = [];
  for (let burst = 0; burst < bursts; burst += 1) {
    const { firstEventMilliseconds } = await cleanRun(load, target, job);
    measured.push({
      p50Milliseconds: firstEventMilliseconds.p50,
      lastMilliseconds: firstEventMilliseconds.p99,
    });
  }
  return measured;
}

/**
 * With few streams nearly every event wakes the process up; with many, events come together. A gateway has both, by day and
 * by night.
 */
export const paces = {
  few: { streams: 32, tokens: 200, everyMilliseconds: 8 },
  many: { streams: 128, tokens: 120, everyMilliseconds: 16 },
} as const satisfies Record<string, Pace>;

/** CPU per event. `asked`: of which model. */
export async function measureStreams(
  load: LoadGenerator,
  target: Target,
  { streams, tokens, everyMilliseconds }: Pace,
  { turns = 1, asked = model } = {},
): Promise<number> {
  const cpuBefore = cpuOf(target);
  const body = chatBody({ outputTokens: tokens, chunkDelayMilliseconds: everyMilliseconds }, asked);
  const result = await cleanRun(load, target, { body, connections: streams, requests: turns * streams });
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

export function cpuOf(target: Target): number {
  return target.processId === 0 ? 0 : cpuMicroseconds(target.processId);
}

function memoryOf(target: Target): number {
  return target.processId === 0 ? 0 : residentMegabytes(target.processId);
}
