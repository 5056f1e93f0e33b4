// Every figure that operators and customers read equals, to the unit, a sum of this test's own over the rows of the log and the
// ledger: overview, dashboard, margins and statement, in two zones, before and after the jobs have summed past days.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { OverviewMoney } from '#contract/admin/overview.ts';
import type { ThingMoney } from '#contract/admin/thing-parts.ts';
import { MARGIN_DIMENSIONS } from '#contract/money/margins.ts';
import { monthAt, monthSpan } from '#contract/month.ts';
import { sumMarginSpans } from '#server/admin/margins/index.ts';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import { forEachDatabase } from '#tests/support/databases.ts';
import { bookSite, MODELS, ZONES, type BookedSite } from './site.ts';
import {
  balanceAt,
  cameIn,
  dayOf,
  isIn,
  moneyBy,
  moneyIn,
  readBooks,
  total,
  type Books,
  type Days,
  type Money,
} from './sums.ts';

setDefaultTimeout(120_000);

const NO_MONEY: Money = { calls: 0, used: 0, cost: 0, fees: 0, margin: 0, unknown: 0, unknownCalls: 0 };

const shownMoney = ({ used, cost, fees, margin, unknown }: Money): OverviewMoney => ({
  used,
  cost: cost + fees,
  fees,
  margin,
  unknown,
});

forEachDatabase((label) => {
  describe('figures', () => {
    let site: BookedSite;
    let books: Books;
    beforeAll(async () => {
      site = await bookSite(label);
      books = await readBooks(site.shop.app.store);
    });
    afterAll(async () => {
      expect(await checkInvariants(site.shop.app.store)).toEqual([]);
      await site.shop.close();
    });

    const inZone = (zone: string) => site.shop.app.settings.set('SiteTimeZone', zone, 0);
    const operator = () => site.shop.app.client(site.admin);

    test('the traffic has every part that can go wrong', () => {
      expect(books.calls.length).toBeGreaterThan(60);
      expect(books.failures.length).toBeGreaterThan(2);
      const { used, unknown, cost, fees } = moneyIn(books, {
        zone: 'UTC',
        from: '2000-01-01',
        to: '2100-01-01',
      });
      for (const amount of [used, unknown, cost, fees]) expect(amount).toBeGreaterThan(0);
      expect(books.refunds).toHaveLength(1);
      // The ledger has every charge of the log, of the balance or of the plan.
      const charged = total(
        books.ledger.filter(({ kind }) => kind === 'use'),
        ({ amount }) => amount,
      );
      expect(charged).toBe(used);
    });

    for (const isSummed of [false, true])
      for (const zone of ZONES) {
        const when = isSummed ? 'after past days are summed' : 'before past days are summed';

        test(`${zone}, ${when}: the operator’s overview`, async () => {
          await inZone(zone);
          if (isSummed) await sumMarginSpans({ store: site.shop.app.store });
          for (const day of ['today', 'yesterday', 'month'] as const) {
            const { from, to, money, ...rest } = await operator().overview.operator({ query: { day } });
            const days: Days = { zone, from, to };
            const own = moneyIn(books, days);
            const { calls, unknown_calls, came_in, refunded, price_version: _, ...amounts } = money;
            expect({ day, ...amounts }).toEqual({ day, ...shownMoney(own) });
            expect([calls, unknown_calls]).toEqual([own.calls, own.unknownCalls]);
            expect(
              came_in.map(({ currency, amount_minor: minor, orders }) => ({ currency, minor, orders })),
            ).toEqual(cameIn(books, days));
            const back = books.refunds.filter(({ created_at }) => isIn(days, created_at));
            expect(total(refunded, ({ amount_minor }) => amount_minor)).toBe(
              total(back, ({ amount_minor }) => amount_minor),
            );
            const channels = moneyBy(books, days, 'channel');
            expect(new Map(rest.margin_channels.map(({ id, margin }) => [String(id), margin]))).toEqual(
              new Map(
                [...channels]
                  .filter(([, { calls: all, unknownCalls, fees }]) => all > unknownCalls || fees > 0)
                  .map(([id, { margin }]) => [id, margin]),
              ),
            );
            expect(total(rest.unknown_channels, ({ used }) => used)).toBe(own.unknown);
            const month = moneyBy(books, { zone, from: rest.month.from, to: dayOf(zone, rest.now) }, 'day');
            for (const { day: date, came_in: paid, ...parts } of rest.month.days) {
              const none: Money = {
                calls: 0,
                used: 0,
                cost: 0,
                fees: 0,
                margin: 0,
                unknown: 0,
                unknownCalls: 0,
              };
              expect({ date, ...parts }).toEqual({ date, ...shownMoney(month.get(date) ?? none) });
              expect(paid.map(({ amount_minor: minor }) => minor)).toEqual(
                cameIn(books, { zone, from: date, to: date }).map(({ minor }) => minor),
              );
            }
            const customers = books.users.filter(({ role, quota }) => role < 10 && quota > 0);
            expect([rest.owed.quota, rest.owed.users]).toEqual([
              total(customers, ({ quota }) => quota),
              customers.length,
            ]);
          }
        });

        test(`${zone}, ${when}: margins by each dimension`, async () => {
          await inZone(zone);
          for (const by of MARGIN_DIMENSIONS) {
            const {
              from,
              to,
              rows,
              total: sum,
            } = await operator().margins.report({ query: { by, days: 30 } });
            const own = moneyBy(books, { zone, from, to }, by);
            const read = rows.map((row): [string, Money] => [
              row.key,
              {
                calls: row.calls,
                used: row.revenue,
                cost: row.cost,
                fees: row.fees,
                margin: row.margin,
                unknown: row.unknown_revenue,
                unknownCalls: row.unknown_calls,
              },
            ]);
            expect({ by, rows: new Map(read) }).toEqual({ by, rows: own });
            expect(sum.revenue).toBe(sum.cost + sum.fees + sum.margin + sum.unknown_revenue);
            expect(sum.margin).toBe(moneyIn(books, { zone, from, to }).margin);
          }
        });
      }

    for (const zone of ZONES)
      test(`${zone}: a customer’s overview, days of the site and keys`, async () => {
        await inZone(zone);
        const { alice } = site;
        const self = await site.shop.app.client(alice).overview.self({});
        const own = books.calls.filter(({ user_id }) => user_id === alice.id);
        const failed = books.failures.filter(({ user_id }) => user_id === alice.id);
        for (const { day, quota, count, error_count } of self.days) {
          const of = own.filter(({ created_at }) => dayOf(zone, created_at) === day);
          expect({ day, quota, count, error_count }).toEqual({
            day,
            quota: total(of, (call) => call.quota),
            count: of.length,
            error_count: failed.filter(({ created_at }) => dayOf(zone, created_at) === day).length,
          });
        }
        const [user] = books.users.filter(({ id }) => id === alice.id);
        expect(self.balance.quota).toBe(user?.quota ?? 0);
        expect(self.balance.quota).toBe(balanceAt(books, alice.id, Infinity));
        const today = dayOf(zone, self.now);
        expect(total(self.keys, (key) => key.today)).toBe(
          total(
            own.filter(({ created_at }) => dayOf(zone, created_at) === today),
            ({ quota }) => quota,
          ),
        );
      });

    for (const zone of ZONES)
      test(`${zone}: the wallet, the page and card of a user and the keys have the days of the site`, async () => {
        await inZone(zone);
        const { alice } = site;
        const client = site.shop.app.client(alice);
        const now = Math.floor(Date.now() / 1000);
        const own = books.calls.filter(({ user_id }) => user_id === alice.id);
        const usedOn = (day: string, calls = own) =>
          total(
            calls.filter(({ created_at }) => dayOf(zone, created_at) === day),
            ({ quota }) => quota,
          );
        const days = Array.from({ length: 30 }, (_, back) => dayOf(zone, now - (29 - back) * 86_400));
        const wallet = await client.wallet.overview();
        expect(wallet.burn).toEqual(days.map((day) => usedOn(day)));
        // The pace is of the last 168 hours, not of days of the site.
        const firstHour = now - 7 * 86_400;
        const week = total(
          own.filter(({ created_at }) => created_at - (created_at % 3600) > firstHour),
          ({ quota }) => quota,
        );
        const { params, query } = { params: { id: alice.id }, query: { window: '24h' as const } };
        expect((await operator().userManagement.page({ params, query })).money.week).toBe(week);
        const card = await operator().userManagement.usage({ params });
        expect(card.days.map(({ day, quota }) => [dayOf(zone, day), quota])).toEqual(
          days.map((day) => [day, usedOn(day)]),
        );
        // As if the site had always had this zone: what is open of a budget at a change ends as it began.
        await site.shop.app.store.db.deleteFrom('option_history').where('key', '=', 'SiteTimeZone').execute();
        const month = days.at(-1)?.slice(0, 7) ?? '';
        for (const key of (await client.tokens.list({ query: {} })).data) {
          const calls = own.filter(({ token_id }) => token_id === key.id);
          expect(key.recent_quota).toEqual(days.slice(-14).map((day) => usedOn(day, calls)));
          expect(key.day_used).toBe(usedOn(days.at(-1) ?? '', calls));
          expect(key.month_used).toBe(
            total(
              calls.filter(({ created_at }) => dayOf(zone, created_at).startsWith(month)),
              ({ quota }) => quota,
            ),
          );
        }
      });

    for (const zone of ZONES)
      test(`${zone}: the money of channels, models and suppliers is that of margins`, async () => {
        await inZone(zone);
        const parts = { zone, from: '', to: dayOf(zone, Math.floor(Date.now() / 1000)) };
        const expectMoney = (money: ThingMoney & { from: string; to: string }, own: Money | undefined) => {
          expect(money.to).toBe(parts.to);
          const { calls, unknown_calls, used, cost, fees, margin, unknown } = money;
          expect({ calls, unknown_calls, used, cost, fees, margin, unknown }).toEqual({
            calls: own?.calls ?? 0,
            unknown_calls: own?.unknownCalls ?? 0,
            ...shownMoney(own ?? NO_MONEY),
          });
        };
        const query = { window: '7d' as const };
        const channels = await site.shop.app.store.db.selectFrom('channels').select('id').execute();
        expect(channels.length).toBeGreaterThan(1);
        for (const { id } of channels) {
          const { money } = await operator().channelPages.read({ params: { id }, query });
          expectMoney(money, moneyBy(books, { ...parts, from: money.from }, 'channel').get(String(id)));
        }
        for (const name of MODELS) {
          const { money } = await operator().modelPages.read({ query: { ...query, name } });
          expectMoney(money, moneyBy(books, { ...parts, from: money.from }, 'model').get(name));
        }
        const suppliers = await site.shop.app.store.db.selectFrom('suppliers').select('id').execute();
        for (const { id } of suppliers) {
          const { money } = await operator().supplierPages.read({ params: { id }, query });
          expectMoney(money, moneyBy(books, { ...parts, from: money.from }, 'supplier').get(String(id)));
        }
      });

    test('the dashboard: hours, models, users, channels and keys', async () => {
      const now = Math.floor(Date.now() / 1000);
      const end_timestamp = now - (now % 3600) + 3599;
      const query = { start_timestamp: end_timestamp + 1 - 30 * 86_400, end_timestamp };
      const inSpan = ({ created_at }: { created_at: number }) =>
        created_at >= query.start_timestamp && created_at <= end_timestamp;
      const calls = books.calls.filter(inSpan);
      const used = (of: typeof calls) => total(of, ({ quota }) => quota);
      const rows = await operator().dashboard.all({ query });
      for (const row of rows) {
        const of = calls.filter(
          ({ created_at, model_name }) =>
            created_at - (created_at % 3600) === row.created_at && model_name === row.model_name,
        );
        expect([row.count, row.quota]).toEqual([of.length, used(of)]);
        expect(row.token_used).toBe(total(of, (call) => call.prompt_tokens + call.completion_tokens));
      }
      expect(total(rows, ({ quota }) => quota)).toBe(used(calls));
      expect(total(rows, ({ error_count }) => error_count)).toBe(books.failures.filter(inSpan).length);
      for (const { id, quota, count } of await operator().dashboard.users({ query })) {
        const of = calls.filter(({ user_id }) => user_id === id);
        expect([id, quota, count]).toEqual([id, used(of), of.length]);
      }
      for (const { id, quota, count } of await operator().dashboard.channels({ query })) {
        const of = calls.filter(({ channel_id }) => channel_id === id);
        expect([id, quota, count]).toEqual([id, used(of), of.length]);
      }
      for (const { id, quota } of await site.shop.app.client(site.bob).dashboard.tokens({ query })) {
        const of = calls.filter(({ user_id, token_id }) => user_id === site.bob.id && token_id === id);
        expect([id, quota]).toEqual([id, used(of)]);
      }
    });

    test('statements of this month and the last: every kind of movement, models and keys', async () => {
      const thisMonth = monthAt(Date.now() / 1000);
      for (const month of [thisMonth, monthAt(monthSpan(thisMonth).start - 1)])
        for (const { id } of [site.alice, site.bob]) {
          const view = await operator().statements.ofUser({ params: { id }, query: { month } });
          const { start, end } = monthSpan(month);
          expect([view.opening, view.closing]).toEqual([
            balanceAt(books, id, start),
            balanceAt(books, id, end),
          ]);
          const account = `user:${id}`;
          const moved = new Map<string, number>();
          for (const row of books.ledger) {
            if (row.created_at < start || row.created_at >= end) continue;
            if (row.debit_account !== account && row.credit_account !== account) continue;
            const isIncome = row.credit_account === account;
            moved.set(row.kind, (moved.get(row.kind) ?? 0) + (isIncome ? row.amount : -row.amount));
          }
          expect(new Map(view.lines.map(({ kind, amount }) => [kind, amount]))).toEqual(moved);
          const calls = books.calls.filter(
            ({ user_id, created_at }) => user_id === id && created_at >= start && created_at < end,
          );
          const usedBy = (of: typeof calls) => ({
            quota: total(of, ({ quota }) => quota),
            count: of.length,
            prompt_tokens: total(of, ({ prompt_tokens }) => prompt_tokens),
            completion_tokens: total(of, ({ completion_tokens }) => completion_tokens),
          });
          expect(view.usage.total).toEqual(usedBy(calls));
          for (const { name, ...used } of view.usage.models)
            expect(used).toEqual(usedBy(calls.filter(({ model_name }) => model_name === name)));
          for (const { id: token, name: _, ...used } of view.usage.tokens)
            expect(used).toEqual(usedBy(calls.filter(({ token_id }) => token_id === token)));
          expect(view.usage.difference).toBe(0);
        }
    });
  });
});
