// Notes of re-rating in every state that one clause of the audit decides.
import type { NewRow } from '#server/platform/store/schema.ts';
import { nowSeconds, type Books } from './books.ts';
import type { Corruption } from './books.ts';
import { newId } from './world.ts';

type Part = Partial<NewRow<'rerate_parts'>>;
type Call = Partial<NewRow<'rerate_calls'>>;

let serial = 0;

/** A part of a run with one call, both as they should be: 10 less from the balance, 4 less from the subscription, 2 less lost. */
async function part(
  books: Books,
  columns: Part = {},
  call: Call | 'none' = {},
): Promise<NewRow<'rerate_parts'>> {
  const { store, userId, plan, log } = books;
  serial += 1;
  const created_at = nowSeconds();
  const sums = { calls: 1, wallet: -10, plan: -4, suspense: -2 };
  const row = {
    run_id: 50 + serial,
    user_id: userId,
    day: 0,
    part: 0,
    idem: `rerate:${newId()}`,
    created_at,
    ...sums,
    ...columns,
  };
  await store.db.insertInto('rerate_parts').values(row).execute();
  if (call !== 'none') await corrected(books, row, { subscription_id: plan, ...call }, log);
  return row;
}

async function corrected(
  { store }: Books,
  { run_id, user_id, day, part: number, created_at }: NewRow<'rerate_parts'>,
  call: Call,
  log: Books['log'],
): Promise<void> {
  const log_id = call.log_id ?? (await log({ type: 1, quota: 16, created_at }));
  const before = { wallet_before: 20, plan_before: 10, suspense_before: 2 };
  const after = { wallet_after: 10, plan_after: 6, suspense_after: 0 };
  const names = {
    request_id: newId(),
    model_name: '',
    group: '',
    token_id: 0,
    channel_id: 0,
    subscription_id: 0,
  };
  await store.db
    .insertInto('rerate_calls')
    .values({
      run_id,
      log_id,
      user_id,
      day,
      part: number,
      created_at,
      ...names,
      ...before,
      ...after,
      token_change: 0,
      ...call,
    })
    .execute();
}

interface Notes {
  wallet?: object | undefined;
  plan?: object | undefined;
  suspense?: object | undefined;
}

/** The entries of a part; undefined leaves one out. */
async function note(
  { entry, userId, plan }: Books,
  { idem }: NewRow<'rerate_parts'>,
  notes: Notes = {},
): Promise<void> {
  const { wallet, plan: ofPlan, suspense } = { wallet: {}, plan: {}, suspense: {}, ...notes };
  const credit = { kind: 'rerate_credit', debit_account: 'revenue', reference: idem };
  const pocket = `plan:${plan}`;
  if (wallet !== undefined)
    await entry({ ...credit, idem, credit_account: `user:${userId}`, amount: 10, reference: '', ...wallet });
  if (ofPlan !== undefined)
    await entry({ ...credit, idem: `${idem}:plan:${plan}`, credit_account: pocket, amount: 4, ...ofPlan });
  const lost = { kind: 'rerate_suspense', credit_account: 'suspense', amount: 2 };
  if (suspense !== undefined) await entry({ ...credit, ...lost, idem: `${idem}:suspense`, ...suspense });
}

/** One note alone names its part: of the balance, of the subscription, of the loss; an entry of another kind names none. */
const single = ({ userId }: Books): Notes[] => {
  const none = { wallet: undefined, plan: undefined, suspense: undefined };
  const debit = { kind: 'rerate_debit', debit_account: `user:${userId}`, credit_account: 'revenue' };
  return [
    { ...none, wallet: {} },
    { ...none, wallet: debit },
    { ...none, plan: {} },
    { ...none, suspense: {} },
    { ...none, wallet: { kind: 'admin' } },
  ];
};

const noteInvariant = 'notes of re-rating and their entries match one to one';

export const rerateStates: Corruption[] = [
  [
    noteInvariant,
    'notes of every kind, and every kind of wrong one',
    async (books) => {
      const { world, userId, plan } = books;
      const other = await world.user(0);
      const added = {
        wallet_before: 0,
        wallet_after: 10,
        plan_before: 0,
        plan_after: 6,
        suspense_before: 0,
        suspense_after: 2,
      };
      const debit = { kind: 'rerate_debit', debit_account: `user:${userId}`, credit_account: 'revenue' };
      // Lawful: less, more, and a part without notes.
      await note(books, await part(books));
      const more = await part(books, { wallet: 10, plan: 6, suspense: 2 }, added);
      await note(books, more, {
        wallet: debit,
        plan: { ...debit, debit_account: `plan:${plan}`, amount: 6 },
        suspense: { debit_account: 'suspense', credit_account: 'revenue' },
      });
      await part(books, { calls: 0, wallet: 0, plan: 0, suspense: 0 }, 'none');
      // Wrong in one pocket.
      const wrong: Notes[] = [
        { wallet: undefined },
        { wallet: { amount: 9 } },
        { wallet: { kind: 'admin' } },
        { wallet: { user_id: other } },
        { wallet: debit },
        { plan: undefined },
        { plan: { amount: 3 } },
        { plan: { kind: 'admin' } },
        { plan: { user_id: other } },
        { plan: { ...debit, debit_account: `plan:${plan}` } },
        { suspense: undefined },
        { suspense: { amount: 1 } },
        { suspense: { kind: 'admin' } },
        { suspense: { user_id: other } },
        { suspense: { debit_account: 'suspense', credit_account: 'revenue' } },
      ];
      for (const notes of wrong) await note(books, await part(books), notes);
      // Notes of a part that booked nothing, of the part of another user, and of no part.
      await note(books, await part(books, { state: 'changed' }));
      await note(books, await part(books, { user_id: other }));
      await note(books, {
        run_id: 1,
        user_id: userId,
        day: 0,
        part: 0,
        idem: `rerate:${newId()}`,
        created_at: 1,
      });
      await note(books, { run_id: 1, user_id: userId, day: 0, part: 0, idem: newId(), created_at: 1 });
      for (const notes of single(books)) await note(books, await part(books), notes);
      await part(books);
      // The note of a subscription belongs to the calls of its own part.
      for (const elsewhere of [{ run_id: 9 }, { user_id: 9 }, { day: 9 }, { part: 9 }]) {
        const moved = await part(books, {}, 'none');
        await corrected(books, { ...moved, ...elsewhere }, { subscription_id: plan }, books.log);
        await note(books, moved);
      }
    },
  ],
  [
    'a note of re-rating is the sum of its corrected calls',
    'parts that differ from their calls in one column',
    async (books) => {
      await note(books, await part(books));
      for (const columns of [{ calls: 2 }, { wallet: -9 }, { plan: -3 }, { suspense: -1 }]) {
        const row = await part(books, columns);
        const amountOf = (amount: number | undefined) => ({ amount: Math.abs(amount ?? 0) });
        await note(books, row, {
          wallet: amountOf(row.wallet),
          plan: amountOf(row.plan),
          suspense: amountOf(row.suspense),
        });
        await part(books, columns);
      }
      for (const notes of single(books)) await note(books, await part(books, { calls: 2 }), notes);
      for (const elsewhere of [{ run_id: 9 }, { user_id: 9 }, { day: 9 }, { part: 9 }]) {
        const row = await part(books, {}, 'none');
        await corrected(books, { ...row, ...elsewhere }, {}, books.log);
        await note(books, row);
      }
    },
  ],
  [
    'a corrected log row shows its last correction',
    'log rows that show an older correction, or none',
    async (books) => {
      const { store, log, userId } = books;
      // One time for all: a log row and its correction belong together by their second too.
      const created_at = nowSeconds();
      let booking = 100;
      const run = async () => {
        booking += 1;
        const times = { created_at: 1, created_by: 1, from_at: 0, to_at: 1 };
        const { id } = await store.db
          .insertInto('rerate_runs')
          .values({ ...times, state: 'applied', booking })
          .returning('id')
          .executeTakeFirstOrThrow();
        return id;
      };
      const shown = async (quota: number, columns: Part = {}, call: Call = {}, notes: Notes = {}) => {
        const log_id = await log({ type: 1, quota, created_at, user_id: userId });
        const row = await part(books, { run_id: await run(), created_at, ...columns }, { log_id, ...call });
        await note(books, row, notes);
      };
      await shown(16);
      await shown(15);
      for (const notes of single(books)) await shown(15, {}, {}, notes);
      // Two corrections of one call: the later one counts.
      const log_id = await log({ type: 1, quota: 7, created_at });
      const before = { log_id, wallet_after: 10, plan_after: 6 };
      await note(books, await part(books, { run_id: await run(), created_at }, before));
      await note(
        books,
        await part(books, { run_id: await run(), created_at }, { log_id, wallet_after: 3, plan_after: 4 }),
      );
      // The same two the other way round: the log row shows the older one.
      const second = await log({ type: 1, quota: 16, created_at });
      await note(
        books,
        await part(books, { run_id: await run(), created_at }, { ...before, log_id: second }),
      );
      await note(
        books,
        await part(
          books,
          { run_id: await run(), created_at },
          { log_id: second, wallet_after: 3, plan_after: 4 },
        ),
      );
      // A call of another time under the same number, a run that is gone, and calls of other parts.
      await shown(15, {}, { created_at: 5 });
      await shown(15, { run_id: 9999 });
      for (const elsewhere of [{ run_id: 9998 }, { user_id: 9 }, { day: 9 }, { part: 9 }]) {
        const row = await part(books, { run_id: await run() }, 'none');
        const other = await log({ type: 1, quota: 15, created_at: row.created_at });
        await corrected(books, { ...row, ...elsewhere }, { log_id: other }, log);
        await note(books, row);
      }
    },
  ],
];
