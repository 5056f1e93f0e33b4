// A full gateway as callers see it: a quick refusal in the format of the called API, no hold for it, running calls
// undisturbed, and open again a moment later. tests/load tests real overload.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { startApplication, type TestApplication } from '#tests/support/application.ts';
import { addChannel } from '#tests/support/channels.ts';
import { faultSeen } from '#tests/support/fault-report.ts';
import { behaviourMessage } from '#mock/upstream/behaviours.ts';
import { startMockUpstream } from '#mock/upstream/index.ts';
import { startRunClock } from '#tests/support/run-clock.ts';
import { eventually } from './harness.ts';

setDefaultTimeout(120_000);

const mostCalls = 6;
const model = 'gpt-4o-mini';
const mock = startMockUpstream();
let application: TestApplication;
let key = '';
/** How long one call takes on this machine now. */
let callMilliseconds = 0;

beforeAll(async () => {
  application = await startApplication({ overload: { mostCalls } });
  await addChannel(application.store, { base_url: mock.url, models: [model] });
  const user = await application.createUser({ quota: 100_000_000 });
  const secret = randomBytes(24).toString('hex');
  await application.store.db
    .insertInto('tokens')
    .values({
      user_id: user.id,
      name: 'load',
      key_digest: application.store.vault.digest('token', secret),
      created_time: Math.floor(Date.now() / 1000),
      unlimited_quota: 1,
      status: 1,
    })
    .execute();
  key = `sk-${secret}`;
  const isThere = await eventually(
    async () => (await call({})).status,
    (status) => status === 200,
  );
  expect(isThere).toBe(200);
  const startedAt = performance.now();
  await (await call({})).text();
  callMilliseconds = performance.now() - startedAt;
});

afterAll(async () => {
  await application.close();
  await mock.stop();
});

interface Wish {
  path?: string;
  body?: Record<string, unknown>;
  headers?: Record<string, string>;
}

function call({ path = '/v1/chat/completions', body, headers = {} }: Wish): Promise<Response> {
  return fetch(application.url + path, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body ?? { model, messages: [{ role: 'user', content: 'hello' }] }),
  });
}

/** Lasts three seconds, and longer than the other calls of the test on a busy machine. */
function slowStream(): Promise<Response> {
  const chunkDelayMilliseconds = 200 + 2 * callMilliseconds;
  const content = behaviourMessage({ outputTokens: 15, chunkDelayMilliseconds });
  return call({ body: { model, stream: true, messages: [{ role: 'user', content }] } });
}

const held = async () => {
  await application.ledger.writeHolds();
  return (await application.store.db.selectFrom('holds').select('id').execute()).length;
};

const refusals: { dialect: string; wish: Wish; error: Record<string, unknown> }[] = [
  {
    dialect: 'OpenAI',
    wish: { headers: { 'Accept-Language': 'zh' } },
    error: { type: 'tollgate_error', code: 'overloaded', message: /^服务器负载过高，请稍后再试/ },
  },
  {
    dialect: 'Anthropic',
    wish: { path: '/v1/messages', headers: { 'x-api-key': 'any', 'anthropic-version': '2023-06-01' } },
    error: { type: 'overloaded_error', message: /^The service is overloaded. Try again shortly./ },
  },
  {
    dialect: 'Gemini',
    wish: { path: `/v1beta/models/${model}:generateContent` },
    error: { status: 'UNAVAILABLE', code: 503, message: /^The service is overloaded/ },
  },
];

test('D6 a full gateway refuses at once, in each format, holds nothing for refused calls and finishes running ones (plan D6)', async () => {
  using clock = startRunClock();
  const running = await Promise.all(Array.from({ length: mostCalls }, slowStream));
  expect(running.map(({ status }) => status)).toEqual(running.map(() => 200));
  const logsBefore = await application.store.db.selectFrom('logs').select('id').execute();
  const first = await eventually(
    () => call({}),
    ({ status }) => status === 503,
  );
  expect(first.status).toBe(503);

  for (const { wish, error } of refusals) {
    const startedAt = Date.now();
    const answer = await call(wish);
    const milliseconds = clock.between(startedAt, Date.now());
    expect(answer.status).toBe(503);
    // A call that waited for admission would take as long as a stream: three seconds.
    expect(milliseconds).toBeLessThan(1000);
    expect(Number(answer.headers.get('retry-after'))).toBeWithin(1, 4);
    const body = (await answer.json()) as { error: Record<string, unknown> };
    for (const [field, value] of Object.entries(error)) {
      if (value instanceof RegExp) expect(String(body.error[field])).toMatch(value);
      else expect(body.error[field]).toBe(value);
    }
  }
  // Calls admitted before the gate had counted the streams are settled by now.
  expect(await held()).toBe(mostCalls);

  const texts = await Promise.all(running.map((answer) => answer.text()));
  for (const text of texts) {
    expect(text.match(/"content":/g)?.length).toBeGreaterThanOrEqual(15);
    expect(text).toEndWith('data: [DONE]\n\n');
  }
  expect(await held()).toBe(0);

  const recovered = Date.now();
  const answer = await eventually(
    () => call({}),
    ({ status }) => status === 200,
  );
  expect(answer.status).toBe(200);
  expect(clock.between(recovered, Date.now())).toBeLessThan(2000);

  const logs = await application.store.db.selectFrom('logs').select('id').execute();
  const admitted = mock.books.totals.complete;
  expect(logs.length).toBe(admitted);
  expect(logs.length).toBeGreaterThan(logsBefore.length);
  const said = application.logged
    .map((line) => JSON.parse(line) as { message: string; cause?: string; refused?: number })
    .filter(({ message }) => message.startsWith('overload: '));
  expect(said.map(({ message }) => message)).toEqual([
    'overload: calls are refused',
    'overload: every call is admitted again',
  ]);
  expect(said[0]?.cause).toBe('full');
  expect(said[1]?.refused).toBeGreaterThanOrEqual(refusals.length);
  faultSeen(
    'D6',
    `full with ${mostCalls} calls: ${said[1]?.refused} refused at once with Retry-After, none held`,
  );
});
