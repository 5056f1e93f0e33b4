// The guarantees of the ledger on both databases: never negative, exactly once, all or nothing.
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import { AmountError, LedgerUnavailableError } from '#server/money/ledger/ledger.ts';
import type { Store } from '#server/platform/store/store.ts';
import { forEachDatabase } from '#tests/support/databases.ts';
import { faultSeen } from '#tests/support/fault-report.ts';
import { createWorld, failureOf, grant, logRow, newId, outcome, reserve, type World } from './world.ts';

// A database server may have to start first, on a busy machine.
setDefaultTimeout(60_000);

forEachDatabase((_label, open) => {
  // An inner block, so that its hooks run before the store is closed.
  describe('the ledger', () => {
    let world: World;
    let store: Store;
    beforeEach(async () => {
      store = await open();
      world = await createWorld(store);
    });
    afterEach(async () => {
      expect(await checkInvariants(store)).toEqual([]);
      await world.close();
    });

    const holdsOf = (userId: number) =>
      store.db.selectFrom('holds').selectAll().where('user_id', '=', userId).execute();
    const entriesOf = (userId: number, kind: string) =>
      store.db
        .selectFrom('ledger')
        .selectAll()
        .where('user_id', '=', userId)
        .where('kind', '=', kind)
        .execute();

    describe('admission', () => {
      test('500 parallel calls with a balance for ten admit ten and never go below zero (plan M1)', async () => {
        const userId = await world.user(1000);
        const tokenId = await world.token(userId);
        const answers = await Promise.all(
          Array.from({ length: 500 }, () => reserve(world.ledger, userId, tokenId, 100)),
        );
        const admitted = answers.filter(({ admission }) => admission.ok);
        expect(admitted).toHaveLength(10);
        const refused = answers.find(({ admission }) => !admission.ok)?.admission;
        expect(refused).toMatchObject({ ok: false, reason: 'insufficient_user_quota', balance: 0 });
        faultSeen('M1', `${answers.length} calls at once, ${admitted.length} admitted`);
        expect(await world.findUser(userId)).toMatchObject({ quota: 1000, held_quota: 1000 });
        await Promise.all(admitted.map(({ requestId }) => world.ledger.settle(requestId, outcome(100))));
        expect(await world.findUser(userId)).toMatchObject({
          quota: 0,
          held_quota: 0,
          used_quota: 1000,
          request_count: 10,
        });
        expect(await holdsOf(userId)).toHaveLength(0);
      });

      test('two tokens of one user share its balance', async () => {
        const userId = await world.user(1000);
        const tokens = [await world.token(userId), await world.token(userId)];
        const answers = await Promise.all(
          Array.from({ length: 200 }, (_, index) =>
            reserve(world.ledger, userId, tokens[index % 2] ?? 0, 100),
          ),
        );
        expect(answers.filter(({ admission }) => admission.ok)).toHaveLength(10);
        expect((await world.findUser(userId)).held_quota).toBe(1000);
        const held =
          (await world.findToken(tokens[0] ?? 0)).held_quota +
          (await world.findToken(tokens[1] ?? 0)).held_quota;
        expect(held).toBe(1000);
      });

      test('a token limit below the balance refuses at the token, and the refused calls hold nothing (plan M3)', async () => {
        const userId = await world.user(1_000_000);
        const tokenId = await world.token(userId, { unlimited_quota: 0, remain_quota: 500 });
        const answers = await Promise.all(
          Array.from({ length: 100 }, () => reserve(world.ledger, userId, tokenId, 100)),
        );
        const admitted = answers.filter(({ admission }) => admission.ok);
        expect(admitted).toHaveLength(5);
        expect(answers.find(({ admission }) => !admission.ok)?.admission).toMatchObject({
          reason: 'insufficient_token_quota',
          subject: 'token',
        });
        faultSeen('M3', `${answers.length} calls at once on a token for 5, ${admitted.length} admitted`);
        expect(await world.findUser(userId)).toMatchObject({ held_quota: 500 });
        await Promise.all(admitted.map(({ requestId }) => world.ledger.settle(requestId, outcome(100))));
        expect(await world.findToken(tokenId)).toMatchObject({
          remain_quota: 0,
          held_quota: 0,
          used_quota: 500,
          status: 4,
        });
        expect(await world.findUser(userId)).toMatchObject({ quota: 999_500, held_quota: 0 });
      });

      test('a token with nothing left admits no call, not even a free one, and is marked as exhausted (M21)', async () => {
        const userId = await world.user(1000);
        const empty = await world.token(userId, { unlimited_quota: 0, remain_quota: 0 });
        expect((await reserve(world.ledger, userId, empty, 0)).admission).toMatchObject({
          ok: false,
          reason: 'insufficient_token_quota',
        });
        expect(await world.findToken(empty)).toMatchObject({ status: 4, held_quota: 0 });
        const last = await world.token(userId, { unlimited_quota: 0, remain_quota: 1 });
        expect((await reserve(world.ledger, userId, last, 0)).admission).toMatchObject({ ok: true });
      });

      test('a banned, deleted or unknown user and a disabled, deleted, foreign or expired token are refused', async () => {
        const now = Math.floor(Date.now() / 1000);
        const userId = await world.user(1000);
        const other = await world.token(await world.user(1000));
        const refusals: [number, number, string][] = [
          [await world.user(1000, { status: 2 }), 0, 'user_unavailable'],
          [await world.user(1000, { status: 3 }), 0, 'user_unavailable'],
          [await world.user(1000, { deleted_at: now }), 0, 'user_unavailable'],
          [999_999, 0, 'user_unavailable'],
          [userId, await world.token(userId, { status: 2 }), 'token_unavailable'],
          [userId, await world.token(userId, { deleted_at: now }), 'token_unavailable'],
          [userId, other, 'token_unavailable'],
          [userId, 999_999, 'token_unavailable'],
          [userId, await world.token(userId, { expired_time: now - 1 }), 'token_expired'],
        ];
        for (const [user, token, reason] of refusals) {
          const { admission } = await reserve(world.ledger, user, token, 10);
          expect(admission).toMatchObject({ ok: false, reason });
          expect(await holdsOf(user)).toHaveLength(0);
        }
      });

      test('a call that can use a smaller hold is refused with the reason of the whole one (M11)', async () => {
        const now = Math.floor(Date.now() / 1000);
        const userId = await world.user(1000);
        const refusals = [
          [{ expired_time: now - 1 }, 'token_expired'],
          [{ unlimited_quota: 0, remain_quota: 0 }, 'insufficient_token_quota'],
          [{ unlimited_quota: 0, remain_quota: 4 }, 'insufficient_token_quota'],
        ] as const;
        for (const [row, reason] of refusals) {
          const tokenId = await world.token(userId, row);
          const { admission } = await reserve(world.ledger, userId, tokenId, 10, { least: 5 });
          expect(admission).toMatchObject({ ok: false, reason });
        }
      });

      test('a call with an expired token sets status 3, with an empty one status 4, and the change is announced', async () => {
        const announced: (string | undefined)[] = [];
        const stop = store.changes.subscribe('tokens', (detail) => announced.push(detail));
        const userId = await world.user(1000);
        const expired = await world.token(userId, { expired_time: 1000 });
        const empty = await world.token(userId, { unlimited_quota: 0, remain_quota: 0 });
        await reserve(world.ledger, userId, expired, 1);
        await reserve(world.ledger, userId, empty, 1);
        expect((await world.findToken(expired)).status).toBe(3);
        expect((await world.findToken(empty)).status).toBe(4);
        for (let wait = 0; wait < 1000 && announced.length < 2; wait += 1) await Bun.sleep(20);
        stop();
        expect(announced.toSorted()).toEqual([String(expired), String(empty)].toSorted());
      });

      test('invalid amounts are refused before anything is held', async () => {
        const userId = await world.user(1000);
        for (const amount of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 1e308, 2 ** 53]) {
          expect(await failureOf(reserve(world.ledger, userId, 0, amount))).toBeInstanceOf(AmountError);
          const limits = { tokens: amount };
          expect(await failureOf(reserve(world.ledger, userId, 0, 1, { limits }))).toBeInstanceOf(
            AmountError,
          );
          expect(await failureOf(world.ledger.extend(newId(), amount))).toBeInstanceOf(AmountError);
          expect(await failureOf(world.ledger.settle(newId(), outcome(amount)))).toBeInstanceOf(AmountError);
        }
        const { admission } = await reserve(world.ledger, userId, 0, Number.MAX_SAFE_INTEGER);
        expect(admission.ok).toBe(false);
        expect(await holdsOf(userId)).toHaveLength(0);
      });

      test('a request id in use is refused; the other requests of its batch are not', async () => {
        const userId = await world.user(1000);
        const { requestId } = await reserve(world.ledger, userId, 0, 10);
        const results = await Promise.allSettled([
          reserve(world.ledger, userId, 0, 10),
          reserve(world.ledger, userId, 0, 20, { requestId }),
          reserve(world.ledger, userId, 0, 10),
        ]);
        expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
        expect((await world.findUser(userId)).held_quota).toBe(30);
      });

      test('while the database cannot serve, new calls are refused as unavailable, not as an internal error', async () => {
        const userId = await world.user(1000);
        const other = await open();
        const closing = await createWorld(other);
        await other.close();
        const refusal = await failureOf(reserve(closing.ledger, userId, 0, 10));
        expect(refusal).toBeInstanceOf(LedgerUnavailableError);
        await closing.close();
      });

      test('a free call needs no balance', async () => {
        const userId = await world.user(0);
        const { requestId, admission } = await reserve(world.ledger, userId, 0, 0);
        expect(admission).toEqual({ ok: true, balance: 0 });
        expect(await world.ledger.settle(requestId, outcome(0))).toMatchObject({ charged: 0, suspense: 0 });
        expect(await entriesOf(userId, 'use')).toMatchObject([{ idem: requestId, amount: 0 }]);
      });
    });

    describe('the end of a call', () => {
      test('settling writes balance, token, channel, ledger, log and hour together', async () => {
        const userId = await world.user(10_000);
        const tokenId = await world.token(userId, { unlimited_quota: 0, remain_quota: 5000 });
        const channelId = await world.channel();
        const { requestId } = await reserve(world.ledger, userId, tokenId, 1000);
        const settlement = await world.ledger.settle(
          requestId,
          outcome(640, {
            channelId,
            log: { ...logRow(userId, tokenId), prompt_tokens: 60, completion_tokens: 40 },
          }),
        );
        expect(settlement).toEqual({ charged: 640, balance: 9360, suspense: 0, duplicate: false });
        expect(await world.findUser(userId)).toMatchObject({
          quota: 9360,
          held_quota: 0,
          used_quota: 640,
          request_count: 1,
        });
        expect(await world.findToken(tokenId)).toMatchObject({
          remain_quota: 4360,
          held_quota: 0,
          used_quota: 640,
        });
        const channel = await store.db
          .selectFrom('channels')
          .select('used_quota')
          .where('id', '=', channelId)
          .executeTakeFirst();
        expect(channel?.used_quota).toBe(640);
        expect(await entriesOf(userId, 'use')).toMatchObject([
          { idem: requestId, debit_account: `user:${userId}`, credit_account: 'revenue', amount: 640 },
        ]);
        const logs = await store.db
          .selectFrom('logs')
          .selectAll()
          .where('request_id', '=', requestId)
          .execute();
        expect(logs).toMatchObject([
          { type: 2, user_id: userId, quota: 640, prompt_tokens: 60, group: 'default', ip: '127.0.0.1' },
        ]);
        const hours = await store.db
          .selectFrom('usage_hours')
          .selectAll()
          .where('user_id', '=', userId)
          .execute();
        expect(hours).toMatchObject([
          {
            token_id: tokenId,
            channel_id: channelId,
            model_name: 'gpt-4o',
            count: 1,
            quota: 640,
            prompt_tokens: 60,
            completion_tokens: 40,
            error_count: 0,
            use_time_ms: 1200,
            first_token_ms: 300,
          },
        ]);
        expect((hours[0]?.hour ?? 1) % 3600).toBe(0);
      });

      test('without consumption logs, balances and hourly figures are the same', async () => {
        const userId = await world.user(1000);
        const { requestId } = await reserve(world.ledger, userId, 0, 100);
        await world.ledger.settle(requestId, outcome(90, { log: null }));
        expect((await world.findUser(userId)).quota).toBe(910);
        expect(
          await store.db.selectFrom('logs').selectAll().where('request_id', '=', requestId).execute(),
        ).toHaveLength(0);
        const hours = await store.db
          .selectFrom('usage_hours')
          .selectAll()
          .where('user_id', '=', userId)
          .execute();
        expect(hours).toMatchObject([{ quota: 90, count: 1 }]);
        expect(await entriesOf(userId, 'use')).toHaveLength(1);
      });

      test('odd characters in a name do not prevent the charge', async () => {
        const userId = await world.user(1000);
        const modelName = 'model\u0000\uD800\\u0000"\u0007';
        const { requestId } = await reserve(world.ledger, userId, 0, 100);
        const log = {
          ...logRow(userId, 0),
          model_name: modelName,
          content: modelName,
          other: JSON.stringify({ modelName }),
        };
        expect(await world.ledger.settle(requestId, outcome(40, { modelName, log }))).toMatchObject({
          charged: 40,
        });
        const row = await store.db
          .selectFrom('logs')
          .selectAll()
          .where('request_id', '=', requestId)
          .executeTakeFirstOrThrow();
        expect(row.model_name).toContain('\\u0000"');
        expect(row.quota).toBe(40);
      });

      test('every order of settle, settle, release and extend has one effect (plan M11)', async () => {
        let repeated = 0;
        const orders = permutations(['settle', 'settle', 'release', 'extend'] as const);
        for (const parallel of [true, false]) {
          for (const order of orders) {
            const userId = await world.user(1000);
            const { requestId } = await reserve(world.ledger, userId, 0, 100);
            const actions = order.map((action) => async () => {
              if (action === 'settle')
                return (await world.ledger.settle(requestId, outcome(70))).duplicate ? 'nothing' : 'paid';
              if (action === 'extend') return world.ledger.extend(requestId, 10).then(() => 'extended');
              return world.ledger.release(requestId).then(() => 'released');
            });
            const results: string[] = [];
            if (parallel) results.push(...(await Promise.all(actions.map((action) => action()))));
            else for (const action of actions) results.push(await action());
            if (results.includes('nothing')) repeated += 1;
            const isPaid = results.includes('paid');
            expect(isPaid).toBe(order.indexOf('settle') < order.indexOf('release'));
            const user = await world.findUser(userId);
            expect(user).toMatchObject({
              quota: isPaid ? 930 : 1000,
              held_quota: 0,
              used_quota: isPaid ? 70 : 0,
            });
            expect(await entriesOf(userId, 'use')).toHaveLength(isPaid ? 1 : 0);
          }
        }
        expect(repeated).toBeGreaterThan(0);
        faultSeen('M11', `${orders.length} orders, in turn and at once; ${repeated} repeated settlements`);
      });

      test('a call that used more than it held takes the free balance and books the rest to suspense', async () => {
        const userId = await world.user(1000);
        const first = await reserve(world.ledger, userId, 0, 300);
        const other = await reserve(world.ledger, userId, 0, 500);
        const settlement = await world.ledger.settle(first.requestId, outcome(900));
        expect(settlement).toEqual({ charged: 500, balance: 0, suspense: 400, duplicate: false });
        expect(await world.findUser(userId)).toMatchObject({ quota: 500, held_quota: 500 });
        expect(await entriesOf(userId, 'suspense')).toMatchObject([
          { amount: 400, debit_account: 'suspense' },
        ]);
        expect(world.alerts).toContainEqual({
          kind: 'suspense',
          requestId: first.requestId,
          userId,
          amount: 400,
        });
        // The other call's hold is unchanged.
        expect(await world.ledger.settle(other.requestId, outcome(500))).toMatchObject({
          charged: 500,
          suspense: 0,
        });
        expect((await world.findUser(userId)).quota).toBe(0);
      });

      test('a release returns the whole hold and counts an error in the hourly figures', async () => {
        const userId = await world.user(1000);
        const tokenId = await world.token(userId, { unlimited_quota: 0, remain_quota: 100 });
        const { requestId } = await reserve(world.ledger, userId, tokenId, 100);
        await world.ledger.release(requestId, {
          channelId: 3,
          modelName: 'gpt-4o',
          useTimeMs: 50,
          log: { type: 5, user_id: userId },
        });
        expect(await world.findUser(userId)).toMatchObject({ quota: 1000, held_quota: 0, request_count: 0 });
        expect(await world.findToken(tokenId)).toMatchObject({ remain_quota: 100, held_quota: 0, status: 1 });
        const hours = await store.db
          .selectFrom('usage_hours')
          .selectAll()
          .where('user_id', '=', userId)
          .execute();
        expect(hours).toMatchObject([{ channel_id: 3, count: 0, error_count: 1, quota: 0 }]);
        expect(
          await store.db.selectFrom('logs').selectAll().where('request_id', '=', requestId).execute(),
        ).toHaveLength(1);
      });

      test('a hold grows while the balance and the token allow it', async () => {
        const userId = await world.user(1000);
        const tokenId = await world.token(userId, { unlimited_quota: 0, remain_quota: 400 });
        const { requestId } = await reserve(world.ledger, userId, tokenId, 100);
        expect(await world.ledger.extend(requestId, 300)).toBe(true);
        expect(await world.ledger.extend(requestId, 1)).toBe(false);
        expect(await world.findUser(userId)).toMatchObject({ held_quota: 400 });
        expect(await world.findToken(tokenId)).toMatchObject({ held_quota: 400 });
        expect(await world.ledger.extend('unknown', 1)).toBe(false);
        await world.ledger.settle(requestId, outcome(350));
        expect(await world.findUser(userId)).toMatchObject({ quota: 650, held_quota: 0 });
      });

      test('a user banned or deleted and a token deleted during a call: the hold grows no more, usage is charged', async () => {
        const now = Math.floor(Date.now() / 1000);
        const changes: ((userId: number, tokenId: number) => Promise<unknown>)[] = [
          (userId) => store.db.updateTable('users').set({ status: 2 }).where('id', '=', userId).execute(),
          (userId) =>
            store.db.updateTable('users').set({ deleted_at: now }).where('id', '=', userId).execute(),
          (_, tokenId) =>
            store.db.updateTable('tokens').set({ status: 2 }).where('id', '=', tokenId).execute(),
          (_, tokenId) =>
            store.db.updateTable('tokens').set({ deleted_at: now }).where('id', '=', tokenId).execute(),
          (_, tokenId) => store.db.deleteFrom('tokens').where('id', '=', tokenId).execute(),
        ];
        for (const change of changes) {
          const userId = await world.user(1000);
          const tokenId = await world.token(userId);
          const { requestId } = await reserve(world.ledger, userId, tokenId, 100);
          await change(userId, tokenId);
          expect(await world.ledger.extend(requestId, 50)).toBe(false);
          expect(await world.ledger.settle(requestId, outcome(80))).toMatchObject({ charged: 80 });
          expect(await world.findUser(userId)).toMatchObject({ quota: 920, held_quota: 0 });
          expect((await reserve(world.ledger, userId, tokenId, 1)).admission.ok).toBe(false);
        }
      });
    });

    describe('money without a call', () => {
      test('an idempotency key moves money once, also in parallel', async () => {
        const userId = await world.user(0);
        const request = {
          idem: newId(),
          userId,
          amount: 250,
          from: 'world:topup:epay',
          kind: 'gift',
          reference: 'order',
        } as const;
        const results = await Promise.all(Array.from({ length: 30 }, () => world.ledger.credit(request)));
        expect(results.filter((result) => result.ok && !result.duplicate)).toHaveLength(1);
        expect((await world.findUser(userId)).quota).toBe(250);
        const misuse = await failureOf(world.ledger.credit({ ...request, amount: 300 }));
        expect(misuse.message).toContain('another transfer');
        expect((await world.findUser(userId)).quota).toBe(250);
      });

      test('a transfer of the past keeps its time, in the ledger and in the log', async () => {
        const userId = await world.user(0);
        const at = 1_700_000_000;
        const idem = newId();
        const log = { type: 1, user_id: userId, username: 'someone', quota: 250, content: idem };
        const past = {
          idem,
          userId,
          amount: 250,
          from: 'world:admin',
          kind: 'gift',
          reference: '',
          at,
          log,
        } as const;
        await world.ledger.credit(past);
        const entry = await store.db
          .selectFrom('ledger')
          .select('created_at')
          .where('idem', '=', idem)
          .executeTakeFirst();
        const row = await store.db
          .selectFrom('logs')
          .select('created_at')
          .where('content', '=', idem)
          .executeTakeFirst();
        expect([entry?.created_at, row?.created_at]).toEqual([at, at]);
      });

      test('a debit never takes money that running calls hold', async () => {
        const userId = await world.user(1000);
        await reserve(world.ledger, userId, 0, 600);
        const debit = (amount: number) =>
          world.ledger.debit({
            idem: newId(),
            userId,
            amount,
            to: 'world:admin',
            kind: 'admin',
            reference: 'correction',
          });
        expect(await debit(401)).toEqual({ ok: false, reason: 'insufficient_quota' });
        expect(await debit(400)).toMatchObject({ ok: true, quota: 600 });
        expect(await world.findUser(userId)).toMatchObject({ quota: 600, held_quota: 600 });
      });

      test('admin corrections race with spending and the sum stays exact', async () => {
        const userId = await world.user(100_000);
        let expected = 100_000;
        const spend = Array.from({ length: 50 }, async (_, index) => {
          const { requestId, admission } = await reserve(world.ledger, userId, 0, 100);
          if (!admission.ok) return;
          await Bun.sleep(index % 6);
          const { charged } = await world.ledger.settle(requestId, outcome(60));
          expected -= charged;
        });
        const correct = Array.from({ length: 20 }, async (_, index) => {
          const sign = index % 2 === 0 ? 1 : -1;
          const request = { idem: newId(), userId, amount: 37, kind: 'admin', reference: 'edit' };
          const result =
            sign > 0
              ? await world.ledger.credit({ ...request, from: 'world:admin' })
              : await world.ledger.debit({ ...request, to: 'world:admin' });
          if (result.ok) expected += sign * 37;
        });
        await Promise.all([...spend, ...correct]);
        expect(await world.findUser(userId)).toMatchObject({
          quota: expected,
          held_quota: 0,
          used_quota: 3000,
        });
      });

      test('invite rewards accrue in a separate account and move once', async () => {
        const userId = await world.user(0);
        const reward = {
          idem: newId(),
          userId,
          amount: 100,
          from: 'world:signup',
          to: 'aff',
          kind: 'invite',
          reference: '',
        } as const;
        await store.db
          .transaction()
          .execute((transaction) => world.ledger.transferWithin(transaction, reward));
        expect(await world.findUser(userId)).toMatchObject({
          quota: 0,
          aff_quota: 100,
          aff_history_quota: 100,
        });
        const move = (amount: number) =>
          world.ledger.credit({ idem: newId(), userId, amount, from: 'aff', kind: 'invite', reference: '' });
        const results = await Promise.all(Array.from({ length: 20 }, () => move(30)));
        expect(results.filter((result) => result.ok)).toHaveLength(3);
        expect(await world.findUser(userId)).toMatchObject({
          quota: 90,
          aff_quota: 10,
          aff_history_quota: 100,
        });
      });

      test('a transfer inside a transaction that fails moves nothing', async () => {
        const userId = await world.user(0);
        const attempt = store.db.transaction().execute(async (transaction) => {
          const request = {
            idem: newId(),
            userId,
            amount: 100,
            from: 'world:redeem',
            to: 'user',
            kind: 'redeem',
            reference: '',
          } as const;
          await world.ledger.transferWithin(transaction, request);
          throw new Error('the code was used');
        });
        expect((await failureOf(attempt)).message).toBe('the code was used');
        expect((await world.findUser(userId)).quota).toBe(0);
        expect(await entriesOf(userId, 'redeem')).toHaveLength(0);
      });

      test('a balance never exceeds the cap', async () => {
        const userId = await world.user(Number.MAX_SAFE_INTEGER - 5);
        const more = {
          idem: newId(),
          userId,
          amount: 6,
          from: 'world:admin',
          kind: 'admin',
          reference: '',
        } as const;
        expect(await world.ledger.credit(more)).toEqual({ ok: false, reason: 'over_limit' });
        await grant(world.ledger, userId, 5);
        expect((await world.findUser(userId)).quota).toBe(Number.MAX_SAFE_INTEGER);
      });
    });
  });
});

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length <= 1) return [[...items]];
  return items.flatMap((item, index) =>
    permutations([...items.slice(0, index), ...items.slice(index + 1)]).map((rest) => [item, ...rest]),
  );
}
