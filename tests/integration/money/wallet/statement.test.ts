// The statement of a month equals the ledger to the unit, whatever is summed already and whoever asks.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { sql } from 'kysely';
import { ROLE } from '#contract/access.ts';
import { addMonths, monthAt, monthSpan } from '#contract/month.ts';
import { STATEMENT_FILE_ENTRIES, type StatementView } from '#contract/money/statements.ts';
import { createMoneyAudit } from '#server/money/audit/audit.ts';
import { withoutPause } from '#server/money/audit/breach.ts';
import {
  ROOT_PASSWORD,
  startApplication,
  type Actor,
  type TestApplication,
} from '#tests/support/application.ts';
import { faultSeen } from '#tests/support/fault-report.ts';

const now = () => Math.floor(Date.now() / 1000);
const current = monthAt(now());
const last = addMonths(current, -1);

/** Cells of a CSV file without line breaks in cells. */
function cellsOf(line: string): string[] {
  return Array.from(line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g), ([, cell = '']) =>
    cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell,
  ).slice(0, -1);
}

describe.each(['sqlite', 'postgres'] as const)('%s', (database) => {
  let app: TestApplication;
  let admin: Actor;
  beforeAll(async () => {
    app = await startApplication({ database });
    admin = await app.actor({ role: ROLE.admin });
  }, 60_000);
  afterAll(() => app.close());

  /** The audit of the start sums too: until it is over, sums that a test changes are not its own. */
  async function startAuditOver(): Promise<void> {
    for (;;) {
      const job = await app.store.db
        .selectFrom('jobs')
        .select('name')
        .where('name', '=', 'money-audit')
        .where('finished_ms', '>', 0)
        .where('lease_until_ms', '=', 0)
        .executeTakeFirst();
      if (job) return;
      await Bun.sleep(50);
    }
  }

  const audit = () => createMoneyAudit({ store: app.store, onBreach: () => {}, pause: withoutPause }).check();

  let counter = 0;
  interface Booking {
    at: number;
    /** Out of the balance when negative. */
    amount: number;
    kind: string;
    other: string;
    reference?: string;
    model?: string;
    tokenId?: number;
  }

  /** A movement of any time, as the ledger books it: row, balance and, of a charge, the hourly figures. */
  async function book(userId: number, bookings: readonly Booking[]): Promise<void> {
    const account = `user:${userId}`;
    await app.store.db.transaction().execute(async (transaction) => {
      for (const { at, amount, kind, other, reference = '', model = 'm', tokenId = 0 } of bookings) {
        counter += 1;
        await transaction
          .insertInto('ledger')
          .values({
            idem: `statement-test:${counter}`,
            created_at: at,
            user_id: userId,
            debit_account: amount < 0 ? account : other,
            credit_account: amount < 0 ? other : account,
            amount: Math.abs(amount),
            kind,
            reference,
          })
          .execute();
        await transaction
          .updateTable('users')
          .set((column) => ({ quota: column('quota', '+', amount) }))
          .where('id', '=', userId)
          .execute();
        if (kind !== 'use') continue;
        const hour = at - (((at % 3600) + 3600) % 3600);
        await transaction
          .insertInto('usage_hours')
          .values({
            hour,
            user_id: userId,
            token_id: tokenId,
            channel_id: 1,
            model_name: model,
            quota: -amount,
            count: 1,
            prompt_tokens: 10,
            completion_tokens: 3,
          })
          .onConflict((conflict) =>
            conflict.columns(['hour', 'user_id', 'token_id', 'channel_id', 'model_name']).doUpdateSet({
              quota: sql<number>`usage_hours.quota + excluded.quota`,
              count: sql<number>`usage_hours.count + 1`,
              prompt_tokens: sql<number>`usage_hours.prompt_tokens + 10`,
              completion_tokens: sql<number>`usage_hours.completion_tokens + 3`,
            }),
          )
          .execute();
      }
    });
  }

  /** Opening and closing balance by adding up every row of the ledger. */
  async function sumsOf(userId: number, month: string) {
    const { start, end } = monthSpan(month);
    const rows = await app.store.db.selectFrom('ledger').selectAll().where('user_id', '=', userId).execute();
    const account = `user:${userId}`;
    const sum = (until: number) =>
      rows
        .filter(({ created_at }) => created_at < until)
        .reduce(
          (total, row) =>
            total +
            (row.credit_account === account ? row.amount : row.debit_account === account ? -row.amount : 0),
          0,
        );
    return { opening: sum(start), closing: sum(end) };
  }

  const total = (rows: readonly { amount: number }[]) => rows.reduce((sum, { amount }) => sum + amount, 0);

  async function expectExact(as: Actor, month: string): Promise<StatementView> {
    const statement = await app.client(as).statements.own({ query: { month } });
    expect(statement).toMatchObject(await sumsOf(as.id, month));
    expect(statement.opening + total(statement.lines)).toBe(statement.closing);
    return statement;
  }

  const months = Array.from({ length: 5 }, (_, index) => addMonths(current, -index));

  test('a call of the first hour of a month is used in that month only (M21)', async () => {
    const user = await app.actor({});
    const { start, end } = monthSpan(last);
    const charge = { kind: 'use', other: 'revenue' };
    await book(user.id, [
      { at: start - 3600, amount: 1000, kind: 'admin', other: 'world:admin' },
      { at: start, amount: -10, ...charge },
      { at: end - 1, amount: -20, ...charge },
      { at: end, amount: -40, ...charge },
    ]);
    const used = async (month: string) => (await expectExact(user, month)).usage;
    expect(await used(last)).toMatchObject({ total: { quota: 30, count: 2 }, difference: 0 });
    expect(await used(current)).toMatchObject({ total: { quota: 40, count: 1 }, difference: 0 });
  });

  test('every month equals the ledger, before, while and after it is summed, with kinds that are new', async () => {
    const user = await app.actor({ quota: 1_000_000 });
    const edges = months.flatMap((month) => {
      const { start, end } = monthSpan(month);
      return [start - 1, start, end - 1].filter((at) => at <= now());
    });
    const booked = (round: number): Booking[] =>
      edges.flatMap((at, index) => [
        { at, amount: 7000 + index, kind: 'topup', other: `world:topup:${index % 2 ? 'epay' : 'stripe'}` },
        { at, amount: -(101 + index * round), kind: 'use', other: 'revenue', model: `m${index % 3}` },
        { at, amount: -(11 + round), kind: 'plan_purchase', other: `plan:${index}` },
        { at, amount: 5, kind: 'agent_transfer', other: 'agent:3' },
        { at, amount: 3, kind: 'refund', other: 'revenue', reference: 'late' },
      ]);
    await book(user.id, booked(1));
    for (const month of months) await expectExact(user, month);
    await audit();
    for (const month of months) await expectExact(user, month);
    await book(user.id, booked(2));
    for (const month of months) await expectExact(user, month);

    const { lines } = await expectExact(user, last);
    expect(lines.map(({ kind, account }) => `${kind} ${account}`)).toEqual([
      'use revenue',
      'agent_transfer agent',
      'plan_purchase plan',
      'refund revenue',
      'topup topup',
    ]);
    // The first and last second of the month and the last before the next, in two rounds.
    expect(lines.find(({ kind }) => kind === 'plan_purchase')).toMatchObject({
      amount: -3 * 12 - 3 * 13,
      count: 6,
    });
  });

  test('usage by model and token adds up to the charges, also after log and token are gone', async () => {
    const user = await app.actor({ quota: 1_000_000 });
    await app.client(user).tokens.create({ body: { name: 'ci', unlimited_quota: true } });
    const { id: tokenId } = await app.store.db
      .selectFrom('tokens')
      .select('id')
      .where('user_id', '=', user.id)
      .executeTakeFirstOrThrow();
    const { start } = monthSpan(last);
    await book(user.id, [
      { at: start + 10, amount: -500, kind: 'use', other: 'revenue', model: 'a', tokenId },
      { at: start + 7200, amount: -300, kind: 'use', other: 'revenue', model: 'b', tokenId },
      { at: start + 7200, amount: -40, kind: 'use', other: 'revenue', model: 'b' },
      // A correction of a call that was counted in the month before.
      { at: start + 20, amount: 6, kind: 'refund', other: 'revenue', reference: 'late' },
    ]);
    await app.store.db
      .updateTable('log_cleaning')
      .set({ cleaned_before: start + 100 })
      .execute();
    await app.store.db.updateTable('tokens').set({ deleted_at: now() }).where('id', '=', tokenId).execute();
    const statement = await expectExact(user, last);
    expect(statement.usage.models.map(({ name, quota, count }) => [name, quota, count])).toEqual([
      ['a', 500, 1],
      ['b', 340, 2],
    ]);
    expect(statement.usage.tokens.map(({ id, name, quota }) => [id, name, quota])).toEqual([
      [tokenId, 'ci', 800],
      [0, '', 40],
    ]);
    expect(statement.usage.total).toEqual({
      quota: 840,
      count: 3,
      prompt_tokens: 30,
      completion_tokens: 9,
    });
    expect(statement.usage.difference).toBe(-6);
    // What was given back of a charge is no part that a plan paid.
    expect(statement.usage.plan).toBe(0);
    expect(statement.log_cleaned_before).toBe(start + 100);
  });

  test('the balance is carried forward from month to month', async () => {
    const user = await app.actor({ quota: 900 });
    await book(user.id, [{ at: monthSpan(last).start, amount: 50, kind: 'redeem', other: 'world:redeem' }]);
    const [before, after] = [await expectExact(user, last), await expectExact(user, current)];
    expect([before.opening, before.closing, after.opening, after.closing]).toEqual([0, 50, 50, 950]);
  });

  test('a statement that is read while the balance moves is of one moment', async () => {
    const user = await app.actor({ quota: 1000 });
    const credits = (async () => {
      for (let round = 0; round < 40; round += 1)
        await app.ledger.credit({
          idem: `moving:${user.id}:${round}`,
          userId: user.id,
          amount: 7,
          from: 'world:admin',
          kind: 'admin',
          reference: 'admin:1 x',
        });
    })();
    for (let round = 0; round < 15; round += 1) {
      const { opening, closing, lines, entries } = await app
        .client(user)
        .statements.own({ query: { month: current } });
      expect(opening + total(lines)).toBe(closing);
      expect(opening + total(entries)).toBe(closing);
    }
    await credits;
    expect((await expectExact(user, current)).closing).toBe(1000 + 40 * 7);
  });

  test('sums that do not add up to the balance, or lag far behind, make no statement', async () => {
    const user = await app.actor({ quota: 1000 });
    await startAuditOver();
    await audit();
    const refusal = async () =>
      (await app.request(`/api/user/statement?month=${current}`, { as: user })).body.code;
    const change = (by: number) =>
      app.store.db
        .updateTable('ledger_sums')
        .set((column) => ({ balance: column('balance', '+', by) }))
        .where('user_id', '=', user.id)
        .execute();
    await change(1);
    expect(await refusal()).toBe('statement_not_ready');
    await change(-1);
    expect(await refusal()).toBeUndefined();
    const reach = (by: number) =>
      app.store.db
        .updateTable('ledger_sums')
        .set((column) => ({ through_id: column('through_id', '+', by) }))
        .where('user_id', '=', 0)
        .execute();
    await reach(-2_000_000);
    expect(await refusal()).toBe('statement_not_ready');
    await reach(2_000_000);
    expect(await refusal()).toBeUndefined();
  });

  test('another user’s month is for administrators who may see that user, and only months that have begun exist', async () => {
    const user = await app.actor({ quota: 77 });
    const other = await app.actor();
    const root = await app.login('root', ROOT_PASSWORD);
    const of = (as: Actor | undefined, id: number, file = '') =>
      app.request(`/api/user/${id}/statement${file}?month=${current}`, { as });
    for (const file of ['', '/file']) {
      expect((await of(undefined, user.id, file)).status).toBe(401);
      expect((await of(other, user.id, file)).status).toBe(403);
      expect((await of(admin, root.id, file)).body.code).toBe('user_level_too_high');
      expect((await of(admin, 999_999, file)).status).toBe(404);
    }
    expect((await of(admin, user.id)).body.data).toMatchObject({ user: { id: user.id }, closing: 77 });
    expect((await of(root, admin.id)).body.success).toBe(true);
    for (const month of [
      '',
      '2026-13',
      '2026-00',
      '1999-01',
      '202611',
      addMonths(current, 1),
      '2026-11-01',
    ]) {
      const reply = await app.request(`/api/user/statement?month=${month}`, { as: user });
      expect([month, reply.body.code]).toEqual([month, 'invalid_parameter']);
    }
  });

  test('a file that cannot list every movement says how many it leaves out, and its sums have them all (M21)', async () => {
    const user = await app.actor();
    const { start } = monthSpan(current);
    const most = STATEMENT_FILE_ENTRIES;
    // Each pair gives one unit and takes it again.
    const entries = Array.from({ length: most + 2 }, (_, index) => ({
      idem: `many:${user.id}:${index}`,
      created_at: start,
      user_id: user.id,
      debit_account: index % 2 === 0 ? 'world:admin' : `user:${user.id}`,
      credit_account: index % 2 === 0 ? `user:${user.id}` : 'world:admin',
      amount: 1,
      kind: 'admin',
      reference: '',
    }));
    for (let at = 0; at < entries.length; at += 500)
      await app.store.db
        .insertInto('ledger')
        .values(entries.slice(at, at + 500))
        .execute();
    const reply = await fetch(`${app.url}/api/user/statement/file?month=${current}`, {
      headers: { Cookie: user.cookie, 'New-Api-User': String(user.id) },
    });
    const [head = '', ...lines] = (await reply.text()).replace('\uFEFF', '').trim().split('\r\n');
    const names = cellsOf(head);
    const sections = lines.map((line) => {
      const cells = cellsOf(line);
      return { section: cells[names.indexOf('section')], count: cells[names.indexOf('count')] };
    });
    expect(sections.filter(({ section }) => section === 'entry')).toHaveLength(most);
    expect(sections.filter(({ section }) => section === 'entries_not_listed')).toEqual([
      { section: 'entries_not_listed', count: '2' },
    ]);
    expect(sections).toContainEqual({ section: 'movement', count: String(most + 2) });
  });

  test('the file has the same sums, runs no formula, and an administrator’s download is audited (plan S16)', async () => {
    const user = await app.actor({ quota: 1000 });
    const { start } = monthSpan(current);
    await app.client(user).tokens.create({ body: { name: '=1+cmd|x', unlimited_quota: true } });
    const { id: tokenId } = await app.store.db
      .selectFrom('tokens')
      .select('id')
      .where('user_id', '=', user.id)
      .executeTakeFirstOrThrow();
    await book(user.id, [
      { at: start, amount: 250, kind: 'redeem', other: 'world:redeem', reference: '@SUM(A1), "gift"' },
      { at: start, amount: -30, kind: 'use', other: 'revenue', model: '+model', tokenId },
    ]);
    // A call that a plan paid, and that the hourly figures do not have.
    await app.store.db
      .insertInto('ledger')
      .values({
        idem: `statement-test:plan:${user.id}`,
        created_at: start,
        user_id: user.id,
        debit_account: 'plan:1',
        credit_account: 'revenue',
        amount: 12,
        kind: 'use',
        reference: 'plan',
      })
      .execute();
    const path = `/api/user/${user.id}/statement/file?month=${current}`;
    const reply = await fetch(app.url + path, {
      headers: { Cookie: admin.cookie, 'New-Api-User': String(admin.id) },
    });
    expect(reply.headers.get('content-type')).toStartWith('text/csv');
    expect(reply.headers.get('content-disposition')).toContain(`statement-${user.id}-${current}`);
    const [head = '', ...lines] = (await reply.text()).replace('\uFEFF', '').trim().split('\r\n');
    const names = cellsOf(head);
    const rows = lines.map((line) =>
      Object.fromEntries(cellsOf(line).map((cell, index) => [names[index], cell])),
    );
    const quota = (section: string) =>
      rows.filter((row) => row['section'] === section).reduce((sum, row) => sum + Number(row['quota']), 0);
    expect(quota('opening') + quota('movement')).toBe(quota('closing'));
    expect(quota('closing')).toBe(1220);
    expect(quota('entry')).toBe(1250);
    expect(quota('model')).toBe(30);
    expect(quota('token')).toBe(30);
    // Together what the balance paid.
    expect([quota('usage'), quota('usage_difference'), quota('usage_paid_by_plan')]).toEqual([30, 12, -12]);
    expect(rows.find((row) => row['section'] === 'closing')?.['usd']).toBe('0.002440');
    const texts = rows.map((row) => row['name'] ?? '').filter((name) => name !== '');
    expect(texts.toSorted()).toEqual(["'+model", "'=1+cmd|x", '\'@SUM(A1), "gift"']);
    faultSeen('S16', 'formulas in names of tokens, models and entries: text in the statement');
    const audited = await app.store.db
      .selectFrom('audit')
      .select('action')
      .where('target', '=', `user:${user.id}`)
      .where('actor_id', '=', admin.id)
      .execute();
    expect(audited.map(({ action }) => action)).toEqual(['statement.export']);
    // Dollars are those of the site (M21).
    await app.settings.set('QuotaPerUnit', '1000000', 0);
    const other = await fetch(app.url + path, {
      headers: { Cookie: admin.cookie, 'New-Api-User': String(admin.id) },
    });
    await app.settings.set('QuotaPerUnit', '500000', 0);
    expect(await other.text()).toContain('0.001220');
  });

  test('more entries than a page lists are counted and summed', async () => {
    const user = await app.actor();
    const { start } = monthSpan(current);
    await book(
      user.id,
      Array.from({ length: 520 }, () => ({ at: start, amount: 2, kind: 'redeem', other: 'world:redeem' })),
    );
    const statement = await expectExact(user, current);
    expect(statement.entries).toHaveLength(500);
    expect(statement).toMatchObject({ entries_total: 520, closing: 1040 });
    expect(statement.lines[1]).toEqual({ kind: 'redeem', account: 'redeem', amount: 1040, count: 520 });
  });
});
