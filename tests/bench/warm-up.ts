// Runs before the measurement: the compilers and the heap of a fresh process take a while to settle, and their cost is
// not the price of a call.
import type { LoadGenerator } from './children.ts';
import {
  chatBody,
  cleanRun,
  convertedModel,
  cpuOf,
  type Effort,
  loadConnections,
  measureStreams,
  paces,
  type Target,
} from './phases.ts';
import { cpuByThread } from './process-stats.ts';
import { isConverting, type StartedTarget } from './targets.ts';

/** A process whose compilers take a larger part of its time is not warm yet, unless the part stays that large. */
const restlessShare = 0.03;
const leastTurns = 2;
const mostTurns = 4;
const streamConnections = 32;
const hastyBody = chatBody({ outputTokens: 200 });
const hastyConvertedBody = chatBody({ outputTokens: 200 }, convertedModel);

/** All kinds of call alternate: code compiled for one kind is compiled again when another kind runs. */
export async function warmUp(
  load: LoadGenerator,
  target: StartedTarget,
  { warmUpRequests: requests, warmUpSeconds: seconds }: Effort,
): Promise<void> {
  const converts = isConverting(target.kind);
  const streams = { connections: streamConnections, requests: 8 * streamConnections, seconds };
  await untilCalm(async () => {
    const share = compilerShareOf(target);
    await cleanRun(load, target, { connections: loadConnections, requests, seconds: seconds / 2 });
    const ofCalls = share();
    await cleanRun(load, target, { ...streams, body: hastyBody });
    if (converts) await cleanRun(load, target, { ...streams, body: hastyConvertedBody });
    await cleanRun(load, target, { requests: 500, seconds: 1 });
    return ofCalls;
  });
  await untilCalm(async () => {
    const share = compilerShareOf(target);
    await measureStreams(load, target, paces.few);
    return share();
  });
  await measureStreams(load, target, paces.many);
}

/** `turn` returns the compilers' part of its CPU time. */
async function untilCalm(turn: () => Promise<number>): Promise<void> {
  for (let turns = 1; turns <= mostTurns; turns += 1) {
    const share = await turn();
    if (turns >= leastTurns && share <= restlessShare) break;
  }
}

/** Returns a function with the compilers' part of the process's CPU time since this call. */
function compilerShareOf(target: Target): () => number {
  if (target.processId === 0) return () => 0;
  const compilers = () => cpuByThread(target.processId)['JITWorker'] ?? 0;
  const compiledBefore = compilers();
  const before = cpuOf(target);
  return () => (compilers() - compiledBefore) / Math.max(1, cpuOf(target) - before);
}
