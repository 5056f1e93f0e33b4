// Expensive queries on every list and search of the API, over a log of a million rows (`npm test`: thirty thousand),
// while model calls run.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { LoadGenerator } from '#tests/bench/children.ts';
import { seedSqlite } from '#tests/bench/logs/seed.ts';
import { chatBody } from '#tests/bench/phases.ts';
import { connectUpstream } from '#tests/support/channels.ts';
import { faultSeen } from '#tests/support/fault-report.ts';
import { startGateway, type Gateway } from '#tests/support/gateway.ts';
import { spawnMockUpstream, type SpawnedMock } from '#mock/upstream/spawn.ts';
import { rootPassword, rootToken } from '#tests/support/root-token.ts';
import { isCrowded, isLong, printFigures } from '#tests/chaos/extent.ts';
import { signIn } from '#tests/chaos/random-changes.ts';

setDefaultTimeout(300_000);

const rows = isLong ? 1_000_000 : 30_000;
const limitMilliseconds = 1000;
const callsPerSecond = 50;

const dataDir = mkdtempSync(path.join(tmpdir(), 'tollgate-reads-'));
const load = new LoadGenerator();
let mock: SpawnedMock;
let gateway: Gateway;
let session: Record<string, string>;
let key = '';

beforeAll(async () => {
  mock = await spawnMockUpstream();
  await connectUpstream({ dataDir }, { base_url: mock.url, models: ['gpt-4o-mini'] });
  const environment = {
    INITIAL_ROOT_PASSWORD: rootPassword,
    ALLOWED_PRIVATE_ADDRESSES: '127.0.0.1',
    LOG_LEVEL: 'error',
  };
  const first = await startGateway({ dataDir, environment });
  await first.stop();
  await seedSqlite(dataDir, rows, Math.floor(Date.now() / 1000));
  gateway = await startGateway({ dataDir, environment });
  key = await rootToken(gateway.url);
  session = await signIn(gateway.url);
});

afterAll(async () => {
  await load.stop();
  await gateway.stop();
  await mock.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

const always = 'start_timestamp=0&end_timestamp=9999999999';
const wildcards = encodeURIComponent('%_%_%_%_%_%_%_%_%_%_%_%_%_%_%_%');
const nested = encodeURIComponent('%'.repeat(250));

const questions: readonly string[] = [
  '/api/log/?page_size=1000000000',
  '/api/log/?page_size=-1',
  '/api/log/?p=1e308',
  '/api/log/?p=1000000&page_size=100',
  `/api/log/?p=9000&page_size=100&${always}`,
  `/api/log/?${always}&model_name=${wildcards}`,
  `/api/log/?${always}&username=${wildcards}&token_name=${wildcards}`,
  `/api/log/?${always}&type=5&group=${nested}`,
  `/api/log/?${always}&request_id=${nested}`,
  `/api/log/stat?${always}`,
  `/api/log/stat?${always}&model_name=${wildcards}`,
  `/api/log/stat?${always}&username=${nested}`,
  `/api/log/histogram?${always}`,
  `/api/log/histogram?${always}&model_name=${wildcards}`,
  `/api/log/facets?${always}`,
  `/api/log/search?keyword=${wildcards}`,
  `/api/log/search?keyword=${nested}`,
  `/api/log/search?keyword=${'a'.repeat(100_000)}`,
  `/api/log/self/?p=1000000&page_size=100&${always}`,
  `/api/log/self/search?keyword=${wildcards}`,
  `/api/data/?${always}`,
  `/api/data/users?${always}`,
  `/api/data/latency?${always}`,
  `/api/data/failures?${always}`,
  `/api/data/channels?${always}`,
  '/api/user/?p=1000000&page_size=100',
  '/api/user/?page_size=1000000000',
  `/api/user/search?keyword=${wildcards}&group=${nested}`,
  `/api/channel/search?keyword=${wildcards}&group=${wildcards}&model=${nested}`,
  '/api/channel/?p=1000000&page_size=100',
  `/api/token/search?keyword=${wildcards}&token=${nested}`,
  '/api/token/?p=1000000&size=100000',
  `/api/audit/?p=1000000&page_size=100&keyword=${wildcards}`,
];

interface Asked {
  question: string;
  status: number;
  milliseconds: number;
}

async function ask(question: string): Promise<Asked> {
  const askedAt = performance.now();
  const answer = await fetch(gateway.url + question, { headers: session });
  await answer.arrayBuffer();
  return { question, status: answer.status, milliseconds: Math.round(performance.now() - askedAt) };
}

test(`D15 with ${rows} rows every query is answered within a second or refused, and calls are served (plan D15)`, async () => {
  const calls = {
    url: gateway.url,
    path: '/v1/chat/completions',
    key,
    body: chatBody(),
    connections: 64,
    perSecond: callsPerSecond,
  };
  const wasCrowded = isCrowded();
  await load.run({ ...calls, seconds: 2 });
  const quiet = await load.run({ ...calls, seconds: isLong ? 10 : 2 });
  const during = load.run({ ...calls, seconds: isLong ? 15 : 4 });
  const asked: Asked[] = [];
  for (const question of questions) asked.push(await ask(question));
  const disturbed = await during;
  const slowest = asked.toSorted((one, other) => other.milliseconds - one.milliseconds).slice(0, 5);
  printFigures('heavy reads', {
    rows,
    slowest,
    quiet: quiet.latencyMilliseconds,
    during: disturbed.latencyMilliseconds,
  });

  // An unknown path would be fast, too.
  expect(asked.filter(({ status }) => ![200, 400, 413, 414, 431].includes(status))).toEqual([]);
  expect(asked.filter(({ status }) => status === 200).length).toBeGreaterThan(questions.length / 2);
  expect(disturbed.statuses).toEqual({ 200: disturbed.requests });
  faultSeen(
    'D15',
    `${rows} rows, ${questions.length} expensive queries: slowest ${slowest[0]?.milliseconds} ms; calls meanwhile p99 ${Math.round(disturbed.latencyMilliseconds.p99)} ms, alone ${Math.round(quiet.latencyMilliseconds.p99)} ms`,
  );
  if (!isLong || wasCrowded || isCrowded()) return;
  expect(asked.filter(({ milliseconds }) => milliseconds > limitMilliseconds)).toEqual([]);
  expect(disturbed.latencyMilliseconds.p99).toBeLessThan(quiet.latencyMilliseconds.p99 * 1.2 + 25);
});
