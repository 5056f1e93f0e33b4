// Which channel serves a call, what happens when it fails, and when a channel cools down or is disabled.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { faultSeen } from '#tests/support/fault-report.ts';
import { behaviourKey, type Behaviour } from '#mock/upstream/index.ts';
import { eventually, startRelay, type RelayHarness, type TestToken } from './harness.ts';

let relay: RelayHarness;
let token: TestToken;

beforeEach(async () => {
  relay = await startRelay({ settings: { RetryTimes: '2' } });
  token = await relay.token({ user_id: await relay.user() });
});
afterEach(() => relay[Symbol.asyncDispose]());

const chat = (extra: object = {}) =>
  relay.post('/v1/chat/completions', token.key, {
    model: 'gpt-4o',
    messages: [{ role: 'user', content: 'hi' }],
    ...extra,
  });
const failing = (behaviour: Behaviour | string) => ({ key: behaviourKey('sk-up', behaviour) });
const counts = () => {
  const byKey = new Map<string, number>();
  for (const { key } of relay.mock.requests) byKey.set(key, (byKey.get(key) ?? 0) + 1);
  return byKey;
};
const statusOf = async (id: number) =>
  (await relay.store.db.selectFrom('channels').selectAll().where('id', '=', id).executeTakeFirstOrThrow())
    .status;

const offeredModels = async (): Promise<string[]> => {
  const headers = { Authorization: `Bearer ${token.key}` };
  const answer = await fetch(`${relay.url}/v1/models`, { headers });
  return ((await answer.json()) as { data: { id: string }[] }).data.map(({ id }) => id);
};

describe('choice', () => {
  test('the highest priority serves; the lower one is the reserve', async () => {
    await relay.channel({ key: 'sk-high', priority: 10 });
    await relay.channel({ key: 'sk-low', priority: 0 });
    for (let round = 0; round < 20; round += 1) expect((await chat()).status).toBe(200);
    expect(counts()).toEqual(new Map([['sk-high', 20]]));
  });

  test('weights share the calls of one tier; a weight of 0 beside others is a reserve', async () => {
    await relay.channel({ key: 'sk-heavy', weight: 30 });
    await relay.channel({ key: 'sk-light', weight: 10 });
    await relay.channel({ key: 'sk-none', weight: 0 });
    for (let round = 0; round < 200; round += 1) await chat();
    const heavy = counts().get('sk-heavy') ?? 0;
    expect(heavy).toBeGreaterThan(115);
    expect(heavy).toBeLessThan(185);
    expect(counts().get('sk-none')).toBeUndefined();
  });

  test('a disabled channel is skipped as soon as the change is announced', async () => {
    const first = await relay.channel({ key: 'sk-first', priority: 10 });
    await relay.channel({ key: 'sk-second' });
    await chat();
    await relay.store.db.updateTable('channels').set({ status: 2 }).where('id', '=', first).execute();
    await relay.store.changes.announce('channels', String(first));
    await eventually(
      async () => (await chat()).status && counts().get('sk-second'),
      (count) => count !== undefined,
    );
    expect(counts().get('sk-second')).toBeGreaterThan(0);
  });
});

describe('retry', () => {
  test('another channel answers; the path is in the log; the call is charged once (M21) (plan M21)', async () => {
    const bad = await relay.channel({ ...failing('500'), priority: 9 });
    const worse = await relay.channel({ ...failing('429'), priority: 8 });
    const good = await relay.channel({ key: 'sk-good', priority: 7 });
    expect((await chat()).status).toBe(200);
    const rows = await relay.logs(token.userId);
    expect(rows).toHaveLength(1);
    const { admin_info: info } = JSON.parse(rows[0]?.other ?? '') as {
      admin_info: { use_channel: string[]; attempts: { channel: number; status: number }[] };
    };
    expect(info.use_channel).toEqual([bad, worse, good].map(String));
    expect(info.attempts.map(({ status }) => status)).toEqual([500, 429, 200]);
    faultSeen('M21', 'two channels failed with 500 and 429: one charge');
    expect(rows[0]?.channel_id).toBe(good);
  });

  test('U11 never more than 1 + RetryTimes requests are sent, and no channel gets two (plan U11)', async () => {
    for (let index = 0; index < 6; index += 1)
      await relay.channel({ ...failing({ status: 503, tag: `c${index}` }) });
    const response = await chat();
    expect(response.status).toBe(503);
    expect(relay.mock.requests).toHaveLength(3);
    expect(new Set(relay.mock.requests.map(({ key }) => key)).size).toBe(3);
    expect(await relay.holds()).toBe(0);
    expect((await relay.userRow(token.userId)).used_quota).toBe(0);
    faultSeen('U11', '6 failing channels, RetryTimes 2: 3 requests for one call');
  });

  test('a caller’s mistake is sent to one channel only, and the caller gets the reason', async () => {
    await relay.channel(
      failing({ status: 400, errorMessage: 'max_tokens is too large: 9 > 8', errorCode: 'too_large' }),
    );
    await relay.channel({ key: 'sk-good', priority: -1 });
    const response = await chat();
    expect(response.status).toBe(400);
    const { error } = (await response.json()) as { error: { message: string; code: string } };
    expect(error.message).toContain('max_tokens is too large: 9 > 8');
    expect(relay.mock.requests).toHaveLength(1);
  });

  /** The result of the caller's WebSocket: one answer, or that it was never opened. */
  const realtime = (key: string) => {
    const address = `${relay.url.replace('http', 'ws')}/v1/realtime?model=gpt-realtime`;
    const socket = new WebSocket(address, ['realtime', `openai-insecure-api-key.${key}`]);
    return new Promise<string>((resolve) => {
      socket.addEventListener('message', (event: MessageEvent) => {
        const { type } = JSON.parse(String(event.data)) as { type: string };
        if (type === 'session.created') socket.send('{"type":"response.create"}');
        if (type !== 'response.done') return;
        resolve(type);
        socket.close();
      });
      socket.addEventListener('close', () => resolve('closed'));
    });
  };
  const closedPort = { base_url: 'http://127.0.0.1:9' };

  test('a realtime call is retried on another channel, and the path is in the log', async () => {
    const bad = await relay.channel({ ...closedPort, priority: 9 });
    const worse = await relay.channel({ ...closedPort, priority: 8 });
    const good = await relay.channel({ key: 'sk-good', priority: 7 });
    expect(await realtime(token.key)).toBe('response.done');
    const [row] = await eventually(
      () => relay.logs(token.userId),
      (rows) => rows.length === 1,
    );
    const { admin_info: info } = JSON.parse(row?.other ?? '') as {
      admin_info: { use_channel: string[]; attempts: { status: number }[] };
    };
    expect(info.use_channel).toEqual([bad, worse, good].map(String));
    expect(info.attempts.map(({ status }) => status)).toEqual([0, 0, 101]);
    expect(row?.channel_id).toBe(good);
  });

  test('a realtime call tries 1 + RetryTimes channels, then releases its hold', async () => {
    for (const priority of [9, 8, 7]) await relay.channel({ ...closedPort, priority });
    await relay.channel({ key: 'sk-good', priority: 6 });
    expect(await realtime(token.key)).toBe('closed');
    expect(relay.logged.filter((line) => line.includes('an upstream failed'))).toHaveLength(3);
    expect(relay.mock.requests).toEqual([]);
    expect(await relay.holds()).toBe(0);
    expect((await relay.userRow(token.userId)).used_quota).toBe(0);
  });

  test('a failure before the first event of a stream is retried; one after it is not', async () => {
    await relay.channel({ ...failing('error-200'), priority: 5 });
    await relay.channel({ key: 'sk-good' });
    const moved = await chat({ stream: true });
    expect(moved.status).toBe(200);
    expect(await moved.text()).toEndWith('data: [DONE]\n\n');
    expect(counts().get('sk-good')).toBe(1);
  });

  test('the supplier’s error text, names and keys are not sent to the caller', async () => {
    await relay.settings.set('RetryTimes', '0', 0);
    const secret =
      'Incorrect API key provided: sk-secret1234567890 at https://api.supplier.com for org-abc12345';
    for (const status of [401, 403, 500, 429]) {
      await relay.channel(failing({ status, errorMessage: secret }));
      const text = await (await chat()).text();
      expect(text).not.toMatch(/sk-secret|supplier|org-abc|Incorrect/);
      await relay.store.db.deleteFrom('abilities').execute();
      await relay.store.db.deleteFrom('channels').execute();
      await relay.relay.reload();
    }
    await relay.channel(failing({ status: 404, errorMessage: secret }));
    expect(await (await chat()).text()).not.toMatch(/sk-secret1|supplier\.com|org-abc12345/);
  });

  test('an unreachable upstream is a failure like any other', async () => {
    await relay.channel({ base_url: 'http://127.0.0.1:1', priority: 5 });
    await relay.channel({ base_url: 'http://10.255.255.1', priority: 4 });
    await relay.channel({ key: 'sk-good' });
    expect((await chat()).status).toBe(200);
  });
});

describe('mapping', () => {
  test('the upstream gets the mapped name through a chain; the requested one is billed and limited', async () => {
    const model_mapping = JSON.stringify({ 'gpt-4o': 'a', a: 'b', b: 'gpt-4o-mini', 'gpt-4o-mini': 'a' });
    await relay.channel({ fields: { model_mapping } });
    expect((await chat()).status).toBe(200);
    expect(relay.mock.requests[0]?.model).toBe('gpt-4o-mini');
    expect(await relay.lastLog(token.userId)).toMatchObject({
      model_name: 'gpt-4o',
      upstream_model: 'gpt-4o-mini',
    });
  });

  test('a mapped status decides about the retry and is sent to the caller', async () => {
    await relay.channel({ ...failing('400'), priority: 5, fields: { status_code_mapping: '{"400":"500"}' } });
    await relay.channel({ key: 'sk-good' });
    expect((await chat()).status).toBe(200);
    await relay.store.db.deleteFrom('abilities').where('priority', '=', 0).execute();
    await relay.relay.reload();
    expect((await chat()).status).toBe(500);
  });

  test('the operator’s parameters and headers are added; those that affect the charge are not', async () => {
    const own = { temperature: 0.1, model: 'other', stream: true, stream_options: null };
    const param_override = JSON.stringify(own);
    await relay.channel({ fields: { param_override, header_override: '{"X-Team":"blue"}' } });
    expect((await chat({ temperature: 0.9 })).status).toBe(200);
    const [request] = relay.mock.requests;
    expect(request?.body).toMatchObject({ temperature: 0.1, model: 'gpt-4o' });
    expect(request?.body).not.toHaveProperty('stream');
    expect(request?.headers['x-team']).toBe('blue');
    // Without its usage a stream would be charged by an estimate.
    await (await chat({ stream: true })).text();
    expect(relay.mock.requests[1]?.body).toMatchObject({ stream_options: { include_usage: true } });
  });
});

describe('circuit breaker', () => {
  test('U11 after several failures in a row the channel gets no calls; others serve (plan U11)', async () => {
    await relay.channel({ ...failing('503'), priority: 5 });
    await relay.channel({ key: 'sk-good' });
    for (let round = 0; round < 20; round += 1) expect((await chat()).status).toBe(200);
    const bad = [...counts()].find(([key]) => key !== 'sk-good')?.[1] ?? 0;
    expect(bad).toBe(5);
    expect(counts().get('sk-good')).toBe(20);
    faultSeen('U11', '20 calls: 5 to the failing channel, then none');
  });

  test('without another channel the caller gets a retry time, and the upstream gets no calls', async () => {
    await relay.settings.set('RetryTimes', '0', 0);
    await relay.channel(failing('503'));
    for (let round = 0; round < 5; round += 1) expect((await chat()).status).toBe(503);
    const response = await chat();
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('5');
    expect(relay.mock.requests).toHaveLength(5);
  });

  const limit = (extra: Behaviour = {}): Behaviour => ({
    status: 429,
    headers: { 'retry-after': '40' },
    ...extra,
  });
  const told = async (answer: Response) => [answer.status, answer.headers.get('retry-after')];

  test('a limit of one model pauses that model for its time, no other, and stays a 429 (W23)', async () => {
    await relay.channel();
    relay.mock.behave({ when: { model: 'gpt-4o' }, times: 1, behaviour: limit() });
    const first = await chat();
    expect(await told(first)).toEqual([429, '40']);
    const again = await chat();
    expect(again.status).toBe(429);
    expect(Number(again.headers.get('retry-after'))).toBeGreaterThan(30);
    expect(await again.json()).toMatchObject({ error: { code: 'upstream_saturated' } });
    expect(relay.mock.requests).toHaveLength(1);
    expect((await chat({ model: 'gpt-4o-mini' })).status).toBe(200);
    const claude = { model: 'gpt-4o', max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] };
    const messages = await relay.post('/v1/messages', token.key, claude);
    expect([messages.status, await messages.json()]).toMatchObject([
      429,
      { error: { type: 'rate_limit_error' } },
    ]);
    relay.endCooling();
    expect((await chat()).status).toBe(200);
  });

  test('a limit of the key or account pauses every model of the channel (W23)', async () => {
    await relay.channel();
    const errorMessage = 'Too many requests: the limit of your account is 60 per minute.';
    relay.mock.behave({ times: 1, behaviour: limit({ errorMessage }) });
    expect((await chat()).status).toBe(429);
    expect((await chat({ model: 'gpt-4o-mini' })).status).toBe(429);
    expect(relay.mock.requests).toHaveLength(1);
  });

  test('a limited channel and a broken one: the caller learns of the limit and its time (W23)', async () => {
    await relay.channel({ ...failing(limit()), priority: 5 });
    await relay.channel(failing('503'));
    expect(await told(await chat())).toEqual([429, '40']);
    expect(relay.mock.requests).toHaveLength(2);
  });

  test('while one channel is limited another serves, and a request’s own fault is told as such (W23)', async () => {
    await relay.channel({ ...failing(limit()), priority: 5 });
    const good = await relay.channel({ key: 'sk-good' });
    expect((await chat()).status).toBe(200);
    expect((await relay.lastLog(token.userId)).channel_id).toBe(good);
    relay.endCooling();
    relay.mock.behave({ when: { key: 'sk-good' }, behaviour: { status: 400, errorMessage: 'bad field' } });
    expect((await chat()).status).toBe(400);
  });

  test('an outage of one model leaves the others alone (W23)', async () => {
    await relay.settings.set('RetryTimes', '0', 0);
    await relay.channel();
    relay.mock.behave({ when: { model: 'gpt-4o' }, behaviour: { status: 500 } });
    for (let round = 0; round < 6; round += 1) await chat();
    // The sixth was not sent; `gpt-4o-mini` contains the name, so that another model is asked.
    expect(relay.mock.requests).toHaveLength(5);
    const embedding = await relay.post('/v1/embeddings', token.key, {
      model: 'text-embedding-3-small',
      input: 'hi',
    });
    expect(embedding.status).toBe(200);
  });

  test('U14 a channel at its concurrency limit gets no more calls; others serve (plan U14)', async () => {
    const stalledKey = behaviourKey('sk-up', 'stall-headers');
    await relay.channel({ key: stalledKey, priority: 5, fields: { max_concurrency: 20 } });
    await relay.channel({ key: 'sk-good' });
    let served = 0;
    const left = new AbortController();
    const callers = Array.from({ length: 200 }, async () => {
      const answer = await fetch(`${relay.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${token.key}` },
        body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] }),
        signal: left.signal,
      });
      if (answer.status === 200) served += 1;
    });
    const ended = Promise.allSettled(callers);
    // Those on the stalled channel wait without end; the others are answered meanwhile.
    expect(
      await eventually(
        () => served,
        (count) => count === 180,
      ),
    ).toBe(180);
    expect(counts()).toEqual(
      new Map([
        [stalledKey, 20],
        ['sk-good', 180],
      ]),
    );
    left.abort();
    await ended;
    faultSeen('U14', '200 calls at once, 20 stalled on a channel with a limit of 20, 180 served by another');
  });
});

describe('automatic disabling', () => {
  beforeEach(() => relay.settings.set('AutomaticDisableChannelEnabled', 'true', 0));

  test.each([
    ['status 401', { status: 401, errorMessage: 'no' }],
    ['an error type', { status: 429, errorBody: { error: { message: 'x', type: 'insufficient_quota' } } }],
    ['an error code', { status: 403, errorBody: { error: { message: 'x', code: 'account_deactivated' } } }],
    ['a keyword', { status: 403, errorMessage: 'Sorry: YOUR CREDIT BALANCE IS TOO LOW to go on' }],
  ])('by %s', async (_what, behaviour) => {
    const id = await relay.channel(failing(behaviour));
    await chat();
    expect(
      await eventually(
        () => statusOf(id),
        (status) => status === 3,
      ),
    ).toBe(3);
    const row = await relay.store.db
      .selectFrom('channels')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    expect(JSON.parse(row.other_info)).toMatchObject({
      status_reason: expect.any(String),
      status_time: expect.any(Number),
    });
    // The relay reads the channels again after the change is announced, which follows the commit.
    expect(await eventually(offeredModels, (models) => models.length === 0)).toEqual([]);
    const sent = relay.mock.requests.length;
    expect((await chat()).status).toBe(503);
    expect(relay.mock.requests).toHaveLength(sent);
  });

  test('U12 keywords from the caller’s prompt do not count; the same error without them in the prompt does (plan U12)', async () => {
    const words = 'You exceeded your current quota';
    const id = await relay.channel(failing({ status: 403, errorMessage: `refused: ${words}` }));
    for (let times = 0; times < 3; times += 1)
      await chat({ messages: [{ role: 'user', content: `please repeat: ${words}` }] });
    expect(relay.mock.requests.map(({ status }) => status)).toEqual([403, 403, 403]);
    await Bun.sleep(100);
    expect(await statusOf(id)).toBe(1);
    await chat();
    expect(
      await eventually(
        () => statusOf(id),
        (status) => status === 3,
      ),
    ).toBe(3);
    faultSeen('U12', '3 errors that repeat the prompt: channel enabled; 1 without: disabled');
  });

  test('neither ordinary refusals nor channels that opted out', async () => {
    const ordinary = await relay.channel(failing('500'));
    const optedOut = await relay.channel({ ...failing('401'), priority: -1, fields: { auto_ban: 0 } });
    await chat();
    await Bun.sleep(100);
    expect([await statusOf(ordinary), await statusOf(optedOut)]).toEqual([1, 1]);
  });
});
