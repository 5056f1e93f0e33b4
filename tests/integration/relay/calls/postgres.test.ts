// The relay's charges through the public port, the same on both databases: admission, tokens, settling, streams, cuts.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import type { Row } from '#server/platform/store/schema.ts';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';
import { addChannel } from '#tests/support/channels.ts';
import { forEachDatabase, type DatabaseLabel } from '#tests/support/databases.ts';
import {
  behaviourMessage,
  startMockUpstream,
  type Behaviour,
  type MockUpstream,
} from '#mock/upstream/index.ts';
import { contentPieces, sendCall } from './caller.ts';
import { eventually } from './harness.ts';

setDefaultTimeout(60_000);

const path = '/v1/chat/completions';
const parallelCalls = 500;

forEachDatabase((database: DatabaseLabel) => {
  describe('charges of calls', () => {
    let app: TestApplication;
    let mock: MockUpstream;

    beforeAll(async () => {
      mock = startMockUpstream();
      app = await startApplication({ database });
      await addChannel(app.store, { base_url: mock.url, models: ['gpt-4o'] });
    });
    afterAll(async () => {
      await app.close();
      await mock.stop();
    });

    async function tokenOf(user: Actor, fields: object = {}): Promise<string> {
      const [token] = await app
        .client(user)
        .tokens.create({ body: { name: 'money', unlimited_quota: true, ...fields } });
      return `sk-${token?.key}`;
    }

    const ask = (behaviour: Behaviour, extra: object = {}) => ({
      model: 'gpt-4o',
      messages: [{ role: 'user', content: behaviourMessage(behaviour) }],
      ...extra,
    });

    const post = (key: string, body: unknown) =>
      fetch(app.url + path, {
        method: 'POST',
        headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      });

    const userRow = (user: Actor): Promise<Row<'users'>> =>
      app.store.db.selectFrom('users').selectAll().where('id', '=', user.id).executeTakeFirstOrThrow();
    const rowsOf = (user: Actor): Promise<Row<'logs'>[]> =>
      app.store.db
        .selectFrom('logs')
        .selectAll()
        .where('user_id', '=', user.id)
        .where('type', '=', 2)
        .orderBy('id')
        .execute();

    async function expectBalanced(user: Actor, balance: number): Promise<void> {
      const rows = await rowsOf(user);
      const charged = rows.reduce((sum, row) => sum + row.quota, 0);
      await app.ledger.writeHolds();
      expect(await userRow(user)).toMatchObject({
        quota: balance - charged,
        used_quota: charged,
        held_quota: 0,
        request_count: rows.length,
      });
      expect(await app.store.db.selectFrom('holds').select('id').execute()).toEqual([]);
      expect(await checkInvariants(app.store)).toEqual([]);
    }

    /** Each call waits in the upstream, so that all of them ask for admission before any is charged. */
    async function rush(keys: readonly string[]): Promise<{ admitted: number; refused: number }> {
      const body = ask({ outputTokens: 1000, headersDelayMilliseconds: 300 }, { max_tokens: 1000 });
      const statuses = await Promise.all(
        Array.from({ length: parallelCalls }, async (_, index) => {
          const response = await post(keys[index % keys.length] ?? '', body);
          await response.text();
          return response.status;
        }),
      );
      const count = (status: number) => statuses.filter((each) => each === status).length;
      return { admitted: count(200), refused: count(403) };
    }

    // 1,000 output tokens at ratio 1.25 × 4 make 5,000 units, plus the prompt.
    const balanceForTen = 5_060 * 10;

    test.each([
      ['one token', 1],
      ['two tokens', 2],
    ])(
      'M1 500 calls at once, %s, balance for ten: at most ten are sent, no negative balance, no hold left',
      async (_what, tokens) => {
        mock.reset();
        const user = await app.actor({ quota: balanceForTen });
        const keys: string[] = [];
        for (let each = 0; each < tokens; each += 1) keys.push(await tokenOf(user));
        const { admitted, refused } = await rush(keys);
        expect(admitted).toBeGreaterThan(0);
        expect(admitted).toBeLessThanOrEqual(10);
        expect(refused).toBe(parallelCalls - admitted);
        expect((await userRow(user)).quota).toBeGreaterThanOrEqual(0);
        await expectBalanced(user, balanceForTen);
        // The upstream's own count equals the ledger's.
        expect(mock.books.totals.requests).toBe(admitted);
        const rows = await rowsOf(user);
        const sum = (field: 'prompt_tokens' | 'completion_tokens') =>
          rows.reduce((total, row) => total + row[field], 0);
        expect(sum('prompt_tokens')).toBe(mock.books.totals.inputTokens);
        expect(sum('completion_tokens')).toBe(mock.books.totals.outputTokens);
      },
    );

    test('M3 a token smaller than the balance: its quota is never negative, and refused calls hold nothing of the user', async () => {
      mock.reset();
      const user = await app.actor({ quota: 100_000_000 });
      const key = await tokenOf(user, { unlimited_quota: false, remain_quota: balanceForTen });
      const { admitted } = await rush([key]);
      expect(admitted).toBeGreaterThan(0);
      expect(admitted).toBeLessThanOrEqual(10);
      const token = await app.store.db
        .selectFrom('tokens')
        .selectAll()
        .where('user_id', '=', user.id)
        .executeTakeFirstOrThrow();
      const { used_quota: used } = await userRow(user);
      expect(token).toMatchObject({ remain_quota: balanceForTen - used, used_quota: used, held_quota: 0 });
      expect(token.remain_quota).toBeGreaterThanOrEqual(0);
      await expectBalanced(user, 100_000_000);
    });

    test('a whole answer and a stream are charged the reported usage, before the caller reads their end', async () => {
      const user = await app.actor({ quota: 1_000_000 });
      const key = await tokenOf(user);
      const usage = { inputTokens: 1000, cachedInputTokens: 400, outputTokens: 333 };
      await (await post(key, ask({ usage }))).text();
      // No waiting: the charge is booked before the caller reads the end.
      const [whole] = await rowsOf(user);
      expect(whole).toMatchObject({ prompt_tokens: 1000, completion_tokens: 333, estimated: 0 });
      const text = await (await post(key, ask({ usage }, { stream: true }))).text();
      expect(text).toEndWith('data: [DONE]\n\n');
      const [, streamed] = await rowsOf(user);
      expect(streamed).toMatchObject({
        quota: whole?.quota,
        completion_tokens: 333,
        estimated: 0,
        is_stream: 1,
      });
      // 600 + 400 at half price, and the output at four times the ratio.
      expect(whole?.quota).toBe((600 + 400 * 0.5 + 333 * 4) * 1.25);
      await expectBalanced(user, 1_000_000);
    });

    test('a stream that exceeds its hold extends it, or ends at what the balance paid for', async () => {
      const rich = await app.actor({ quota: 100_000_000 });
      const long = ask({ outputTokens: 6000 }, { stream: true });
      expect(await (await post(await tokenOf(rich), long)).text()).toEndWith('data: [DONE]\n\n');
      expect((await rowsOf(rich))[0]?.completion_tokens).toBe(6000);
      const poor = await app.actor({ quota: 12_000 });
      const text = await (await post(await tokenOf(poor), long)).text();
      expect(text).toContain('"code":"insufficient_quota"');
      const [row] = await rowsOf(poor);
      expect(row?.completion_tokens).toBe(contentPieces(text));
      await expectBalanced(poor, 12_000);
      await expectBalanced(rich, 100_000_000);
    });

    test('a caller who leaves pays for what it has read; one whose upstream refused pays nothing', async () => {
      const user = await app.actor({ quota: 1_000_000 });
      const key = await tokenOf(user);
      const stalled = ask({ stall: { afterEvents: 8, milliseconds: 600_000 } }, { stream: true });
      const call = await sendCall(app.port, path, key, stalled);
      await call.untilBody((body) => contentPieces(body) === 7);
      call.socket.resetAndDestroy();
      const [row] = await eventually(
        () => rowsOf(user),
        (rows) => rows.length === 1,
      );
      expect(row).toMatchObject({ completion_tokens: 7, estimated: 1 });
      expect((await post(key, ask({ status: 400 }))).status).toBe(400);
      expect(await rowsOf(user)).toHaveLength(1);
      const { used_quota: used, quota } = await userRow(user);
      expect({ used, quota }).toEqual({ used: row?.quota ?? -1, quota: 1_000_000 - used });
      expect(await checkInvariants(app.store)).toEqual([]);
    });
  });
});
