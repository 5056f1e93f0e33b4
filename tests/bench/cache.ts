// npm run bench -- --cache [--calls=4000] [--rounds=4]: whole calls that are answered from memory beside calls that are relayed to an upstream that
// answers at once: time of a call, and processor time of the gateway, which is a process of its own, for each.
import { readFileSync } from 'node:fs';
import { startMockUpstream } from '#mock/upstream/index.ts';
import { rootPassword } from '#tests/support/root-token.ts';
import { readArguments } from './arguments.ts';
import { startGateway } from './gateway.ts';

const { values: options } = readArguments({
  options: {
    calls: { type: 'string', default: '4000' },
    rounds: { type: 'string', default: '4' },
    'database-url': { type: 'string' },
    /** Selects this program in `npm run bench`; accepted here and ignored. */
    cache: { type: 'boolean' },
  },
});
const [calls, rounds] = [Number(options.calls), Number(options.rounds)];
const databaseUrl = options['database-url'];
const AT_ONCE = 4;
/** The first calls of a round are not measured. */
const WARM_UP = 100;
/** Of the kernel's clock for processes. */
const TICKS_PER_SECOND = 100;

const mock = startMockUpstream({ keepRequests: 0 });
mock.behave({ outputTokens: 20 });
const gateway = await startGateway({
  upstream: mock.url,
  ...(databaseUrl === undefined ? {} : { databaseUrl }),
});

async function switchOn(): Promise<void> {
  const login = await fetch(`${gateway.url}/api/user/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'root', password: rootPassword }),
  });
  const { data } = (await login.json()) as { data: { id: number } };
  const cookie = login.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
  const headers = { 'content-type': 'application/json', cookie, 'New-Api-User': String(data.id) };
  const body = JSON.stringify({ key: 'AnswerCache', value: 'on' });
  const answer = await fetch(`${gateway.url}/api/option/`, { method: 'PUT', headers, body });
  const { success, message } = (await answer.json()) as { success: boolean; message: string };
  if (!success) throw new Error(message);
}

const body = JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hello' }] });

async function call(wish: string, wanted: string): Promise<number> {
  const begun = performance.now();
  const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${gateway.key}`,
      'Tollgate-Cache': wish,
    },
    body,
  });
  const text = await answer.text();
  const milliseconds = performance.now() - begun;
  const state = answer.headers.get('x-tollgate-cache');
  if (answer.status !== 200 || state !== wanted) throw new Error(`${answer.status} ${state}: ${text}`);
  return milliseconds;
}

/** User and kernel time, of all threads. */
function processorSeconds(): number {
  const fields = readFileSync(`/proc/${gateway.processId}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

const modes = [
  { name: 'relayed', wish: 'bypass', state: 'bypass', times: [] as number[], seconds: 0 },
  { name: 'cached answer', wish: 'ttl=86400', state: 'hit', times: [] as number[], seconds: 0 },
];
type Measured = (typeof modes)[number];

async function load({ wish, state }: Measured, count: number): Promise<number[]> {
  const times: number[] = [];
  let left = count;
  const worker = async () => {
    while (left > 0) {
      left -= 1;
      times.push(await call(wish, state));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return times;
}

async function measure(mode: Measured): Promise<void> {
  await load(mode, WARM_UP);
  const before = processorSeconds();
  mode.times.push(...(await load(mode, calls / rounds)));
  mode.seconds += processorSeconds() - before;
}

function report({ name, times, seconds }: Measured): number {
  times.sort((one, other) => one - other);
  const at = (share: number) => times[Math.ceil(times.length * share) - 1] ?? 0;
  const figures = [0.5, 0.95, 0.99].map((share) => `p${share * 100} ${at(share).toFixed(2)} ms`);
  const each = (seconds / times.length) * 1e6;
  console.log(`${name.padEnd(12)} ${figures.join(', ')}; ${each.toFixed(0)} µs of processor time each`);
  return each;
}

try {
  await switchOn();
  await call('ttl=86400', 'miss');
  // In turns: other work on the machine comes and goes.
  for (let round = 0; round < rounds; round += 1)
    for (const mode of round % 2 === 0 ? modes : modes.toReversed()) await measure(mode);
  const [relayed = 0, kept = 0] = modes.map(report);
  console.log(`a cached answer takes ${(kept / relayed).toFixed(2)} of the processor time of a relayed call`);
} finally {
  await gateway.stop();
  await mock.stop();
}
