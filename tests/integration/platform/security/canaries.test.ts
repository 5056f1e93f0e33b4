// Secrets and prompts that can be recognised, through calls that fail in every way: none of them is in an answer, in the log
// of the process, in any file of the data directory, in metrics, in traces, or in what administrators read.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { SETTING_KEYS, settingOf } from '#contract/settings.ts';
import { isLong } from '#tests/chaos/extent.ts';
import { startCollector, type Collector } from '#tests/integration/operating/telemetry/collector.ts';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';
import { addChannel } from '#tests/support/channels.ts';
import { temporaryPlace, type TemporaryPlace } from '#tests/support/databases.ts';
import { faultSeen } from '#tests/support/fault-report.ts';
import { startRawUpstream, type RawUpstream } from '#tests/support/raw-upstream.ts';
import { startMockUpstream, type Behaviour, type MockUpstream } from '#mock/upstream/index.ts';
import { dice } from '#tests/support/random.ts';

setDefaultTimeout(240_000);

const calls = isLong ? 10_000 : 400;
/** Late in each secret: what is shown of a masked one is its beginning or its end. */
const mark = (kind: string) => `Canary${kind}Qz7`;
const marks = ['Upstream', 'Setting', 'Caller', 'Wrong', 'Prompt', 'Metrics'].map(mark);
const prompt = `tell nobody ${mark('Prompt')} about the merger`;
/** Forms of keys that providers have. */
const upstreamKeys = [
  `sk-proj-1234abcd${mark('Upstream')}0123456789abcdef`,
  `AIzaSyA1${mark('Upstream')}0123456789abcdefghij`,
  `0123456789abcdef${mark('Upstream')}0123456789abcdef`,
];

/** Failures whose text repeats the key, the prompt, or both. */
const failures: readonly ((key: string) => Behaviour)[] = [
  (key) => ({ status: 401, errorMessage: `Incorrect API key provided: ${key}.` }),
  (key) => ({
    status: 500,
    errorMessage: `Authorization: Bearer ${key} failed at https://api.example/?key=${key}`,
  }),
  (key) => ({
    status: 429,
    errorBody: { error: { message: `key=${key}`, type: key, code: key, param: key } },
  }),
  (key) => ({ status: 503, headers: { 'X-Echo': key, 'Set-Cookie': `k=${key}` }, errorMessage: key }),
  () => ({ status: 500, errorMessage: `cannot answer "${prompt}"` }),
  () => ({ status: 400, errorMessage: `bad words in: ${prompt}` }),
  (key) => ({ status: 400, errorMessage: `bad header: ${key}` }),
  () => ({ errorInside200: true }),
  () => ({ resetAtByte: 0 }),
  () => ({ cutAfterEvents: 2 }),
  () => ({ malformedAfterEvents: 2 }),
  () => ({}),
];

let app: TestApplication;
let root: Actor;
let user: Actor;
let mock: MockUpstream;
let collector: Collector;
let breaking: RawUpstream;
let place: TemporaryPlace;
let callerKey = '';
const models: string[] = [];
const breakingModel = 'canary-breaking';

beforeAll(async () => {
  mock = startMockUpstream();
  collector = startCollector();
  place = await temporaryPlace('sqlite');
  app = await startApplication({
    place: { dataDir: place.dataDir },
    environment: { METRICS_TOKEN: `metrics-${mark('Metrics')}`, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
    settings: { RetryTimes: '1', SelfUseModeEnabled: 'true' },
  });
  root = await app.actor({ role: ROLE.root });
  user = await app.actor({ quota: 1_000_000_000 });
  for (const key of SETTING_KEYS.filter((name) => settingOf(name).kind === 'secret'))
    await app.settings.set(key, `secret-${mark('Setting')}-${key}`, 0);
  for (const [index, failure] of failures.entries()) {
    const key = upstreamKeys[index % upstreamKeys.length] ?? '';
    const model = `canary-${String.fromCodePoint(97 + index)}`;
    models.push(model);
    mock.behave({ when: { model }, behaviour: failure(key) });
    await addChannel(app.store, {
      type: CHANNEL_TYPE.openAi,
      base_url: mock.url,
      models: [model],
      key,
      name: model,
      fields: { auto_ban: 0 },
    });
  }
  // Its stream breaks after a word, with an error that repeats both.
  const [key = ''] = upstreamKeys;
  const event = (value: object) => `data: ${JSON.stringify(value)}\n\n`;
  breaking = await startRawUpstream((socket) =>
    socket.end(
      'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n' +
        event({ id: 'a', choices: [{ index: 0, delta: { content: 'word' } }] }) +
        event({ error: { message: `lost ${key} while answering ${prompt}`, type: 'server_error' } }),
    ),
  );
  await addChannel(app.store, {
    base_url: breaking.url.replace('upstream.test', '127.0.0.1'),
    models: [breakingModel],
    key,
  });
  const [token] = await app.client(user).tokens.create({ body: { name: 'canary', unlimited_quota: true } });
  callerKey = `sk-${token?.key}`;
});
afterAll(async () => {
  await collector.stop();
  await mock.stop();
  await breaking[Symbol.asyncDispose]();
  await place.remove();
});

const pick = <T>(all: readonly T[]): T => all[Math.floor(dice.next() * all.length)] as T;

function send(route: string, body: string, headers: Record<string, string>): Promise<Response> {
  return fetch(app.url + route, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body,
  });
}

/** Whole, streamed, and in another format than the upstream's. */
const plainCalls = (model: string, streamed: readonly boolean[] = [true, false]) =>
  ['/v1/chat/completions', '/v1/messages'].flatMap((route) =>
    streamed.map((stream) => {
      const body = { model, stream, max_tokens: 50, messages: [{ role: 'user', content: prompt }] };
      return () => send(route, JSON.stringify(body), { Authorization: `Bearer ${callerKey}` });
    }),
  );

function randomCall(): Promise<Response> {
  const key = pick([callerKey, callerKey, callerKey, `sk-1234abcd${mark('Wrong')}0123456789abcdef`]);
  const credentials = pick<{ headers: Record<string, string>; query: string }>([
    { headers: { Authorization: `Bearer ${key}` }, query: '' },
    { headers: { 'x-api-key': key }, query: '' },
    { headers: {}, query: `?key=${key}` },
  ]);
  const messages = [{ role: 'user', content: prompt }];
  const model = pick([...models, 'no-such-model', 'x'.repeat(300)]);
  const good = JSON.stringify({ model, messages, max_tokens: 50, stream: dice.next() < 0.5 });
  const body = pick([good, good, good, good.slice(0, -7), good.replace('50', '"x"'), `${good}${good}`]);
  const route = pick(['/v1/chat/completions', '/v1/chat/completions', '/v1/messages', '/v1/no/such/call']);
  return send(route + credentials.query, body, credentials.headers);
}

const hits = (text: string) => [...marks, callerKey.slice(3)].filter((each) => text.includes(each));

const ADMIN_PAGES = [
  '/api/status',
  '/api/option/',
  '/api/channel/',
  '/api/channel/search?keyword=canary',
  '/api/channel/search?keyword=Canary',
  '/api/channel/1',
  '/api/log/',
  '/api/log/search?keyword=canary',
  '/api/data/failures',
  '/api/user/',
  '/api/audit/',
  '/api/token/',
];

/** Every file below the data directory, as bytes: tables, indexes, the write-ahead log, spool. */
const stored = () =>
  readdirSync(place.dataDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(path.join(entry.parentPath, entry.name)).toString('latin1'))
    .join('\n');

test('none of them is found anywhere (plan S17, S18)', async () => {
  const found: string[] = [];
  const statuses = new Map<number, number>();
  const call = async (make: () => Promise<Response>) => {
    const response = await make();
    const text = `${JSON.stringify([...response.headers])} ${await response.text().catch(() => '')}`;
    statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
    // A caller may read the own prompt in the upstream's words about it.
    for (const hit of hits(text).filter((each) => each !== mark('Prompt')))
      found.push(`an answer ${response.status}: ${hit} in ${text}`);
  };
  const plain = models.flatMap((model) => plainCalls(model));
  for (const make of [...plain, ...plainCalls(breakingModel, [true])]) await call(make);
  for (let made = 0; made < calls; made += 8)
    await Promise.all(Array.from({ length: 8 }, () => call(randomCall)));
  // The faults happened: the keys and the prompts were at the upstream, and most calls failed.
  const sentUpstream = JSON.stringify(mock.requests.map(({ headers, body }) => [headers, body]));
  expect(sentUpstream).toContain(mark('Upstream'));
  expect(sentUpstream).toContain(mark('Prompt'));
  expect([...new Set(mock.requests.map(({ model }) => model))].toSorted()).toEqual(models);
  expect(breaking.received.length).toBeGreaterThan(0);
  const sent = [...statuses.values()].reduce((sum, count) => sum + count, 0);
  const failed = [...statuses]
    .filter(([status]) => status !== 200)
    .reduce((sum, [, count]) => sum + count, 0);
  expect(failed).toBeGreaterThan(calls / 4);

  for (const page of ADMIN_PAGES) {
    const reply = await app.request(page, { as: root });
    expect([page, reply.status]).toEqual([page, 200]);
    for (const hit of hits(JSON.stringify(reply.body))) found.push(`${page}: ${hit}`);
  }
  const metrics = await fetch(`${app.url}/metrics`, {
    headers: { Authorization: `Bearer metrics-${mark('Metrics')}` },
  });
  expect(metrics.status).toBe(200);
  for (const hit of hits(await metrics.text())) found.push(`/metrics: ${hit}`);
  // The end writes and sends what waits in memory.
  await app.close();
  expect(collector.spans.length).toBeGreaterThan(0);
  for (const hit of hits(JSON.stringify([collector.spans, collector.metrics])))
    found.push(`telemetry: ${hit}`);
  for (const line of app.logged)
    for (const hit of hits(line)) found.push(`log: ${hit} in ${line.slice(0, 300)}`);
  for (const hit of hits(stored())) found.push(`the data directory: ${hit}`);
  expect([...new Set(found)].slice(0, 8)).toEqual([]);
  faultSeen(
    'S17',
    `${sent} calls, ${failed} failed: 0 of ${marks.length} kinds of secrets in answers, log, files, metrics, traces`,
  );
  faultSeen('S18', `${sent} calls with a known prompt, ${failed} failed, some errors repeat it: 0 hits`);
});
