// npm run bench -- --other=CHECKOUT [--targets=sqlite,postgres] [--rounds=12] [--seconds=2]: this checkout's gateway against the one of
// another checkout with its packages installed, in turns. Other work on the machine slows both halves of a round alike, so a verdict is the
// median of the rounds' ratios; the quartiles beside it say how far it can be trusted.
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { spawnMockUpstream } from '#mock/upstream/spawn.ts';
import { startPostgres } from '#tests/support/postgres.ts';
import { readArguments, refuse } from './arguments.ts';
import { LoadGenerator } from './children.ts';
import { startGateway, type StartedGateway } from './gateway.ts';
import {
  convertedModel,
  measureLatency,
  measureStreams,
  measureThroughput,
  paces,
  shortEffort,
  type Target,
} from './phases.ts';
import { quartilesOf } from './summary.ts';
import type { StartedTarget } from './targets.ts';
import { warmUp } from './warm-up.ts';

const { values: options } = readArguments({
  options: {
    other: { type: 'string' },
    targets: { type: 'string', default: 'sqlite' },
    rounds: { type: 'string', default: '12' },
    seconds: { type: 'string', default: '2' },
    /** Without streams and times. */
    calls: { type: 'boolean', default: false },
  },
});
const checkout = resolve(options.other ?? refuse('--other needs the folder of another checkout'));
const [rounds, seconds] = [Number(options.rounds), Number(options.seconds)];

type Kind = 'sqlite' | 'postgres';
type Start = typeof startGateway;
type Figures = Record<string, number>;

/** Each checkout starts itself: its tables, settings and runtime may be others. */
const theirs = (await import(pathToFileURL(join(checkout, 'tests', 'bench', 'gateway.ts')).href)) as {
  startGateway: Start;
};

const mock = await spawnMockUpstream({});
const load = new LoadGenerator();
const ends: (() => Promise<void>)[] = [() => mock.stop(), () => load.stop()];

async function startOn(kind: Kind, start: Start): Promise<StartedGateway> {
  if (kind === 'sqlite') return await start({ upstream: mock.url });
  // Durability is part of what is measured.
  const server = await startPostgres(['fsync=on', 'full_page_writes=on']);
  ends.push(() => server.stop());
  return await start({ upstream: mock.url, databaseUrl: server.url });
}

async function startTarget(kind: Kind, name: string, start: Start): Promise<StartedTarget> {
  const gateway = await startOn(kind, start);
  ends.push(() => gateway.stop());
  return { name, kind, ...gateway };
}

async function measure(target: Target): Promise<Figures> {
  const throughput = await measureThroughput(load, target, seconds);
  const { threads } = throughput;
  const { main = 0, writer = 0, 'HTTP Client': client = 0 } = threads;
  const calls = {
    'CPU µs/request': throughput.cpuMicrosecondsPerRequest,
    'main thread': main,
    writer,
    'HTTP client': client,
    // Without the compilers, which work long after the start.
    'these three': main + writer + client,
    'requests/s': throughput.requestsPerSecond,
    'RSS MB': throughput.residentMegabytes,
  };
  if (options.calls) return calls;
  return {
    ...calls,
    'p50 ms': (await measureLatency(load, target, 0.8)).p50Milliseconds,
    'CPU µs/chunk of 32': await measureStreams(load, target, paces.few),
    'of 128': await measureStreams(load, target, paces.many),
    'converted chunk': await measureStreams(load, target, paces.many, { asked: convertedModel }),
  };
}

async function compareOn(kind: Kind): Promise<void> {
  const ours = await startTarget(kind, 'this', startGateway);
  const other = await startTarget(kind, 'other', theirs.startGateway);
  for (const target of [ours, other]) await warmUp(load, target, shortEffort);
  const measured: { ours: Figures; other: Figures }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const isFirst = round % 2 === 0;
    const first = await measure(isFirst ? ours : other);
    const second = await measure(isFirst ? other : ours);
    measured.push(isFirst ? { ours: first, other: second } : { ours: second, other: first });
  }
  console.log(`\n${kind}, ${rounds} rounds: this checkout, the other one, ratio (quartiles)`);
  for (const name of Object.keys(measured[0]?.ours ?? {})) {
    const of = (pick: (round: (typeof measured)[number]) => number) => quartilesOf(measured.map(pick));
    const ratio = of((round) => (round.ours[name] ?? 0) / (round.other[name] ?? 0));
    const [mine, its] = [of((round) => round.ours[name] ?? 0), of((round) => round.other[name] ?? 0)];
    const spread = `${ratio.lower.toFixed(3)}–${ratio.upper.toFixed(3)}`;
    console.log(
      `${name.padEnd(20)}${mine.median.toFixed(2).padStart(10)}${its.median.toFixed(2).padStart(10)}   ${ratio.median.toFixed(3)} (${spread})`,
    );
  }
}

try {
  for (const kind of options.targets.split(',')) {
    if (kind !== 'sqlite' && kind !== 'postgres') refuse(`--targets has no target "${kind}" here`);
    await compareOn(kind);
  }
} finally {
  for (const end of ends.toReversed()) await end();
}
