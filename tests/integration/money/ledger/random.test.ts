// Random sequences of many concurrent calls, compared with a simple model of the books: in any order, every unit is
// accounted for. TEST_SEED repeats a run, BILLING_STEPS makes it longer.
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { counterList } from '#server/money/ledger/engine/budgets.ts';
import { bookMove } from '#server/money/ledger/moves.ts';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import { forEachDatabase } from '#tests/support/databases.ts';
import { seed } from '#tests/support/random.ts';
import { randomSource } from '#tests/support/sequence.ts';
import { createWorld, newId, outcome, reserve, type World } from './world.ts';

const steps = Number(process.env['BILLING_STEPS'] ?? 600);
setDefaultTimeout(60_000 + steps * 20);

interface Book {
  userId: number;
  tokenId: number;
  /** Credits, charges, and the most that the token may still spend. */
  credited: number;
  charged: number;
  suspense: number;
  tokenLimit: number;
  /** Counters of budgets, with what calls that name them were charged. */
  budgets: { id: number; quota: number; isHard: boolean; charged: number }[];
}

async function oneLife(world: World, book: Book, random: (below: number) => number): Promise<void> {
  const amount = random(400);
  const counted = book.budgets.filter(() => random(3) === 0);
  const { requestId, admission } = await reserve(
    world.ledger,
    book.userId,
    random(4) === 0 ? 0 : book.tokenId,
    amount,
    { budgets: counterList(counted.map(({ id }) => id)) },
  );
  if (!admission.ok) {
    const reasons = ['insufficient_user_quota', 'insufficient_token_quota', 'token_unavailable'];
    expect([...reasons, 'organization_budget']).toContain(admission.reason);
    return;
  }
  expect(admission.balance).toBeGreaterThanOrEqual(0);
  if (random(3) === 0) world.ledger.dispatched(requestId);
  if (random(3) === 0) await world.ledger.extend(requestId, random(200));
  if (random(2) === 0) await Bun.sleep(random(4));
  const ends = [1, 2, 3].slice(0, 1 + random(3)).map(() => random(4));
  const results = await Promise.all(
    ends.map(async (end) => {
      if (end === 0) return world.ledger.release(requestId).then(() => undefined);
      // Sometimes an upstream uses far more than was held.
      const asked = random(10) === 0 ? amount * 5 : random(amount + 1);
      const settlement = await world.ledger.settle(requestId, outcome(asked));
      // A hold covers its charge, even if other calls were charged meanwhile.
      if (asked <= amount) expect(settlement.suspense).toBe(0);
      return settlement;
    }),
  );
  for (const result of results) {
    if (result === undefined || result.duplicate) continue;
    book.charged += result.charged;
    for (const budget of counted) budget.charged += result.charged;
    book.suspense += result.suspense;
  }
}

async function oneTransfer(world: World, book: Book, random: (below: number) => number): Promise<void> {
  const request = {
    idem: newId(),
    userId: book.userId,
    amount: 1 + random(500),
    kind: 'admin',
    reference: 'random',
  };
  const isCredit = random(2) === 0;
  const result = isCredit
    ? await world.ledger.credit({ ...request, from: 'world:admin' })
    : await world.ledger.debit({ ...request, to: 'world:admin' });
  if (result.ok) book.credited += isCredit ? request.amount : -request.amount;
}

let moves = 0;

/** Between two balances, in both directions at once. */
async function oneMove(world: World, from: Book, to: Book, random: (below: number) => number): Promise<void> {
  if (from === to) return;
  const amount = 1 + random(300);
  moves += 1;
  const move = {
    id: moves,
    from: { id: from.userId, name: 'one' },
    to: { id: to.userId, name: 'other' },
    amount,
    keeps: 0,
  };
  const { store, ledger } = world;
  await ledger.writeHolds(from.userId);
  try {
    await store.db.transaction().execute(async (transaction) => {
      const result = await bookMove(transaction, store.dialect, move);
      if (!result.ok) throw new Refused(result.reason);
    });
  } catch (error) {
    if (error instanceof Refused) return;
    throw error;
  }
  from.credited -= amount;
  to.credited += amount;
}

class Refused extends Error {}

forEachDatabase((_label, open) => {
  describe('random sequences', () => {
    test(`${steps} concurrent calls and corrections of seven users (seed ${seed}) leave every unit accounted for`, async () => {
      const random = randomSource(seed);
      const store = await open();
      const world = await createWorld(store);
      const books: Book[] = [];
      for (let index = 0; index < 7; index += 1) {
        // On PostgreSQL calls of an ample balance are admitted without asking the database.
        const credited = index < 5 ? 5000 : 5_000_000;
        const userId = await world.user(credited);
        const tokenLimit = index % 2 === 0 ? 0 : credited - 2000;
        const columns = tokenLimit === 0 ? {} : { unlimited_quota: 0 as const, remain_quota: tokenLimit };
        const tokenId = await world.token(userId, columns);
        const budgets: Book['budgets'] = [];
        for (const [quota, isHard] of [
          [credited / 2, true],
          [credited * 2, true],
          [1000, false],
        ] as const)
          budgets.push({
            id: await world.counter(userId, { quota, is_hard: isHard ? 1 : 0 }),
            quota,
            isHard,
            charged: 0,
          });
        books.push({ userId, tokenId, credited, charged: 0, suspense: 0, tokenLimit, budgets });
      }
      let left = steps;
      const worker = async () => {
        while (left > 0) {
          left -= 1;
          const book = books[random(books.length)] as Book;
          const other = books[random(books.length)] as Book;
          const kind = random(16);
          if (kind < 2) await oneTransfer(world, book, random);
          else if (kind === 2) await oneMove(world, book, other, random);
          else await oneLife(world, book, random);
        }
      };
      await Promise.all(Array.from({ length: 24 }, worker));

      for (const book of books) {
        const user = await world.findUser(book.userId);
        expect(user).toMatchObject({
          quota: book.credited - book.charged,
          held_quota: 0,
          used_quota: book.charged,
        });
        for (const { id, charged } of book.budgets)
          expect(await world.findCounter(id)).toMatchObject({ spent: charged, held: 0 });
        const token = await world.findToken(book.tokenId);
        expect(token.held_quota).toBe(0);
        if (book.tokenLimit > 0)
          expect(token.remain_quota).toBe(Math.max(0, book.tokenLimit - token.used_quota));
        const missing = await store.db
          .selectFrom('ledger')
          .select('amount')
          .where('user_id', '=', book.userId)
          .where('kind', '=', 'suspense')
          .execute();
        expect(missing.reduce((sum, entry) => sum + entry.amount, 0)).toBe(book.suspense);
      }
      expect(books.reduce((sum, book) => sum + book.charged, 0)).toBeGreaterThan(0);
      expect(await checkInvariants(store)).toEqual([]);
      await world.close();
    });
  });
});
