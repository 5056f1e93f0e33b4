// npm run bench -- --budgets [--calls=3000] [--rounds=5] [--database-url=…]: CPU of a call in the personal scope, of one in an organization
// without a budget, and of one with three. The gateway is a process of its own; the three are measured in turns. With a database
// URL also the CPU of that server's processes, which must run on this machine.
import { Client } from 'pg';
import { startMockUpstream } from '#mock/upstream/index.ts';
import { rootPassword } from '#tests/support/root-token.ts';
import { readArguments } from './arguments.ts';
import { startGateway } from './gateway.ts';
import { cpuMicroseconds } from './process-stats.ts';

const { values: options } = readArguments({
  options: {
    calls: { type: 'string', default: '3000' },
    rounds: { type: 'string', default: '5' },
    'database-url': { type: 'string' },
    /** Selects this program in `npm run bench`; accepted here and ignored. */
    budgets: { type: 'boolean' },
  },
});
const [calls, rounds] = [Number(options.calls), Number(options.rounds)];
const databaseUrl = options['database-url'];
const AT_ONCE = 16;

const mock = startMockUpstream();
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
async function ask<T>(method: string, path: string, body: object, organization?: number): Promise<T> {
  const answer = await fetch(`${gateway.url}${path}`, {
    method,
    headers: {
      ...headers,
      ...(organization === undefined ? {} : { 'Tollgate-Organization': String(organization) }),
    },
    body: JSON.stringify(body),
  });
  const envelope = (await answer.json()) as { success: boolean; message: string; data: T };
  if (!envelope.success) throw new Error(`${path}: ${envelope.message}`);
  return envelope.data;
}

async function organizationKey(name: string): Promise<{ id: number; key: string; tokenId: number }> {
  const { id } = await ask<{ id: number }>('POST', '/api/organization/mine', { name });
  await ask('POST', `/api/organization/${id}/balance`, { quota_change: 1_000_000_000_000 });
  const body = { name: 'bench', unlimited_quota: true };
  const [token] = await ask<{ id: number; key: string }[]>('POST', '/api/token/', body, id);
  if (token === undefined) throw new Error('no key was made');
  return { id, key: `sk-${token.key}`, tokenId: token.id };
}

await ask('PUT', '/api/option/', { key: 'OrganizationsEnabled', value: 'true' });
const free = await organizationKey('free');
const bounded = await organizationKey('bounded');
const quota = 1_000_000_000_000;
for (const budget of [
  { name: 'a', subject: 'organization', period: 'month' },
  { name: 'b', subject: 'token', subject_id: bounded.tokenId, period: 'day' },
  { name: 'c', subject: 'organization', period: 'total', models: 'gpt-4o-mini' },
])
  await ask('POST', '/api/organization/budgets', { ...budget, quota }, bounded.id);

const body = JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hello' }] });
async function load(key: string, count: number): Promise<void> {
  let left = count;
  const worker = async () => {
    while (left > 0) {
      left -= 1;
      const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
        body,
      });
      if (answer.status !== 200) throw new Error(await answer.text());
      await answer.arrayBuffer();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

/** The processes of the database server, which runs on this machine. */
async function databaseProcesses(): Promise<number[]> {
  if (databaseUrl === undefined) return [];
  const client = new Client(databaseUrl);
  await client.connect();
  const { rows } = await client.query<{ pid: number }>('select pid from pg_stat_activity');
  await client.end();
  return rows.map(({ pid }) => pid);
}

const seen = new Map<number, number>();

/** Of a connection of the pool that has ended: what it used until then. */
function microsecondsOf(processId: number): number {
  try {
    seen.set(processId, cpuMicroseconds(processId));
  } catch {
    // It has ended.
  }
  return seen.get(processId) ?? 0;
}

const kinds = [
  { name: 'personal', key: gateway.key },
  { name: 'organization', key: free.key },
  { name: 'three budgets', key: bounded.key },
];
const results = new Map<string, number[]>(kinds.map(({ name }) => [name, []]));
for (const { key } of kinds) await load(key, calls);
const processes = [gateway.processId, ...(await databaseProcesses())];
const usedNow = () => processes.reduce((sum, processId) => sum + microsecondsOf(processId), 0);
for (let round = 0; round < rounds; round += 1)
  for (const { name, key } of round % 2 === 0 ? kinds : kinds.toReversed()) {
    const before = usedNow();
    await load(key, calls);
    const used = usedNow() - before;
    results.get(name)?.push(used / calls);
  }
const median = (values: readonly number[]) =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
for (const [name, values] of results)
  console.log(
    `${name.padEnd(14)} ${median(values).toFixed(1)} µs CPU per call (${values.map((value) => value.toFixed(0)).join(', ')})`,
  );
/** Of the rounds, each compared within seconds: other work on the machine comes and goes. */
const more = (name: string, than: string): string => {
  const base = results.get(than) ?? [];
  const ratios = (results.get(name) ?? []).map((value, round) => value / (base[round] ?? value));
  return `${((median(ratios) - 1) * 100).toFixed(1)}%`;
};
console.log(`three budgets cost ${more('three budgets', 'organization')} more than none`);
console.log(`an organization costs ${more('organization', 'personal')} more than a person`);
await gateway.stop();
await mock.stop();
