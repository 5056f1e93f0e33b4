// Rate limits, budgets and the low-balance mail: decided in the transaction that moves the money, on both databases.
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { sliceId } from '#server/money/ledger/engine/slice.ts';
import { STANDARD_CONFIGURATION } from '#server/money/ledger/ledger.ts';
import type { Settings } from '#contract/settings.ts';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import { putLetter } from '#server/admin/mail/index.ts';
import { dispatchDue, type NoticeMailer } from '#server/platform/notices/dispatch.ts';
import type { Store } from '#server/platform/store/store.ts';
import { forEachDatabase } from '#tests/support/databases.ts';
import { callOf, createWorld, grant, outcome, reserve, type World } from './world.ts';

// A database server may have to start first, on a busy machine.
setDefaultTimeout(60_000);

/** The first hour of the day (10 digits of its date) or month (7) there in which the running hour is. */
function firstHour(zone: string, now: number, digits: number): number {
  const format = new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' });
  const nameOf = (hour: number) => format.format(hour * 1000).slice(0, digits);
  let hour = now - (now % 3600);
  const name = nameOf(hour);
  while (nameOf(hour - 3600) === name) hour -= 3600;
  return hour;
}

forEachDatabase((label, open) => {
  // An inner block, so that its hooks run before the store is closed.
  describe('limits', () => {
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

    const reserveMany = (count: number, userId: number, tokenId: number, tokens = 100) =>
      Promise.all(
        Array.from({ length: count }, () =>
          reserve(world.ledger, userId, tokenId, 10, { limits: { tokens } }),
        ),
      );

    test('requests per minute of a token admit that many of 50 parallel calls, and the refusal has a retry time', async () => {
      const userId = await world.user(100_000);
      const tokenId = await world.token(userId, { requests_per_minute: 7 });
      const answers = await reserveMany(50, userId, tokenId);
      expect(answers.filter(({ admission }) => admission.ok)).toHaveLength(7);
      const refused = answers.find(({ admission }) => !admission.ok)?.admission;
      expect(refused).toMatchObject({ reason: 'requests_per_minute', subject: 'token' });
      const wait = refused?.ok === false ? refused.retryAfterSeconds : 0;
      expect(wait).toBeGreaterThan(0);
      expect(wait).toBeLessThanOrEqual(120);
      expect((await world.findUser(userId)).held_quota).toBe(70);
    });

    test('requests per minute of a user count over all its tokens', async () => {
      const userId = await world.user(100_000, { requests_per_minute: 6 });
      const tokens = [await world.token(userId), await world.token(userId)];
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) => reserve(world.ledger, userId, tokens[index % 2] ?? 0, 1)),
      );
      expect(answers.filter(({ admission }) => admission.ok)).toHaveLength(6);
      expect(answers.find(({ admission }) => !admission.ok)?.admission).toMatchObject({ subject: 'user' });
    });

    test('the previous minute counts in part, so a burst across two minutes does not double the limit', async () => {
      const userId = await world.user(100_000);
      const tokenId = await world.token(userId, { requests_per_minute: 60 });
      const start = Math.floor(Date.now() / 60_000) * 60;
      const used = { scope: `token:${tokenId}:rpm`, window_start: start - 60, used: 60_000 };
      await store.db.insertInto('limit_windows').values(used).execute();
      const { admission } = await reserve(world.ledger, userId, tokenId, 1);
      expect(admission).toMatchObject({ ok: false, reason: 'requests_per_minute' });
    });

    test('tokens per minute count the estimate first and the usage afterwards', async () => {
      const userId = await world.user(100_000);
      const tokenId = await world.token(userId, { tokens_per_minute: 1000 });
      const answers = await reserveMany(10, userId, tokenId, 400);
      const admitted = answers.filter(({ admission }) => admission.ok);
      expect(admitted).toHaveLength(2);
      expect(answers.find(({ admission }) => !admission.ok)?.admission).toMatchObject({
        reason: 'tokens_per_minute',
      });
      // The calls used 50 tokens each: 800 estimated become 100 used.
      for (const { requestId } of admitted) {
        await world.ledger.settle(requestId, outcome(5, { promptTokens: 30, completionTokens: 20 }));
      }
      const windows = await store.db
        .selectFrom('limit_windows')
        .select('used')
        .where('scope', '=', `token:${tokenId}:tpm`)
        .execute();
      expect(windows.reduce((sum, row) => sum + row.used, 0)).toBe(100);
      expect(
        (await reserveMany(5, userId, tokenId, 400)).filter(({ admission }) => admission.ok),
      ).toHaveLength(2);
    });

    test('a released call returns its tokens per minute', async () => {
      const userId = await world.user(100_000, { tokens_per_minute: 500 });
      const { requestId } = await reserve(world.ledger, userId, 0, 10, { limits: { tokens: 500 } });
      expect((await reserve(world.ledger, userId, 0, 10, { limits: { tokens: 1 } })).admission.ok).toBe(
        false,
      );
      await world.ledger.release(requestId);
      expect((await reserve(world.ledger, userId, 0, 10, { limits: { tokens: 500 } })).admission.ok).toBe(
        true,
      );
    });

    test('concurrent calls: as many as allowed, a new one when one ends, tasks not counted', async () => {
      const userId = await world.user(100_000, { concurrent_calls: 5 });
      const tokenId = await world.token(userId, { concurrent_calls: 3 });
      await reserve(world.ledger, userId, tokenId, 10, { lifetime: 'task' });
      const answers = await reserveMany(20, userId, tokenId);
      const admitted = answers.filter(({ admission }) => admission.ok);
      expect(admitted).toHaveLength(3);
      expect(answers.find(({ admission }) => !admission.ok)?.admission).toMatchObject({
        reason: 'concurrent_calls',
        subject: 'token',
      });
      const second = await world.token(userId);
      const others = await reserveMany(20, userId, second);
      expect(others.filter(({ admission }) => admission.ok)).toHaveLength(2);
      await world.ledger.settle(admitted[0]?.requestId ?? '', outcome(1));
      expect((await reserveMany(4, userId, tokenId)).filter(({ admission }) => admission.ok)).toHaveLength(1);
    });

    // SQLite has one node, which sets nothing aside.
    test.if(label === 'postgres')('what another node has set aside is no running call', async () => {
      const userId = await world.user(100_000, { concurrent_calls: 1 });
      const tokenId = await world.token(userId, { concurrent_calls: 1 });
      const now = Math.floor(Date.now() / 1000);
      const slice = { id: sliceId('other', 1, 1), user_id: userId, token_id: tokenId, node_id: 'other' };
      await store.db
        .insertInto('holds')
        .values({ ...slice, epoch: 1, amount: 0, created_at: now, expires_at: now + 3600 })
        .execute();
      const answers = await reserveMany(2, userId, tokenId);
      expect(answers.filter(({ admission }) => admission.ok)).toHaveLength(1);
    });

    test('day and month budgets count usage and holds', async () => {
      const userId = await world.user(100_000);
      const byDay = await world.token(userId, { day_budget: 100 });
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => reserve(world.ledger, userId, byDay, 30)),
      );
      const admitted = answers.filter(({ admission }) => admission.ok);
      expect(admitted).toHaveLength(3);
      const refused = answers.find(({ admission }) => !admission.ok)?.admission;
      expect(refused).toMatchObject({ reason: 'day_budget', subject: 'token' });
      expect(
        refused?.ok === false && refused.retryAfterSeconds > 0 && refused.retryAfterSeconds <= 86_400,
      ).toBe(true);
      // A running call may not grow past the budget either.
      expect(await world.ledger.extend(admitted[0]?.requestId ?? '', 11)).toBe(false);
      expect(await world.ledger.extend(admitted[0]?.requestId ?? '', 10)).toBe(true);
      for (const { requestId } of admitted) await world.ledger.settle(requestId, outcome(20));
      expect((await reserve(world.ledger, userId, byDay, 41)).admission.ok).toBe(false);
      expect((await reserve(world.ledger, userId, byDay, 40)).admission.ok).toBe(true);
    });

    test('a budget counts a charge that is settled in the same moment as the next call asks (M21)', async () => {
      const userId = await world.user(100_000);
      const tokenId = await world.token(userId, { day_budget: 500 });
      const { requestId } = await reserve(world.ledger, userId, tokenId, 300);
      // Sent together: both are in one transaction.
      const [settlement, next] = await Promise.all([
        world.ledger.settle(requestId, outcome(300)),
        reserve(world.ledger, userId, tokenId, 201),
      ]);
      expect(settlement).toMatchObject({ charged: 300 });
      expect(next.admission).toMatchObject({ ok: false, reason: 'day_budget' });
    });

    test('a budget of a token counts from the first hour of its day and month (M21)', async () => {
      const userId = await world.user(100_000);
      const now = new Date();
      const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()];
      const begins = {
        day_budget: Date.UTC(year, month, now.getUTCDate()),
        month_budget: Date.UTC(year, month),
      };
      for (const [budget, start] of Object.entries(begins)) {
        const tokenId = await world.token(userId, { [budget]: 1000 });
        const { requestId } = await reserve(world.ledger, userId, tokenId, 900);
        await world.ledger.settle(requestId, outcome(900));
        const hour = { hour: start / 1000 };
        await store.db.updateTable('usage_hours').set(hour).where('token_id', '=', tokenId).execute();
        expect((await reserve(world.ledger, userId, tokenId, 101)).admission).toMatchObject({
          reason: budget,
        });
        expect((await reserve(world.ledger, userId, tokenId, 100)).admission).toMatchObject({ ok: true });
      }
    });

    test.each(['Asia/Shanghai', 'America/New_York', 'Asia/Kolkata', 'Pacific/Kiritimati'])(
      'in %s budgets of users and tokens count from the first hour of the site’s day and month, and no earlier (M21)',
      async (zone) => {
        await world.ledger.configure({ ...STANDARD_CONFIGURATION, budgetZones: { zone, left: [] } });
        const now = Math.floor(Date.now() / 1000);
        const digits = { day_budget: 10, month_budget: 7 } as const;
        for (const [budget, length] of Object.entries(digits)) {
          const start = firstHour(zone, now, length);
          for (const ofUser of [true, false]) {
            const limit = { [budget]: 1000 };
            const userId = await world.user(100_000, ofUser ? limit : {});
            const tokenId = await world.token(userId, ofUser ? {} : limit);
            const { requestId } = await reserve(world.ledger, userId, tokenId, 900);
            await world.ledger.settle(requestId, outcome(900));
            const move = (hour: number) =>
              store.db.updateTable('usage_hours').set({ hour }).where('user_id', '=', userId).execute();
            await move(start);
            expect((await reserve(world.ledger, userId, tokenId, 101)).admission).toMatchObject({
              reason: budget,
              subject: ofUser ? 'user' : 'token',
            });
            await move(start - 3600);
            expect((await reserve(world.ledger, userId, tokenId, 1000)).admission).toMatchObject({
              ok: true,
            });
          }
        }
      },
    );

    test('a budget that is open when the site changes its zone ends as it began (M21)', async () => {
      const now = Math.floor(Date.now() / 1000);
      // Their days begin at different hours, so at any time that of one zone has been open for longer than that of another.
      const [left = '', , zone = ''] = ['UTC', 'Pacific/Kiritimati', 'Pacific/Pago_Pago'].toSorted(
        (one, other) => firstHour(one, now, 10) - firstHour(other, now, 10),
      );
      await world.ledger.configure({
        ...STANDARD_CONFIGURATION,
        budgetZones: { zone, left: [{ zone: left, at: now }] },
      });
      const userId = await world.user(100_000, { day_budget: 1000 });
      const { requestId } = await reserve(world.ledger, userId, 0, 900);
      await world.ledger.settle(requestId, outcome(900));
      const hour = firstHour(left, now, 10);
      await store.db.updateTable('usage_hours').set({ hour }).where('user_id', '=', userId).execute();
      expect((await reserve(world.ledger, userId, 0, 101)).admission).toMatchObject({ reason: 'day_budget' });
      await world.ledger.configure({ ...STANDARD_CONFIGURATION, budgetZones: { zone, left: [] } });
      expect((await reserve(world.ledger, userId, 0, 101)).admission.ok).toBe(true);
    });

    test('a call that can use less holds what the budgets of its user and its token leave, and no more', async () => {
      for (const [ofUser, ofToken, left] of [
        [{ day_budget: 500 }, {}, 500],
        [{ month_budget: 400 }, { day_budget: 500 }, 400],
        [{ day_budget: 500 }, { month_budget: 300 }, 300],
      ] as const) {
        const userId = await world.user(100_000, ofUser);
        const tokenId = await world.token(userId, ofToken);
        const opening = await world.ledger.open({ ...callOf(userId, tokenId, 800), least: 100 });
        expect(opening).toMatchObject({ ok: true, amount: left });
        expect(await world.findUser(userId)).toMatchObject({ held_quota: left });
        const second = await world.ledger.open({ ...callOf(userId, tokenId, 800), least: 1 });
        expect(second.ok).toBe(false);
        if (opening.ok) await world.ledger.release(opening.call);
      }
    });

    test('the cleaning of old minutes does not forget the current ones (M21)', async () => {
      const userId = await world.user(100_000);
      const tokenId = await world.token(userId, { requests_per_minute: 2 });
      await reserveMany(2, userId, tokenId);
      await world.ledger.recover();
      expect((await reserve(world.ledger, userId, tokenId, 10)).admission).toMatchObject({
        reason: 'requests_per_minute',
      });
    });

    test('a month budget of a user counts earlier days of the month and not the last month', async () => {
      const userId = await world.user(100_000, { month_budget: 1000 });
      const other = await world.user(100_000);
      const now = new Date();
      const month = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1) / 1000;
      const spend = async (user: number, charge: number) => {
        const { requestId } = await reserve(world.ledger, user, 0, charge);
        await world.ledger.settle(requestId, outcome(charge));
      };
      await spend(userId, 900);
      await store.db.updateTable('usage_hours').set({ hour: month }).where('user_id', '=', userId).execute();
      expect((await reserve(world.ledger, userId, 0, 101)).admission).toMatchObject({
        reason: 'month_budget',
        subject: 'user',
      });
      await spend(other, 5000);
      await store.db
        .updateTable('usage_hours')
        .set({ hour: month - 3600 })
        .where('user_id', '=', userId)
        .execute();
      expect((await reserve(world.ledger, userId, 0, 1000)).admission.ok).toBe(true);
    });

    describe('low balance', () => {
      /** What the job of the notices makes of the charges so far. */
      const mailsOf = async () => {
        const mailer = { configured: true, wake: () => {}, put: putMail };
        await dispatchDue({ store, settings: { current: settings }, mailer }, new AbortController().signal);
        return await store.db.selectFrom('mails').selectAll().execute();
      };
      const putMail: NoticeMailer['put'] = (db, letter) => putLetter(db, store.vault, letter);
      const settings = {
        QuotaRemindThreshold: 1000,
        QuotaPerUnit: 500_000,
        SystemName: 'Tollgate',
        ServerAddress: 'https://gate.example/',
      } as Settings;
      beforeEach(() =>
        world.ledger.configure({
          ...STANDARD_CONFIGURATION,
          lowBalanceThreshold: settings.QuotaRemindThreshold,
        }),
      );
      const spend = async (userId: number, charge: number) => {
        const { requestId } = await reserve(world.ledger, userId, 0, charge);
        await world.ledger.settle(requestId, outcome(charge));
      };

      test('REL-9.49 A2 the mail is queued once when the balance falls below the threshold, at most once in 2 hours', async () => {
        const userId = await world.user(2000, { email: 'a@example.com', username: 'anna' });
        await spend(userId, 900);
        expect(await mailsOf()).toHaveLength(0);
        await spend(userId, 200);
        const [mail] = await mailsOf();
        expect(mail).toMatchObject({ recipient: 'a@example.com', status: 'pending' });
        expect(mail?.subject).toContain('Tollgate');
        expect(mail?.body).toContain('anna');
        expect(mail?.body).toContain('$0.001800');
        expect(mail?.body).toContain('https://gate.example/topup');
        await spend(userId, 100);
        await grant(world.ledger, userId, 5000);
        // The key of a notice contains its second.
        await Bun.sleep(1100);
        await spend(userId, 5000);
        expect(await mailsOf()).toHaveLength(1);
        await store.db
          .updateTable('users')
          .set({ low_balance_mail_at: 1000 })
          .where('id', '=', userId)
          .execute();
        await spend(userId, 800);
        expect(await mailsOf()).toHaveLength(2);
      });

      test('many parallel charges below the threshold queue one mail; without an address none', async () => {
        const userId = await world.user(2000, { email: 'b@example.com' });
        await Promise.all(Array.from({ length: 20 }, () => spend(userId, 100)));
        expect(await mailsOf()).toHaveLength(1);
        const silent = await world.user(2000);
        await spend(silent, 1500);
        expect(await mailsOf()).toHaveLength(1);
      });
    });
  });
});
