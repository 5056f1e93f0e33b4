// One run: every target in turns, phase by phase, so that what is compared was measured within seconds of each other.
import type { LoadGenerator } from './children.ts';
import {
  convertedModel,
  type Effort,
  measureBursts,
  measureFirstToken,
  measureHeld,
  measureLatency,
  measureStreams,
  measureThroughput,
  paces,
  type Target,
} from './phases.ts';
import { residentMegabytes } from './process-stats.ts';
import type { Direct, Figures, Round } from './summary.ts';
import { isConverting, type StartedTarget } from './targets.ts';
import { warmUp } from './warm-up.ts';

export interface Comparison {
  direct: Direct;
  /** In the order of the targets. */
  figures: Figures[];
}

export interface Bench {
  load: LoadGenerator;
  targets: readonly StartedTarget[];
  mockUrl: string;
  effort: Effort;
  startedAt: number;
  say: (line: string) => void;
}

export async function compare(bench: Bench): Promise<Comparison> {
  const { load, targets, effort, say } = bench;
  const direct: Direct = { latency: [], firstTokenMilliseconds: [], bursts: [] };
  const all = targets.map((target) => ({
    target,
    idleMegabytes: residentMegabytes(target.processId),
    rounds: new Map<number, Round>(),
  }));
  for (const target of targets) {
    say(`warm up  ${target.kind}`);
    await warmUp(load, target, effort);
  }
  for (let number = 1; number <= effort.rounds; number += 1) {
    const roundStartedAt = performance.now();
    say(`round  ${number} of ${effort.rounds}`);
    const taking = targets.filter(
      ({ kind }) => kind === 'proxy' || kind === 'sqlite' || (number - 1) % effort.othersEvery === 0,
    );
    const measured = await measureRound(bench, taking, direct);
    for (const { target, rounds } of all) {
      const round = measured.get(target);
      if (round !== undefined) rounds.set(number, round);
    }
    const now = performance.now();
    // The last part, holding streams, takes about as long as half a round.
    if ((now - bench.startedAt + 1.5 * (now - roundStartedAt)) / 1000 > effort.budgetSeconds) break;
  }
  const figures: Figures[] = [];
  for (const { target, ...of } of all) {
    const held = await measureHeld(load, target, effort.heldStreams);
    figures.push({ name: target.name, held, ...of });
  }
  return { direct, figures };
}

async function measureRound(
  { load, mockUrl, effort }: Bench,
  targets: readonly StartedTarget[],
  direct: Direct,
): Promise<Map<StartedTarget, Round>> {
  const straight: Target = { name: 'direct', url: mockUrl, key: 'sk-bench', processId: 0 };
  const each = async <T>(measure: (target: StartedTarget) => Promise<T>): Promise<T[]> => {
    const results: T[] = [];
    for (const target of targets) results.push(await measure(target));
    return results;
  };
  const { latencySeconds, firstTokenSeconds, streamTurns: turns } = effort;
  const throughput = await each((target) => measureThroughput(load, target, effort.throughputSeconds));
  direct.latency.push(await measureLatency(load, straight, latencySeconds));
  const latency = await each((target) => measureLatency(load, target, latencySeconds));
  direct.firstTokenMilliseconds.push(await measureFirstToken(load, straight, firstTokenSeconds));
  const firstToken = await each((target) => measureFirstToken(load, target, firstTokenSeconds));
  direct.bursts.push(...(await measureBursts(load, straight, effort.bursts)));
  const bursts = await each((target) => measureBursts(load, target, effort.bursts));
  const few: number[][] = [];
  for (let slice = 0; slice < effort.fewSlices; slice += 1)
    few.push(await each((target) => measureStreams(load, target, paces.few, { turns })));
  const many = await each((target) => measureStreams(load, target, paces.many, { turns }));
  const converted = await each(async (target) =>
    !isConverting(target.kind)
      ? undefined
      : await measureStreams(load, target, paces.many, { turns, asked: convertedModel }),
  );
  return new Map(
    targets.map((target, index): [StartedTarget, Round] => [
      target,
      {
        throughput: throughput[index]!,
        latency: latency[index]!,
        firstTokenMilliseconds: firstToken[index]!,
        bursts: bursts[index]!,
        chunk: { few: few.map((slice) => slice[index]!), many: [many[index]!] },
        convertedChunk: converted[index],
      },
    ]),
  );
}
