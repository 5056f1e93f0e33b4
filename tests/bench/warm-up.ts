// Before anything is measured: the compilers and the heap of a fresh process take a while to settle, and what they cost then is
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
import type { StartedTarget } from './targets.ts';

/** A process whose compilers take a larger part of its time is not measured yet, unless it stays that way. */
const restlessShare = 0.03;
const leastTurns = 2;
const mostTurns = 4;
const streamConnections = 32;
const hastyBody = chatBody({ outputTokens: 200 });
const hastyConvertedBody = chatBody({ outputTokens: 200 }, convertedModel);

/** Every kind of call comes again and again: code that was compiled for one kind is compiled again when another comes along. */
export async function warmUp(
  load: LoadGenerator,
  target: StartedTarget,
  { warmUpRequests: requests, warmUpSeconds: seconds }: Effort,
): Promise<void> {
  const isConverting = target.kind !== 'proxy';
  const streams = { connections: streamConnections, requests: 8 * streamConnections, seconds };
  await untilCalm(async () => {
    const share = compilerShareOf(target);
    await cleanRun(load, target, { connections: loadConnections, requests, seconds: seconds / 2 });
    const ofCalls = share();
    await cleanRun(load, target, { ...streams, body: hastyBody });
    if (isConverting) await cleanRun(load, target, { ...streams, body: hastyConvertedBody });
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

/** `turn` answers the compilers' part of what it cost. */
async function untilCalm(turn: () => Promise<number>): Promise<void> {
  for (let turns = 1; turns <= mostTurns; turns += 1) {
    const share = await turn();
    if (turns >= leastTurns && share <= restlessShare) break;
  }
}

/** From now until it is asked: the part of the process's time that its compilers took. */
function compilerShareOf(target: Target): () => number {
  if (target.processId === 0) return () => 0;
  const compilers = () => cpuByThread(target.processId)['JITWorker'] ?? 0;
  const compiledBefore = compilers();
  const before = cpuOf(target);
  return () => (compilers() - compiledBefore) / Math.max(1, cpuOf(target) - before);
}
