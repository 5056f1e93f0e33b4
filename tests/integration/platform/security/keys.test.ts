// API keys against the whole server, behind a proxy: every form of a key has the same limits, no key is logged, only an
// administrator chooses a channel, and model calls are served while passwords are guessed.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import type { NewRow } from '#server/platform/store/schema.ts';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';
import { useRealPasswordCost } from '#tests/support/cheap-passwords.ts';
import { addChannel } from '#tests/support/channels.ts';
import type { DatabaseLabel } from '#tests/support/databases.ts';
import { faultSeen } from '#tests/support/fault-report.ts';
import { startMockUpstream, type MockUpstream } from '#mock/upstream/index.ts';

const MODEL = 'gpt-4o-mini';
const chat = { model: MODEL, max_tokens: 10, messages: [{ role: 'user', content: 'hello' }] };

const FORMS: Record<string, (key: string) => { headers?: Record<string, string>; query?: string }> = {
  bearer: (key) => ({ headers: { Authorization: `Bearer ${key}` } }),
  'authorization alone': (key) => ({ headers: { Authorization: key } }),
  'x-api-key': (key) => ({ headers: { 'x-api-key': key } }),
  'x-goog-api-key': (key) => ({ headers: { 'x-goog-api-key': key } }),
  query: (key) => ({ query: `?key=${key}` }),
};
/** One model, in the formats of the three families of clients. */
const ENDPOINTS: Record<string, { path: string; body: object }> = {
  OpenAI: { path: '/v1/chat/completions', body: chat },
  Anthropic: { path: '/v1/messages', body: chat },
  Gemini: {
    path: `/v1beta/models/${MODEL}:generateContent`,
    body: { contents: [{ role: 'user', parts: [{ text: 'hello' }] }] },
  },
};

useRealPasswordCost();

for (const database of ['sqlite', 'postgres'] as const satisfies DatabaseLabel[]) {
  describe(database, () => {
    let app: TestApplication;
    let mock: MockUpstream;
    let guarded: MockUpstream;
    let guardedId = 0;
    let user: Actor;
    beforeAll(async () => {
      mock = startMockUpstream();
      guarded = startMockUpstream();
      app = await startApplication({ database, environment: { TRUSTED_PROXIES: '127.0.0.1' } });
      await addChannel(app.store, { base_url: mock.url, models: [MODEL], priority: 10 });
      guardedId = await addChannel(app.store, { base_url: guarded.url, models: [MODEL], name: 'guarded' });
      user = await app.actor({ quota: 100_000_000 });
    }, 30_000);
    afterAll(async () => {
      await app.close();
      await mock.stop();
      await guarded.stop();
    });

    async function newKey(row: Partial<NewRow<'tokens'>> = {}, owner = user): Promise<string> {
      const [token] = await app.client(owner).tokens.create({ body: { name: 'key', unlimited_quota: true } });
      const id = token?.id ?? 0;
      if (Object.keys(row).length > 0) {
        await app.store.db.updateTable('tokens').set(row).where('id', '=', id).execute();
        await app.store.changes.announce('tokens', String(id));
      }
      return `sk-${token?.key}`;
    }

    async function call(form: string, key: string, endpoint = 'OpenAI', from = '198.51.100.1') {
      const { headers = {}, query = '' } = FORMS[form]?.(key) ?? {};
      const { path, body } = ENDPOINTS[endpoint] ?? { path: '', body: {} };
      const response = await fetch(`${app.url}${path}${query}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': from, ...headers },
        body: JSON.stringify(body),
      });
      return { status: response.status, text: await response.text() };
    }
    const holds = async () => {
      await app.ledger.writeHolds();
      return (await app.store.db.selectFrom('holds').select('id').execute()).length;
    };
    const served = () => mock.requests.length + guarded.requests.length;

    const forms = Object.keys(FORMS).flatMap((form) =>
      Object.keys(ENDPOINTS).map((endpoint) => [form, endpoint] as const),
    );

    test.each(forms)(
      'A16 a key by %s on the endpoint of %s calls with and without sk- (plan A16)',
      async (form, endpoint) => {
        const key = await newKey();
        for (const spelling of [key, key.slice(3)])
          expect((await call(form, spelling, endpoint)).status).toBe(200);
        faultSeen(
          'A16',
          `${Object.keys(FORMS).length} forms of a key on 3 endpoints, with and without sk-: accepted`,
        );
      },
    );

    const now = Math.floor(Date.now() / 1000);
    const limits: [string, Partial<NewRow<'tokens'>>, number][] = [
      ['disabled', { status: 2 }, 401],
      ['exhausted', { status: 4 }, 401],
      ['past its time', { expired_time: now - 10 }, 401],
      ['deleted', { deleted_at: now }, 401],
      ['limited to another model', { model_limits_enabled: 1, model_limits: 'gpt-4o' }, 403],
      ['allowed from elsewhere', { allow_ips: '10.0.0.0/8' }, 403],
      ['denied from here', { deny_ips: '198.51.100.0/24' }, 403],
      ['with exhausted quota', { unlimited_quota: 0, remain_quota: 1 }, 403],
    ];
    test.each(limits)(
      'A16 A17 a token %s is refused in every form on every endpoint, before any hold (plan A16, A17)',
      async (_, row, status) => {
        const key = await newKey(row);
        const before = served();
        for (const [form, endpoint] of forms)
          expect([form, endpoint, (await call(form, key, endpoint)).status]).toEqual([
            form,
            endpoint,
            status,
          ]);
        expect(served()).toBe(before);
        expect(await holds()).toBe(0);
        faultSeen('A16', `${limits.length} limits: the same answer in ${forms.length} forms`);
        faultSeen(
          'A17',
          `${limits.length} limits of a token in ${forms.length} forms: refused, nothing held`,
        );
      },
    );

    test('A17 addresses: exact, CIDR, v6, and v4 written as v6; a forged header before the proxy’s is ignored (plan A17)', async () => {
      const key = await newKey({
        allow_ips: '203.0.113.0/24\n192.0.2.7\n2001:db8::/32',
        deny_ips: '203.0.113.9',
      });
      for (const [address, status] of [
        ['203.0.113.7', 200],
        ['192.0.2.7', 200],
        ['::ffff:203.0.113.7', 200],
        ['2001:db8::5', 200],
        ['2001:0db8:0:0::9', 200],
        ['203.0.113.9', 403],
        ['::ffff:203.0.113.9', 403],
        ['::ffff:cb00:7109', 403],
        ['192.0.2.8', 403],
        ['2001:db9::1', 403],
        // The proxy appends the address it saw; the caller's own text is before it.
        ['203.0.113.7, 198.51.100.1', 403],
      ] as const)
        expect([address, (await call('bearer', key, 'OpenAI', address)).status]).toEqual([address, status]);
      expect(await holds()).toBe(0);
      faultSeen('A17', 'addresses: exact, networks, v6 and mapped: 6 refused, 5 admitted');
    });

    test('A16 no form of a key, valid or wrong, is in the log of the process or in the database (plan A16)', async () => {
      const good = await newKey();
      const bad = `sk-${'wrong0key'.repeat(5)}xyz`;
      for (const [form, endpoint] of forms) {
        expect((await call(form, good, endpoint)).status).toBe(200);
        const refused = await call(form, bad, endpoint);
        expect(refused.status).toBe(401);
        expect(refused.text).not.toContain(bad.slice(3));
      }
      const rows = JSON.stringify([
        await app.store.db.selectFrom('logs').selectAll().execute(),
        await app.store.db.selectFrom('audit').selectAll().execute(),
      ]);
      const log = app.logged.join('\n');
      for (const key of [good, bad]) {
        expect(log).not.toContain(key.slice(3));
        expect(rows).not.toContain(key.slice(3));
      }
      for (const request of [...mock.requests, ...guarded.requests])
        expect(JSON.stringify(request)).not.toContain(good.slice(3));
      faultSeen(
        'A16',
        `${2 * forms.length} calls with keys in every form: none in the log, the database or upstream`,
      );
    });

    describe('S5 a user chooses a channel', () => {
      const words = ['channel', 'channel_id', 'channelId', 'specific_channel_id', 'provider'];
      const reached = () => guarded.requests.length;

      test('by the end of the key: refused in every form, on every endpoint (plan S5)', async () => {
        const key = await newKey();
        const before = served();
        for (const [form, endpoint] of forms)
          expect([form, endpoint, (await call(form, `${key}-${guardedId}`, endpoint)).status]).toEqual([
            form,
            endpoint,
            403,
          ]);
        expect(served()).toBe(before);
        faultSeen('S5', `the end of the key, in ${forms.length} forms: refused`);
      });

      test('by header, query or body: ignored, and the channel is selected by the rules (plan S5)', async () => {
        const key = await newKey();
        const before = reached();
        for (const word of words) {
          const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
          const ask = (query: string, more: Record<string, string>, body: object) =>
            fetch(`${app.url}/v1/chat/completions${query}`, {
              method: 'POST',
              headers: { ...headers, ...more },
              body: JSON.stringify({ ...chat, ...body }),
            });
          const tries = [
            await ask(`?${word}=${guardedId}`, {}, {}),
            await ask(
              '',
              { [`x-${word.replaceAll('_', '-')}`]: String(guardedId), [word]: String(guardedId) },
              {},
            ),
            await ask('', {}, { [word]: guardedId, metadata: { [word]: String(guardedId) } }),
          ];
          for (const { status } of tries) expect([200, 400]).toContain(status);
        }
        expect(reached()).toBe(before);
        faultSeen('S5', `${3 * words.length} headers, queries and fields: the guarded channel gets 0 calls`);
      });

      test('in the playground: neither the body, nor the query, nor a key in place of the session (plan S5)', async () => {
        const before = reached();
        const session = {
          Cookie: user.cookie,
          'New-Api-User': String(user.id),
          'Content-Type': 'application/json',
        };
        for (const word of words) {
          const response = await fetch(`${app.url}/pg/chat/completions?${word}=${guardedId}`, {
            method: 'POST',
            headers: { ...session, [`x-${word.replaceAll('_', '-')}`]: String(guardedId) },
            body: JSON.stringify({ ...chat, [word]: guardedId }),
          });
          expect([200, 400]).toContain(response.status);
        }
        expect(reached()).toBe(before);
        faultSeen('S5', `${words.length} fields in the playground: 0 calls`);
      });

      test('an administrator may, and the chosen channel answers', async () => {
        const admin = await app.actor({ role: ROLE.admin, quota: 1_000_000 });
        const key = await newKey({}, admin);
        const before = reached();
        expect((await call('bearer', `${key}-${guardedId}`)).status).toBe(200);
        expect(reached()).toBe(before + 1);
      });
    });

    test('A2 model calls are answered while two hundred passwords wait to be compared (plan A2)', async () => {
      const key = await newKey();
      let isOver = false;
      const flood = Promise.all(
        Array.from({ length: 200 }, (_, index) =>
          app.request('/api/user/login', {
            body: { username: `flood${index}`, password: 'whatever-it-is' },
            headers: { 'X-Forwarded-For': `203.0.113.${index}` },
          }),
        ),
      ).finally(() => {
        isOver = true;
      });
      for (let round = 0; round < 3; round += 1) expect((await call('bearer', key)).status).toBe(200);
      expect(isOver).toBe(false);
      // The number of refused logins depends on their pace; any refusal shows that the queue is bounded.
      const replies = await flood;
      const refused = replies.filter(({ body }) => body.code === 'server_busy').length;
      expect(refused).toBeGreaterThan(0);
      faultSeen('A2', '3 model calls answered while 200 logins wait');
    }, 60_000);
  });
}
