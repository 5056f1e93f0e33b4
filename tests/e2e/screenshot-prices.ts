// Prices with a history, corrected charges, suppliers with buy prices, scores and bills, for the screens of these pages.
import { sql } from 'kysely';
import { allowThePast, DAY, moveBack } from '#tests/integration/money/rerating/world.ts';
import type { Actor, TestApplication } from '#tests/support/application.ts';
import { countAnswers } from '#tests/support/supplier-counts.ts';
import { Supplier } from '#tests/support/supplier.ts';

const HOUR = 3600;
const now = () => Math.floor(Date.now() / 1000);

/** What each channel costs, for a unit of what it brought; the others have no buy price. */
const COSTS = { 1: 0.71, 2: 0.66, 4: 0.84, 5: 0.58, 6: 1.18 } as const;

export async function trade(app: TestApplication, admin: Actor, people: readonly Actor[]): Promise<void> {
  await allowThePast(app.store);
  await buy(app, admin);
  await changePrices(app, admin);
  await correct(app, admin, people);
  await judge(app, admin);
  await app.client(admin).adminKeys.createForSite({ body: { name: 'FinOps dashboard' } });
  await app.client(admin).adminKeys.create({ body: { name: 'notebook' } });
}

async function buy(app: TestApplication, admin: Actor): Promise<void> {
  const { store } = app;
  const { channelCosts } = app.client(admin);
  const price = JSON.stringify({ kind: 'list', multiplier: 0.7, recharge_rate: 1 });
  const { id } = await channelCosts.createSupplier({ body: { name: 'North Reseller', buy_price: price } });
  const plan = JSON.stringify({ kind: 'plan', monthly_fee: 200, multiplier: 0 });
  const { id: other } = await channelCosts.createSupplier({
    body: { name: 'Harbour Direct', buy_price: plan },
  });
  const channels = store.db.updateTable('channels');
  await channels.set({ supplier_id: id }).where('id', 'in', [1, 2, 4, 5]).execute();
  await channels.set({ supplier_id: other }).where('id', '=', 6).execute();
  await store.changes.announce('channels');
  const factor = sql.join(
    Object.entries(COSTS).map(([channel, cost]) => sql`when ${sql.lit(Number(channel))} then ${cost}`),
    sql` `,
  );
  const isKnown = sql`channel_id in (${sql.join(Object.keys(COSTS).map(Number))})`;
  await sql`insert into margin_days (day, channel_id, model_name, "group", user_id, count, quota, cost, costed_count,
      costed_quota)
    select hour - hour % ${sql.lit(DAY)}, channel_id, model_name, users."group", user_id, sum(count),
      sum(usage_hours.quota), cast(sum(usage_hours.quota) * (case channel_id ${factor} else 0 end) as integer),
      case when ${isKnown} then sum(count) else 0 end, case when ${isKnown} then sum(usage_hours.quota) else 0 end
    from usage_hours join users on users.id = usage_hours.user_id group by 1, 2, 3, 4, 5`.execute(store.db);
}

async function changePrices(app: TestApplication, admin: Actor): Promise<void> {
  const { priceBook } = app.client(admin);
  const draftOf = async (reason: string, prices: Record<string, unknown>) => {
    const { id, revision } = await priceBook.createDraft({ body: { reason } });
    return await priceBook.changeDraft({ params: { id }, body: { revision, prices } });
  };
  const publish = async ({ id, revision }: { id: number; revision: number }) => {
    const { running } = await priceBook.draft({ params: { id } });
    await priceBook.publish({ params: { id }, body: { revision, over: running } });
  };
  await publish(await draftOf('Autumn prices', { ModelRatio: { 'gpt-4o': 1.4, 'gpt-4o-mini': 0.09 } }));
  await publish(
    await draftOf('Discount for vip; gpt-4o was a typing mistake', {
      ModelRatio: { 'gpt-4o': 1.25, 'gpt-4o-mini': 0.09 },
      GroupRatio: { default: 1, vip: 0.9, svip: 0.8 },
    }),
  );
  const later = await draftOf('New year', { ModelRatio: { 'gpt-4o': 1.2, 'gpt-4o-mini': 0.08 } });
  const publish_at = now() + 46 * DAY;
  await priceBook.schedule({
    params: { id: later.id },
    body: { revision: later.revision, publish_at },
  });
  await draftOf('Dearer reasoning', {
    ModelRatio: { 'gpt-4o': 1.5, 'gpt-4o-mini': 0.09, 'claude-opus-4-5': 3 },
    CompletionRatio: { 'gpt-4o': 4.5 },
  });
  await priceBook.importList({
    body: {
      origin: 'https://models.dev/api.json',
      shape: 'models.dev',
      models: [
        { model: 'gpt-4o', input: 2, output: 8, cacheRead: 1 },
        { model: 'claude-sonnet-4-5', input: 2.8, output: 14, cacheRead: 0.28 },
        { model: 'gemini-2.5-flash', input: 0.25, output: 2 },
        { model: 'deepseek-chat', input: 0.28, output: 0.42 },
      ],
    },
  });
}

/** Calls of the last days, one correction that was undone, one that is booked, and a dry run. */
async function correct(app: TestApplication, admin: Actor, people: readonly Actor[]): Promise<void> {
  for (const [index, user] of people.slice(0, 3).entries()) {
    const body = { name: `night-${index}`, unlimited_quota: true };
    const [token] = await app.client(user).tokens.create({ body });
    for (let call = 0; call < 6; call += 1)
      await fetch(`${app.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { Authorization: `Bearer sk-${token?.key}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({
          model: call % 3 === 0 ? 'gpt-4o-mini' : 'gpt-4o',
          messages: [{ role: 'user', content: 'What is a toll gate? '.repeat(900 * (call + 1)) }],
        }),
      }).then((response) => response.text());
  }
  const made = await app.store.db
    .selectFrom('logs')
    .select('request_id')
    .where('token_name', 'like', 'night-%')
    .execute();
  for (const [index, { request_id }] of made.entries())
    await moveBack(app.store, request_id, (1 + (index % 4)) * DAY);
  const { rerating } = app.client(admin);
  const [newest] = await rerating.versions();
  const to_at = now() - (now() % HOUR);
  const charged_version = newest?.id ?? 2;
  const inState = async (id: number, state: string) => {
    for (;;) {
      const run = await rerating.read({ params: { id } });
      if (run.state === state) return run;
      await Bun.sleep(50);
    }
  };
  const dryRun = async (reason: string, models: string[] = []) => {
    const { id } = await rerating.create({
      body: {
        from_at: to_at - 7 * DAY,
        to_at,
        version_id: charged_version - 1,
        // Leaves out the log rows that no ledger knows.
        charged_version,
        models,
        reason,
      },
    });
    return await inState(id, 'ready');
  };
  const first = await dryRun('gpt-4o was charged by an old price');
  await rerating.apply({ params: { id: first.id }, body: first });
  await inState(first.id, 'applied');
  await rerating.undo({ params: { id: first.id }, body: { reason: 'The wrong version was taken' } });
  await inState(first.id, 'undone');
  const second = await dryRun('gpt-4o-mini was charged by an old price', ['gpt-4o-mini']);
  await rerating.apply({ params: { id: second.id }, body: second });
  await inState(second.id, 'applied');
  await dryRun('gpt-4o again, before the new year', ['gpt-4o']);
}

async function judge(app: TestApplication, admin: Actor): Promise<void> {
  const { suppliers } = app.client(admin);
  await countAnswers(app, [
    { channelId: 1, supplier: new Supplier(12) },
    { channelId: 2, supplier: new Supplier(11, { inflation: 1.3, cut: 0.12, fakeCache: 0.6 }) },
    { channelId: 4, supplier: new Supplier(13), model: 'claude-sonnet-4-5' },
    { channelId: 5, supplier: new Supplier(14), model: 'gemini-2.5-flash', calls: 12 },
  ]);
  await suppliers.trust({ params: { id: 1 }, body: { is_trusted: true } });
  await app.store.db
    .insertInto('supplier_probes')
    .values(
      (
        [
          ['tokens-of-word', 'strawberry → 3', 'strawberry → 3', 'agrees'],
          ['cut-off-date', 'June 2024', 'October 2023', 'differs'],
          ['prime-list', '2, 3, 5, 7, 11, 13', '', 'unknown'],
        ] as const
      ).map(([question, answer, expected, verdict], index) => ({
        channel_id: 2,
        model: 'gpt-4o',
        question,
        answer,
        expected,
        verdict,
        cost: 40,
        created_at: now() - index * 700,
      })),
    )
    .execute();
  const used = await app.store.db
    .selectFrom('usage_hours')
    .select(({ fn }) => ['model_name', fn.sum<number>('count').as('calls')])
    .select(({ fn }) => fn.sum<number>('prompt_tokens').as('input'))
    .select(({ fn }) => fn.sum<number>('completion_tokens').as('output'))
    .select(sql<number>`hour - hour % ${sql.lit(DAY)}`.as('day'))
    .where('channel_id', '=', 1)
    .where('hour', '>=', now() - 6 * DAY)
    .groupBy(['model_name', 'day'])
    .orderBy('day')
    .execute();
  const csv = [
    'date,sku,requests,tokens in,tokens out,amount',
    ...used.map(({ day, model_name, calls, input, output }, index) =>
      [
        new Date(day * 1000).toISOString().slice(0, 10),
        model_name,
        calls,
        input + (index % 3) * 900,
        output,
        ((calls * 0.0041 * (100 + (index % 3) * 4)) / 100).toFixed(4),
      ].join(','),
    ),
    `${new Date(now() * 1000).toISOString().slice(0, 10)},gpt-5-preview,4,9000,800,0.4100`,
  ].join('\n');
  await suppliers.importBill({
    body: {
      name: 'North Reseller, November',
      shape: 'own',
      mapping: {
        day: 'date',
        model: 'sku',
        requests: 'requests',
        input_tokens: 'tokens in',
        output_tokens: 'tokens out',
        cost: 'amount',
      },
      channel_ids: [1],
      csv,
    },
  });
}
