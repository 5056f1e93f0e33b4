// npm run bench: mock upstream, bare proxy and Tollgate on SQLite and PostgreSQL, each in its own process, measured in
// turns in one run. Options: --short, --json (last line is one JSON object), --streams, --aborts,
// --targets=proxy,sqlite,postgres.
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { spawnMockUpstream } from '#tests/support/mock-upstream/spawn.ts';
import { abortedStreams } from './aborts.ts';
import { LoadGenerator } from './children.ts';
import {
  type Effort,
  type Target,
  fullEffort,
  measureConverted,
  measureFirstToken,
  measureHeld,
  measureLatency,
  measureStreams,
  measureThroughput,
  shortEffort,
  warmUp,
} from './phases.ts';
import { residentMegabytes } from './process-stats.ts';
import { heldStreams } from './streams.ts';
import {
  crossFormatChunk,
  type Figures,
  ratioLine,
  ratiosOf,
  rowOf,
  tableOf,
  threadLine,
} from './summary.ts';
import { type StartedTarget, isTargetName, startTarget } from './targets.ts';

const { values: options } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    streams: { type: 'boolean', default: false },
    aborts: { type: 'boolean', default: false },
    targets: { type: 'string', default: 'proxy,sqlite,postgres' },
    output: { type: 'string', default: 'test-results/bench' },
  },
});

const proxyName = 'bare proxy';
const say = (text: string): void => console.log(text);
const startedAt = performance.now();
const effort = options.short ? shortEffort : fullEffort;
const names = options.targets.split(',').map((name) => {
  if (!isTargetName(name)) throw new Error(`--targets: no target "${name}"`);
  return name;
});

const mock = await spawnMockUpstream();
const load = new LoadGenerator();
const started: StartedTarget[] = [];
try {
  for (const name of names) {
    say(`start  ${name}`);
    started.push(await startTarget(name, mock.url));
  }
  const result = await run(effort);
  if (!options.json) say(`took ${((performance.now() - startedAt) / 1000).toFixed(0)} s`);
  keep(result);
  if (options.json) console.log(JSON.stringify(result));
} finally {
  await load.stop();
  for (const target of started.toReversed()) await target.stop();
  await mock.stop();
}

async function run(wanted: Effort): Promise<Record<string, unknown>> {
  if (options.streams) return { streams: await heldStreams(load, started, say, options.short) };
  if (options.aborts) return { aborts: await abortedStreams(load, started, say, options.short) };
  return await compare(wanted);
}

async function compare(wanted: Effort): Promise<Record<string, unknown>> {
  const direct: Target = { name: 'direct', url: mock.url, key: 'sk-bench', processId: 0 };
  const targets: Target[] = [direct, ...started];
  const figures = new Map<Target, Figures>();
  for (const target of targets) {
    const idleMegabytes = target.processId === 0 ? 0 : residentMegabytes(target.processId);
    figures.set(target, {
      name: target.name,
      throughput: [],
      latency: [],
      firstTokenMilliseconds: [],
      cpuMicrosecondsPerChunk: [],
      cpuMicrosecondsPerConvertedChunk: [],
      held: undefined,
      idleMegabytes,
    });
  }
  say('warm up');
  for (const target of started) await warmUp(load, target, wanted, target.name !== proxyName);
  for (let round = 1; round <= wanted.rounds; round += 1) {
    const roundStartedAt = performance.now();
    say(`round  ${round} of ${wanted.rounds}`);
    for (const target of targets) {
      const of = figures.get(target);
      if (!of) continue;
      if (target !== direct)
        of.throughput.push(await measureThroughput(load, target, wanted.throughputSeconds));
    }
    for (const target of targets)
      figures.get(target)?.latency.push(await measureLatency(load, target, wanted.latencySeconds));
    for (const target of targets) {
      const milliseconds = await measureFirstToken(load, target, wanted.firstTokenSeconds);
      figures.get(target)?.firstTokenMilliseconds.push(milliseconds);
    }
    for (const target of started) {
      const microseconds = await measureStreams(load, target, wanted.streamRequests);
      const of = figures.get(target);
      of?.cpuMicrosecondsPerChunk.push(microseconds);
      if (target.name === proxyName) continue;
      of?.cpuMicrosecondsPerConvertedChunk.push(await measureConverted(load, target, wanted.streamRequests));
    }
    const now = performance.now();
    // The last part, holding streams, takes about as long as half a round.
    if ((now - startedAt + 1.5 * (now - roundStartedAt)) / 1000 > wanted.budgetSeconds) break;
  }
  for (const target of started) {
    const of = figures.get(target);
    if (of) of.held = await measureHeld(load, target, wanted.heldStreams);
  }
  return report(direct, figures);
}

function report(direct: Target, figures: Map<Target, Figures>): Record<string, unknown> {
  const base = figures.get(direct);
  if (!base) throw new Error('nothing was measured');
  const measured = started.map((target) => figures.get(target)).filter((of) => of !== undefined);
  const rows = measured.map((of) => rowOf(of, base));
  say(`\n${tableOf(rows)}\n`);
  const proxy = measured.find((of) => of.name === proxyName);
  const gateways = measured.filter((of) => of !== proxy);
  const ratios = proxy ? gateways.map((of) => ({ name: of.name, ...ratiosOf(of, proxy) })) : [];
  for (const of of ratios) say(ratioLine(of.name, of));
  for (const of of gateways) say(threadLine(of));
  for (const of of gateways)
    say(`${of.name}: a chunk between two formats costs ${crossFormatChunk(of).toFixed(2)}× one that passes`);
  const first = ratios[0];
  return {
    // The promise is about SQLite, which is the first gateway measured.
    ratios: first && {
      cpuPerRequest: first.cpuPerRequest,
      cpuPerChunk: first.cpuPerChunk,
      throughput: first.throughput,
      addedP50Ms: first.addedP50Ms,
    },
    crossFormatChunk: gateways[0] && crossFormatChunk(gateways[0]),
    ratiosByTarget: ratios,
    rows,
    machine: { processors: cpus().length, model: cpus()[0]?.model, loadAverage: loadavg(), bun: Bun.version },
    seconds: Math.round((performance.now() - startedAt) / 1000),
  };
}

function keep(result: Record<string, unknown>): void {
  mkdirSync(options.output, { recursive: true });
  const stamp = new Date().toISOString().replaceAll(/[:.]/g, '-');
  const file = `${options.output}/${stamp}.json`;
  writeFileSync(file, `${JSON.stringify(result, null, 2)}\n`);
  say(`figures in ${file}`);
}
