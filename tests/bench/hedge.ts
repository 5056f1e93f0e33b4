// npm run bench -- --hedge [--calls=2000] [--rounds=4]: time to the first token of streams of which 5 percent answer twenty times slower, without and
// with hedging, and how many upstream calls each made. The gateway is a process of its own.
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { startMockUpstream } from '#mock/upstream/index.ts';
import { rootPassword } from '#tests/support/root-token.ts';
import { readArguments } from './arguments.ts';
import { startGateway } from './gateway.ts';

const { values: options } = readArguments({
  options: {
    calls: { type: 'string', default: '2000' },
    rounds: { type: 'string', default: '4' },
    'database-url': { type: 'string' },
    /** Selects this program in `npm run bench`; accepted here and ignored. */
    hedge: { type: 'boolean' },
  },
});
const [calls, rounds] = [Number(options.calls), Number(options.rounds)];
const databaseUrl = options['database-url'];
const AT_ONCE = 8;
/** The first calls of a round are not measured. */
const WARM_UP = 100;
const USUAL_MILLISECONDS = 50;
const SLOW_EVERY = 20;
const SLOW_FACTOR = 20;

let upstreamCalls = 0;
const mock = startMockUpstream();
mock.behave({
  behaviour: () => {
    upstreamCalls += 1;
    const isSlow = upstreamCalls % SLOW_EVERY === 0;
    return { headersDelayMilliseconds: USUAL_MILLISECONDS * (isSlow ? SLOW_FACTOR : 1), outputTokens: 5 };
  },
});
const gateway = await startGateway({
  upstream: mock.url,
  ...(databaseUrl === undefined ? {} : { databaseUrl }),
});

async function signIn() {
  const login = await fetch(`${gateway.url}/api/user/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'root', password: rootPassword }),
  });
  const { data } = (await login.json()) as { data: { id: number } };
  const cookies = login.headers.getSetCookie().map((line) => line.split(';')[0]);
  return { 'content-type': 'application/json', cookie: cookies.join('; '), 'New-Api-User': String(data.id) };
}

const headers = await signIn();
async function ask(method: string, path: string, sent: object): Promise<void> {
  const answer = await fetch(gateway.url + path, { method, headers, body: JSON.stringify(sent) });
  const { success, message } = (await answer.json()) as { success: boolean; message: string };
  if (!success) throw new Error(`${path}: ${message}`);
}
const set = (key: string, value: string) => ask('PUT', '/api/option/', { key, value });

const body = JSON.stringify({
  model: 'gpt-4o-mini',
  stream: true,
  messages: [{ role: 'user', content: 'hello' }],
});
async function firstToken(): Promise<number> {
  const begun = performance.now();
  const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${gateway.key}` },
    body,
  });
  if (answer.status !== 200 || answer.body === null) throw new Error(await answer.text());
  const reader = answer.body.getReader();
  await reader.read();
  const milliseconds = performance.now() - begun;
  while (!(await reader.read()).done);
  return milliseconds;
}

async function load(count: number): Promise<number[]> {
  const times: number[] = [];
  let left = count;
  const worker = async () => {
    while (left > 0) {
      left -= 1;
      times.push(await firstToken());
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return times;
}

interface Measured {
  readonly name: string;
  readonly groups: string;
  readonly times: number[];
  upstreamCalls: number;
}

const modes: Measured[] = [
  { name: 'without hedging', groups: '', times: [], upstreamCalls: 0 },
  { name: 'with hedging', groups: 'default', times: [], upstreamCalls: 0 },
];

async function measure(mode: Measured): Promise<void> {
  await set('HedgeGroups', mode.groups);
  await load(WARM_UP);
  const before = upstreamCalls;
  mode.times.push(...(await load(calls / rounds)));
  mode.upstreamCalls += upstreamCalls - before;
}

function report({ name, times, upstreamCalls: made }: Measured) {
  times.sort((one, other) => one - other);
  const at = (share: number) => times[Math.ceil(times.length * share) - 1] ?? 0;
  const more = (made / times.length - 1) * 100;
  const figures = [0.5, 0.95, 0.99].map((share) => `p${share * 100} ${at(share).toFixed(0)} ms`);
  console.log(`${name.padEnd(16)} ${figures.join(', ')}; ${more.toFixed(1)} % more upstream calls`);
  return at(0.99);
}

try {
  await ask('POST', '/api/channel/', {
    name: 'second',
    type: CHANNEL_TYPE.openAi,
    key: 'sk-second',
    base_url: mock.url,
    models: 'gpt-4o-mini',
    groups: 'default',
  });
  await set('HedgeSharePercent', '7');
  await set('HedgeLeastMilliseconds', '10');
  await set('HedgeDollarsPerDay', '1000');
  // In turns: other work on the machine comes and goes.
  for (let round = 0; round < rounds; round += 1)
    for (const mode of round % 2 === 0 ? modes : modes.toReversed()) await measure(mode);
  const [plain = 0, hedged = 0] = modes.map(report);
  console.log(`p99 with hedging is ${(hedged / plain).toFixed(2)} of that without`);
} finally {
  await gateway.stop();
  await mock.stop();
}
