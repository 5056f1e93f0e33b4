// The database cannot be written while calls run, on both databases: new calls get 503 in their own format and language and
// reach no upstream, running streams end properly, and afterwards receipts, balance, log and the upstream's count agree.
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import { databaseFile } from '#server/platform/store/sqlite/open.ts';
import { startApplication, type TestApplication } from '#tests/support/application.ts';
import { addChannel } from '#tests/support/channels.ts';
import { startChaosProxy } from '#tests/support/chaos-proxy.ts';
import { temporaryPlace, type DatabaseLabel, type TemporaryPlace } from '#tests/support/databases.ts';
import { behaviourMessage, startMockUpstream, type MockUpstream } from '#mock/upstream/index.ts';
import { lockDatabaseFile, type ForeignLock } from '#tests/support/file-lock.ts';
import { startRunClock } from '#tests/support/run-clock.ts';
import { eventually } from './harness.ts';

setDefaultTimeout(480_000);

interface Fault {
  begin(): Promise<void>;
  end(): Promise<void>;
  remove(): Promise<void>;
}

function lockedFile(place: TemporaryPlace): Fault {
  let lock: ForeignLock | undefined;
  return {
    async begin() {
      lock = await lockDatabaseFile(databaseFile(place.dataDir));
    },
    async end() {
      await lock?.release();
    },
    async remove() {},
  };
}

for (const database of ['sqlite', 'postgres'] as const satisfies DatabaseLabel[]) {
  describe(`the database cannot be written: ${database}`, () => {
    let app: TestApplication;
    let mock: MockUpstream;
    let place: TemporaryPlace;
    let fault: Fault;
    let key: string;
    let userId: number;

    beforeEach(async () => {
      mock = startMockUpstream();
      place = await temporaryPlace(database);
      let databaseUrl = place.databaseUrl;
      if (databaseUrl === undefined) fault = lockedFile(place);
      else {
        const address = new URL(databaseUrl);
        const proxy = await startChaosProxy({ port: Number(address.port) });
        address.port = String(proxy.port);
        databaseUrl = address.href;
        fault = {
          async begin() {
            proxy.refuse(true);
            proxy.resetAll();
          },
          async end() {
            proxy.refuse(false);
          },
          remove: proxy.stop,
        };
      }
      app = await startApplication({ place: { dataDir: place.dataDir, databaseUrl } });
      await addChannel(app.store, { base_url: mock.url, models: ['gpt-4o'] });
      const user = await app.actor({ quota: 100_000_000 });
      userId = user.id;
      const [token] = await app
        .client(user)
        .tokens.create({ body: { name: 'money', unlimited_quota: true } });
      key = `sk-${token?.key}`;
    });
    afterEach(async () => {
      await app.close();
      await fault.remove();
      await mock.stop();
      await place.remove();
    });

    const post = (path: string, body: object, headers: Record<string, string> = {}) =>
      fetch(app.url + path, {
        method: 'POST',
        headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', ...headers },
        body: JSON.stringify(body),
      });

    const chat = (outputTokens: number, chunkDelayMilliseconds: number) => ({
      model: 'gpt-4o',
      stream: true,
      stream_options: { include_usage: true },
      messages: [{ role: 'user', content: behaviourMessage({ outputTokens, chunkDelayMilliseconds }) }],
    });

    /** Its charge as the caller was told it. */
    const receiptOf = (text: string) => Number(/cost=(\d+)/.exec(text)?.[1] ?? Number.NaN);

    test('M3 new calls get 503 at once, running streams end with a receipt, and the books agree with everyone', async () => {
      expect((await post('/v1/chat/completions', chat(3, 0))).status).toBe(200);
      await eventually(
        () => app.ledger.openCalls,
        (open) => open === 0,
      );
      const before = (await userRow()).used_quota;
      const streams = Array.from({ length: 6 }, async (_, index) => {
        const answer = await post('/v1/chat/completions', chat(40 + index * 5, 100), {
          'x-tollgate-report': '1',
        });
        expect(answer.status).toBe(200);
        return answer;
      });
      const answers = await Promise.all(streams);
      await fault.begin();
      const texts = Promise.all(answers.map((answer) => answer.text()));
      const isAway = () => app.logged.some((line) => line.includes('ledger: unavailable'));
      await eventually(isAway, Boolean);

      const reached = mock.requests.length;
      const user = { role: 'user', content: 'hello' };
      const calls: [string, object][] = [
        ['/v1/chat/completions', { model: 'gpt-4o', messages: [user] }],
        ['/v1/messages', { model: 'gpt-4o', max_tokens: 5, messages: [user] }],
        [
          '/v1beta/models/gpt-4o:generateContent',
          { contents: [{ role: 'user', parts: [{ text: 'hello' }] }] },
        ],
      ];
      const shapes: object[] = [];
      using clock = startRunClock();
      for (const [path, body] of calls) {
        const started = Date.now();
        const refusal = await post(path, body, { 'Accept-Language': 'zh-CN' });
        expect(refusal.status).toBe(503);
        expect(refusal.headers.get('retry-after')).toBe('1');
        const answer = (await refusal.json()) as { error: { message: string } };
        expect(answer.error.message).toContain('服务暂时不可用');
        expect(clock.between(started, Date.now())).toBeLessThan(1500);
        shapes.push(answer);
      }
      expect(shapes).toMatchObject([
        { error: { type: expect.any(String) } },
        { type: 'error', error: { type: expect.any(String) } },
        { error: { code: 503, status: 'UNAVAILABLE' } },
      ]);
      expect(mock.requests.length).toBe(reached);

      // The streams end while the fault lasts.
      const ended = await texts;
      for (const text of ended) expect(text).toContain('data: [DONE]');
      await fault.end();
      await eventually(
        async () => (await post('/v1/chat/completions', chat(2, 0))).status,
        (status) => status === 200,
      );
      await eventually(
        () => app.ledger.openCalls,
        (open) => open === 0,
      );

      const receipts = ended.map(receiptOf);
      const logs = await app.store.db.selectFrom('logs').selectAll().where('user_id', '=', userId).execute();
      const used = logs.filter((row) => row.type === 2);
      expect(used).toHaveLength(8);
      const streamed = used.filter((row) => row.completion_tokens >= 40);
      expect(streamed.map((row) => row.quota).toSorted(byNumber)).toEqual(receipts.toSorted(byNumber));
      const served = mock.requests.filter(({ status }) => status === 200);
      expect(served).toHaveLength(8);
      for (const field of ['completion_tokens', 'prompt_tokens'] as const) {
        const name = field === 'completion_tokens' ? 'outputTokens' : 'inputTokens';
        expect(sum(used.map((row) => row[field]))).toBe(sum(served.map(({ usage }) => usage[name])));
      }
      const row = await userRow();
      expect(row.used_quota).toBe(sum(used.map(({ quota }) => quota)));
      expect(row.used_quota - before).toBeGreaterThanOrEqual(sum(receipts));
      expect(row).toMatchObject({ quota: 100_000_000 - row.used_quota, held_quota: 0, request_count: 8 });
      expect(await checkInvariants(app.store)).toEqual([]);
    });

    async function userRow() {
      await app.ledger.writeHolds();
      return app.store.db.selectFrom('users').selectAll().where('id', '=', userId).executeTakeFirstOrThrow();
    }
  });
}

const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
const byNumber = (one: number, other: number) => one - other;
