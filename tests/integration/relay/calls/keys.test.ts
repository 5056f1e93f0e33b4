// Authentication of callers: every limit of a token applies in every form of its key.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { faultSeen } from '#tests/support/fault-report.ts';
import { eventually, startRelay, type RelayHarness, type TestToken } from './harness.ts';

let relay: RelayHarness;
const body = JSON.stringify({ model: 'gpt-4o', max_tokens: 10, messages: [{ role: 'user', content: 'hi' }] });

beforeAll(async () => {
  relay = await startRelay();
  await relay.channel({ name: 'first' });
});
afterAll(() => relay[Symbol.asyncDispose]());

type Form = (key: string) => { headers: Record<string, string>; query: string };
const forms: Record<string, Form> = {
  bearer: (key) => ({ headers: { Authorization: `Bearer ${key}` }, query: '' }),
  'bearer in lower case': (key) => ({ headers: { Authorization: `bearer ${key}` }, query: '' }),
  'authorization without a scheme': (key) => ({ headers: { Authorization: key }, query: '' }),
  'x-api-key': (key) => ({ headers: { 'x-api-key': key }, query: '' }),
  'x-goog-api-key': (key) => ({ headers: { 'x-goog-api-key': key }, query: '' }),
  query: (key) => ({ headers: {}, query: `?key=${encodeURIComponent(key)}` }),
  'WebSocket subprotocol': (key) => ({
    headers: { 'Sec-WebSocket-Protocol': `realtime, openai-insecure-api-key.${key}` },
    query: '',
  }),
};
const formNames = Object.keys(forms);

async function call(
  form: string,
  key: string,
  from = '127.0.0.1',
): Promise<{ status: number; code: string; message: string }> {
  const { headers, query } = forms[form]?.(key) ?? { headers: {}, query: '' };
  const response = await fetch(`${relay.url}/v1/chat/completions${query}`, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json', 'X-Forwarded-For': from },
    body,
  });
  const answer = (await response.json()) as { error?: { code: string; message: string } };
  return { status: response.status, code: answer.error?.code ?? '', message: answer.error?.message ?? '' };
}

describe('A16 every form of the key', () => {
  test.each(formNames)('%s is accepted, with and without sk-', async (form) => {
    const token = await relay.token();
    expect((await call(form, token.key)).status).toBe(200);
    expect((await call(form, token.key.slice(3))).status).toBe(200);
  });

  test.each(formNames)('%s: a wrong key is refused with 401', async (form) => {
    expect(await call(form, 'sk-wrong')).toMatchObject({ status: 401, code: 'invalid_api_key' });
  });

  test('no key at all is 401 in OpenAI’s format, ending with the request id', async () => {
    const response = await fetch(`${relay.url}/v1/chat/completions`, { method: 'POST', body });
    const answer = (await response.json()) as { error: Record<string, string | null> };
    expect(response.status).toBe(401);
    expect(answer.error).toMatchObject({ type: 'tollgate_error', code: 'missing_api_key', param: null });
    expect(answer.error['message']).toEndWith(`(request id: ${response.headers.get('x-request-id')})`);
  });

  test('keys with an equal beginning or end are different keys, also when one of them is cached (S20) (plan S20)', async () => {
    const token = await relay.token();
    expect((await call('bearer', token.key)).status).toBe(200);
    // Every other last or first character, and lengths beside the right one, while the right key is in the cache.
    const digits = '0123456789abcdef'.split('');
    const near = [
      token.key.slice(0, -1),
      `${token.key}x`,
      token.key.toUpperCase(),
      ...digits.map((digit) => token.key.slice(0, -1) + digit),
      ...digits.map((digit) => `sk-${digit}${token.key.slice(4)}`),
    ].filter((key) => key !== token.key);
    for (const key of near) expect((await call('bearer', key)).status, key).toBe(401);
    expect((await call('bearer', token.key)).status).toBe(200);
    faultSeen('S20', `${near.length} keys that differ in one place from a cached one: refused`);
  });

  test('a key of 10 kB or with quotes is a wrong key, not an internal error', async () => {
    for (const key of ['x'.repeat(10_000), `' OR 1=1 --`, '"; drop table tokens']) {
      expect((await call('x-api-key', key)).status).toBe(401);
    }
  });
});

const now = () => Math.floor(Date.now() / 1000);

/** What makes a token unusable, and the caller's error. */
const cases: [string, () => Promise<TestToken>, number, string][] = [
  ['disabled', () => relay.token({ status: 2 }), 401, 'token_disabled'],
  ['expired by its status', () => relay.token({ status: 3 }), 401, 'token_expired'],
  ['exhausted', () => relay.token({ status: 4 }), 401, 'token_exhausted'],
  ['past its time', () => relay.token({ expired_time: now() - 10 }), 401, 'token_expired'],
  ['deleted', () => relay.token({ deleted_at: now() }), 401, 'invalid_api_key'],
  [
    'limited to other models',
    () => relay.token({ model_limits_enabled: 1, model_limits: 'gpt-4o-mini' }),
    403,
    'model_not_allowed',
  ],
  [
    'allowed only from other addresses',
    () => relay.token({ allow_ips: '10.0.0.0/8' }),
    403,
    'address_not_allowed',
  ],
  ['denied from this address', () => relay.token({ deny_ips: '127.0.0.0/8' }), 403, 'address_not_allowed'],
  ['in a group that may not be used', () => relay.token({ group: 'svip' }), 403, 'group_not_allowed'],
  [
    'with exhausted quota',
    () => relay.token({ unlimited_quota: 0, remain_quota: 1 }),
    403,
    'insufficient_token_quota',
  ],
  ['of a user without balance', () => relay.token({ quota: 0 }), 403, 'insufficient_quota'],
  [
    'of a disabled user',
    async () => relay.token({ user_id: await relay.user({ status: 2 }) }),
    403,
    'user_disabled',
  ],
  [
    'of a deleted user',
    async () => relay.token({ user_id: await relay.user({ deleted_at: now() }) }),
    403,
    'user_disabled',
  ],
];

describe('A17 a token that may not call', () => {
  test.each(cases)('%s is refused alike in every form, without a hold', async (_what, make, status, code) => {
    const token = await make();
    const before = relay.mock.requests.length;
    for (const form of formNames) expect(await call(form, token.key)).toMatchObject({ status, code });
    expect(relay.mock.requests.length).toBe(before);
    expect(await relay.holds()).toBe(0);
  });

  test('addresses: v4, v6, CIDR and mapped forms; the deny list wins', async () => {
    const token = await relay.token({ allow_ips: '203.0.113.0/24\n2001:db8::/32', deny_ips: '203.0.113.9' });
    const expected = {
      '203.0.113.7': 200,
      '2001:db8::5': 200,
      '203.0.113.9': 403,
      '198.51.100.1': 403,
      '2001:db9::1': 403,
    };
    for (const [address, status] of Object.entries(expected)) {
      expect((await call('bearer', token.key, address)).status).toBe(status);
    }
  });

  test('a change of the token applies at once', async () => {
    const token = await relay.token();
    expect((await call('bearer', token.key)).status).toBe(200);
    await relay.store.db.updateTable('tokens').set({ status: 2 }).where('id', '=', token.id).execute();
    await relay.store.changes.announce('tokens', String(token.id));
    expect((await call('bearer', token.key)).code).toBe('token_disabled');
  });

  test('a user banned without an announcement is refused by the hold', async () => {
    const token = await relay.token();
    expect((await call('bearer', token.key)).status).toBe(200);
    await relay.store.db.updateTable('users').set({ status: 2 }).where('id', '=', token.userId).execute();
    expect((await call('bearer', token.key)).status).toBe(403);
  });
});

describe('limits admitted with the hold', () => {
  test('requests per minute, with the token’s own message and a retry time', async () => {
    const token = await relay.token({ requests_per_minute: 2, rate_limit_message: 'slow down, friend' });
    expect((await call('bearer', token.key)).status).toBe(200);
    expect((await call('x-api-key', token.key)).status).toBe(200);
    const response = await relay.post('/v1/chat/completions', token.key, body);
    expect(response.status).toBe(429);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await response.text()).toContain('slow down, friend');
  });

  test('tokens per minute, budgets of the day and the month', async () => {
    const tight = await relay.token({ tokens_per_minute: 5 });
    expect(await call('bearer', tight.key)).toMatchObject({ status: 429, code: 'tokens_limited' });
    const day = await relay.token({ day_budget: 1 });
    expect(await call('bearer', day.key)).toMatchObject({ status: 429, code: 'day_budget' });
    const refused = await relay.post('/v1/chat/completions', day.key, body);
    const next = new Date();
    next.setUTCHours(24, 0, 0, 0);
    expect(await refused.text()).toContain(`${next.toISOString().slice(0, 10)} 00:00 (UTC)`);
    const month = await relay.token({ month_budget: 1 });
    expect(await call('bearer', month.key)).toMatchObject({ status: 429, code: 'month_budget' });
  });

  test.each([
    ['the balance', () => relay.token({ quota: 100_000 }), 'insufficient_quota'],
    ['the key', () => relay.token({ unlimited_quota: 0, remain_quota: 100_000 }), 'insufficient_token_quota'],
    ['the budget of the day', () => relay.token({ day_budget: 100_000 }), 'day_budget'],
    ['the budget of the month', () => relay.token({ month_budget: 100_000 }), 'month_budget'],
  ] as const)(
    '%s does not cover the hold of a call: it is told what the call needs, what is left and what to do, in money (O41)',
    async (_, make, code) => {
      // The prompt alone costs more than there is, so that no smaller answer would do.
      const long = { model: 'gpt-4o', messages: [{ role: 'user', content: 'word '.repeat(200_000) }] };
      const { key } = await make();
      for (const [language, needs, advice] of [
        ['en', /needs \$(\d+(?:\.\d+)?)/, 'lower max_tokens'],
        ['zh', /需要预扣 \$(\d+(?:\.\d+)?)/, '调小 max_tokens'],
      ] as const) {
        const answer = await relay.post('/v1/chat/completions', key, long, { 'accept-language': language });
        const { error } = (await answer.json()) as { error: { code: string; message: string } };
        expect(error.code).toBe(code);
        expect(Number(needs.exec(error.message)?.[1])).toBeGreaterThan(0.2);
        // 100,000 units of 500,000 to the dollar: nothing is used.
        expect(error.message).toContain('$0.2');
        expect(error.message).toContain(advice);
        expect(error.message).not.toMatch(/used up|已用完|100,?000/);
      }
    },
  );

  test('concurrent calls', async () => {
    const token = await relay.token({ concurrent_calls: 1 });
    const before = relay.mock.requests.length;
    const slow = relay.post('/v1/chat/completions', token.key, {
      model: 'gpt-4o',
      messages: [{ role: 'user', content: '{"mock":{"headersDelayMilliseconds":3000}}' }],
    });
    await eventually(
      () => relay.mock.requests.length,
      (count) => count > before,
    );
    expect(await call('bearer', token.key)).toMatchObject({ status: 429, code: 'concurrency_limited' });
    expect((await slow).status).toBe(200);
    expect((await call('bearer', token.key)).status).toBe(200);
  });
});

describe('S5 choosing a channel', () => {
  test('a user may not, in any form', async () => {
    const token = await relay.token();
    for (const form of formNames) {
      expect(await call(form, `${token.key}-1`)).toMatchObject({ status: 403, code: 'channel_for_admins' });
    }
  });

  test('an administrator may; unknown and disabled channels get different errors', async () => {
    const second = await relay.channel({ name: 'second', models: ['other-model'] });
    const off = await relay.channel({ name: 'off', fields: { status: 2 } });
    const token = await relay.token({ user_id: await relay.user({ role: 10 }) });
    expect((await call('bearer', `${token.key}-${second}`)).status).toBe(200);
    expect((await relay.lastLog(token.userId)).channel_id).toBe(second);
    expect(await call('bearer', `${token.key}-${off}`)).toMatchObject({
      status: 403,
      code: 'channel_disabled',
    });
    expect(await call('bearer', `${token.key}-99999`)).toMatchObject({
      status: 400,
      code: 'channel_unknown',
    });
    expect(await call('bearer', `${token.key}-x`)).toMatchObject({ status: 400, code: 'channel_unknown' });
    const gone = await relay.channel({ name: 'gone', fields: { deleted_at: 1000 } });
    expect(await call('bearer', `${token.key}-${gone}`)).toMatchObject({
      status: 400,
      code: 'channel_unknown',
    });
  });
});

describe('groups', () => {
  test('the token’s group chooses channels and ratio; without one the user’s group counts', async () => {
    await relay.settings.set('GroupRatio', JSON.stringify({ default: 1, vip: 3 }), 0);
    const vip = await relay.channel({ name: 'vip', groups: ['vip'] });
    const token = await relay.token({ group: 'vip' });
    expect((await call('bearer', token.key)).status).toBe(200);
    const row = await relay.lastLog(token.userId);
    expect(row).toMatchObject({ channel_id: vip, group: 'vip' });
    expect((JSON.parse(row.other) as { group_ratio: number }).group_ratio).toBe(3);
  });

  test('a model without a channel in the group is 404 and names both', async () => {
    const token = await relay.token();
    const response = await relay.post('/v1/chat/completions', token.key, { model: 'gpt-4', messages: [] });
    expect(response.status).toBe(404);
    expect(await response.text()).toContain('gpt-4 in the group default');
  });

  test('a model without a price is refused with a clear message, unless the gateway is in self-use mode', async () => {
    await relay.channel({ models: ['house-model'] });
    const token = await relay.token();
    const messages = [{ role: 'user', content: 'hi' }];
    const ask = () => relay.post('/v1/chat/completions', token.key, { model: 'house-model', messages });
    const refused = await ask();
    expect(refused.status).toBe(400);
    expect(await refused.text()).toContain('has no price');
    await relay.settings.set('SelfUseModeEnabled', 'true', 0);
    expect((await ask()).status).toBe(200);
    await relay.settings.set('SelfUseModeEnabled', 'false', 0);
  });

  test('N12: a model that no channel offers and that has no price is answered as unknown, not as unpriced', async () => {
    const token = await relay.token();
    const messages = [{ role: 'user', content: 'hi' }];
    const response = await relay.post('/v1/chat/completions', token.key, {
      model: 'nowhere-model',
      messages,
    });
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({
      error: {
        code: 'model_not_found',
        message: expect.stringContaining('No channel is available') as string,
      },
    });
  });
});
