// npm run bench -- --capacity: a day's load against the capacity model, at several sizes. Names what breaks first at each size, applies the
// remedy, and goes on until the installation holds.
//   --peaks 100,1000,…     calls a second in the busiest hour
//   --curve day.json       24 shares of the busiest hour
//   --call-seconds, --chunks, --call-bytes, --ledger-days   the calls
//   --footprint file.json  figures of a call other than measured.json
//   --measure              measures them first, on a new PostgreSQL server; with --calls 20000, --users 64, --streams 400
//   --keep                 writes what was measured to measured.json (then UPDATE_DOCS=1 bun test tests/bench/capacity)
//   --bench latest|file    takes the CPU of the gateway from a result of npm run bench with the target postgres
//   --gateway-microseconds, --chunk-microseconds, --database-microseconds   take the CPU from here
//   --json                 prints one JSON object
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { readArguments } from '#tests/bench/arguments.ts';
import { MEASURED, MEASURED_FILE, type Measured } from './measured.ts';
import { ONE_MACHINE, USUAL_TRAFFIC, type Footprint } from './model.ts';
import { clockOf, growUntilItHolds, OFFICE_DAY } from './simulate.ts';

const { values: options } = readArguments({
  options: {
    peaks: { type: 'string', default: '10,100,1000,10000,100000' },
    curve: { type: 'string' },
    'call-seconds': { type: 'string', default: String(USUAL_TRAFFIC.callSeconds) },
    chunks: { type: 'string', default: String(USUAL_TRAFFIC.chunksPerCall) },
    'call-bytes': { type: 'string', default: String(USUAL_TRAFFIC.callBytes) },
    'ledger-days': { type: 'string', default: String(USUAL_TRAFFIC.ledgerDays) },
    footprint: { type: 'string' },
    measure: { type: 'boolean', default: false },
    calls: { type: 'string', default: '20000' },
    users: { type: 'string', default: '64' },
    streams: { type: 'string', default: '400' },
    keep: { type: 'boolean', default: false },
    bench: { type: 'string' },
    'gateway-microseconds': { type: 'string' },
    'chunk-microseconds': { type: 'string' },
    'database-microseconds': { type: 'string' },
    json: { type: 'boolean', default: false },
    /** Selects this program in `npm run bench`; accepted here and ignored. */
    capacity: { type: 'boolean' },
  },
});

/** A positive number; `name` is that of its option. */
function positive(name: string, text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new Error(`--${name}: ${text} is not a number above 0`);
  return value;
}

const say = (line: string) => {
  if (options.json) console.error(line);
  else console.log(line);
};

async function measured(): Promise<Measured> {
  const { measureFootprint } = await import('./footprint.ts');
  say('measuring a gateway and PostgreSQL …');
  const footprint = await measureFootprint({
    calls: positive('calls', options.calls),
    users: positive('users', options.users),
    streams: positive('streams', options.streams),
  });
  const processors = cpus();
  return {
    date: new Date().toISOString().slice(0, 10),
    machine: `${processors.length} × ${processors[0]?.model}`,
    footprint,
  };
}

/** CPU of the gateway in a result of the bench. */
function benchedCpu(wanted: string): Partial<Footprint> {
  const folder = 'test-results/bench';
  const files =
    wanted === 'latest'
      ? readdirSync(folder)
          .toSorted()
          .toReversed()
          .map((name) => join(folder, name))
      : [wanted];
  for (const file of files) {
    const { rows = [] } = JSON.parse(readFileSync(file, 'utf8')) as {
      rows?: Record<string, number | string>[];
    };
    const row = rows.find(({ name }) => name === 'Tollgate, PostgreSQL');
    if (row === undefined) continue;
    say(`CPU of the gateway from ${file}`);
    return {
      gatewayMicroseconds: Number(row['cpuMicrosecondsPerRequest']),
      chunkMicroseconds: Number(row['cpuMicrosecondsPerChunkOfMany']),
    };
  }
  throw new Error(`--bench: no result with PostgreSQL in ${wanted}`);
}

function givenCpu(): Partial<Footprint> {
  const given: Partial<Footprint> = options.bench === undefined ? {} : benchedCpu(options.bench);
  for (const [option, name] of [
    ['gateway-microseconds', 'gatewayMicroseconds'],
    ['chunk-microseconds', 'chunkMicroseconds'],
    ['database-microseconds', 'databaseMicroseconds'],
  ] as const) {
    const text = options[option];
    if (text !== undefined) given[name] = positive(option, text);
  }
  return given;
}

async function chosen(): Promise<Measured> {
  if (options.measure) return await measured();
  if (options.footprint === undefined) return MEASURED;
  return JSON.parse(readFileSync(options.footprint, 'utf8')) as Measured;
}

const { footprint: ofCall, ...when } = await chosen();
const footprint: Footprint = { ...ofCall, ...givenCpu() };
if (options.keep) {
  const rounded = Object.fromEntries(
    Object.entries(footprint).map(([name, value]) => [name, Number(value.toFixed(2))]),
  );
  writeFileSync(MEASURED_FILE, `${JSON.stringify({ ...when, footprint: rounded }, null, 2)}\n`);
}
say(`\nA call, measured on ${when.date} with ${when.machine}:`);
for (const [name, value] of Object.entries(footprint)) say(`${value.toFixed(1).padStart(10)}  ${name}`);

const curve =
  options.curve === undefined ? OFFICE_DAY : (JSON.parse(readFileSync(options.curve, 'utf8')) as number[]);
const traffic = {
  callSeconds: positive('call-seconds', options['call-seconds']),
  chunksPerCall: positive('chunks', options.chunks),
  callBytes: positive('call-bytes', options['call-bytes']),
  ledgerDays: positive('ledger-days', options['ledger-days']),
};
const results = options.peaks.split(',').map((text) => {
  const peak = positive('peaks', text);
  return { peak, ...growUntilItHolds(ONE_MACHINE, { curve, peak, footprint, traffic }) };
});
for (const { peak, callsPerDay, steps, setup, tightest } of results) {
  say(
    `\n${peak.toLocaleString('en')} calls/s in the busiest hour, ${(callsPerDay / 1e6).toFixed(1)} M a day`,
  );
  for (const [index, { broke }] of steps.entries()) {
    const previous = steps[index - 1]?.broke.part;
    // The same remedy several times in a row is one line.
    if (previous?.name.en === broke.part.name.en && previous.remedy.en === broke.part.remedy.en) continue;
    const share = `${Math.round(broke.part.share * 100)} %`;
    say(`  ${clockOf(broke.minute)}  ${broke.part.name.en} breaks (${share}): ${broke.part.remedy.en}`);
  }
  say(`  holds: ${JSON.stringify(setup)}; nearest to its limit: ${tightest.name.en}`);
}
if (options.json) console.log(JSON.stringify({ ...when, footprint, results }));
process.exit(0);
