// npm run bench: mock upstream, bare proxy and Tollgate on SQLite and PostgreSQL, each in its own process, measured in
// turns in one run. Options: --short, --json (one JSON object on standard output, progress on standard error), --streams, --aborts, --memory,
// --targets=proxy,sqlite,postgres,proxy-tls,sqlite-tls. Another gateway is measured in the same run when it runs here, set up with
// the upstream at --upstream-port: --targets=proxy,sqlite,peer --upstream-port=9901 --peer=http://127.0.0.1:4000 --peer-key=sk-… --peer-pid=123.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { readArguments, refuse } from './arguments.ts';
import { spawnMockUpstream } from '#mock/upstream/spawn.ts';
import { abortedStreams } from './aborts.ts';
import { upstreamTls } from './certificate.ts';
import { LoadGenerator } from './children.ts';
import { compare, type Comparison } from './compare.ts';
import { fullEffort, shortEffort } from './phases.ts';
import { mixedLoad } from './mixed.ts';
import { heldStreams } from './streams.ts';
import { crossFormatChunk, ratioLine, ratiosOf, rowOf, tableOf, threadLine } from './summary.ts';
import { type StartedTarget, floorOf, isConverting, isTargetName, startTarget } from './targets.ts';

const { values: options } = readArguments({
  options: {
    short: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    streams: { type: 'boolean', default: false },
    aborts: { type: 'boolean', default: false },
    memory: { type: 'boolean', default: false },
    minutes: { type: 'string' },
    targets: { type: 'string', default: 'proxy,sqlite,postgres,proxy-tls,sqlite-tls' },
    'upstream-port': { type: 'string', default: '0' },
    peer: { type: 'string' },
    'peer-key': { type: 'string', default: '' },
    'peer-pid': { type: 'string', default: '' },
    output: { type: 'string', default: 'test-results/bench' },
  },
});

/** Progress; with --json standard output has the result alone. */
const say = (text: string): void => (options.json ? console.error(text) : console.log(text));
const startedAt = performance.now();
const effort = options.short ? shortEffort : fullEffort;
const names = options.targets
  .split(',')
  .map((name) => (isTargetName(name) ? name : refuse(`--targets has no target "${name}"`)));

const mock = await spawnMockUpstream({ port: Number(options['upstream-port']) });
const secureMock = await spawnMockUpstream({ tls: upstreamTls });
const folder = mkdtempSync(join(tmpdir(), 'tollgate-bench-'));
const certificateFile = join(folder, 'upstream.pem');
writeFileSync(certificateFile, upstreamTls.cert);
const peer =
  options.peer === undefined
    ? undefined
    : { url: options.peer, key: options['peer-key'], processId: Number(options['peer-pid']) };
const upstreams = { plain: mock.url, secure: secureMock.url, certificateFile, peer };
const load = new LoadGenerator();
const started: StartedTarget[] = [];
try {
  for (const name of names) {
    say(`start  ${name}`);
    started.push(await startTarget(name, upstreams));
  }
  const result = await run();
  say(`took ${((performance.now() - startedAt) / 1000).toFixed(0)} s`);
  keep(result);
  if (options.json) console.log(JSON.stringify(result));
} finally {
  await load.stop();
  for (const target of started.toReversed()) await target.stop();
  await mock.stop();
  await secureMock.stop();
  rmSync(folder, { recursive: true });
}

async function run(): Promise<Record<string, unknown>> {
  if (options.streams) return { streams: await heldStreams(load, started, say, options.short) };
  if (options.aborts) return { aborts: await abortedStreams(load, started, say, options.short) };
  if (options.memory) {
    const minutes = Number(options.minutes ?? (options.short ? 0.5 : 60));
    return { memory: await mixedLoad(load, started, say, minutes) };
  }
  return report(await compare({ load, targets: started, mockUrl: mock.url, effort, startedAt, say }));
}

function report({ direct, figures }: Comparison): Record<string, unknown> {
  const rows = figures.map((of) => rowOf(of, direct));
  say(`\n${tableOf(rows)}\n`);
  const measured = started.flatMap(({ kind }, index) =>
    figures[index] ? [{ kind, of: figures[index] }] : [],
  );
  const gateways = measured.filter(({ kind }) => isConverting(kind)).map(({ of }) => of);
  const ratios = measured.flatMap(({ kind, of }) => {
    const floor = measured.find((each) => each.kind === floorOf(kind))?.of;
    return floor === undefined || kind.startsWith('proxy') ? [] : [{ name: of.name, ...ratiosOf(of, floor) }];
  });
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
    rounds: figures.map(({ name, rounds }) => ({ name, rounds: Object.fromEntries(rounds) })),
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
