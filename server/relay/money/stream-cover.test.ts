// The hold of a stream is ahead of what its answer can have cost, by output and by time.
import { expect, test } from 'bun:test';
import type { Exposure } from './exposure.ts';
import type { Hold } from './hold.ts';
import { firstSliceTokens, StreamCover } from './stream-cover.ts';

/** One unit a token, so many tokens a second, a limit of 10,000, and a balance. */
function coverOf(balance: number, mayHideOutput = true, tokensPerSecond = 500) {
  const hold = {
    amount: 1024,
    extend: async (more: number) => {
      if (more > balance) return false;
      balance -= more;
      // The hold grows when the ledger has answered.
      await Bun.sleep(1);
      hold.amount += more;
      return true;
    },
    extendTo: async (amount: number): Promise<boolean> =>
      amount <= hold.amount || (await hold.extend(amount - hold.amount)),
  };
  const exposure = {
    outputTokens: 10_000,
    tokensPerSecond,
    hiddenTokensPerSecond: 50,
    mayHideOutput,
    tokensFor: (amount: number, most: number) => Math.min(amount, most),
    costOf: (tokens: number) => tokens,
  };
  const cover = new StreamCover(hold as unknown as Hold, exposure as unknown as Exposure);
  cover.begin(1000);
  return { cover, hold };
}

test('the first hold of a stream that may be silent lasts until it is visited, at the top speed (M11)', () => {
  const first = (tokensPerSecond: number, mayBeSilent: boolean, choices = 1) =>
    firstSliceTokens({ tokensPerSecond, mayBeSilent } as Exposure, choices);
  expect(first(500, true)).toBe(1024);
  expect(first(4000, true)).toBe(4000);
  expect(first(4000, false)).toBe(1024);
  expect(first(500, false, 3)).toBe(3072);
});

test('a silent stream of a fast model holds what comes until its next visit, or ends (M11)', async () => {
  const { cover, hold } = coverOf(7000, true, 4000);
  cover.visit(2000, true);
  expect(await cover.covers(0)).toBe(true);
  expect(hold.amount).toBe(8000);
  // Of 8,024 there is no more left than 24.
  cover.visit(2100, true);
  expect(await cover.covers(0)).toBe(false);
  const seen = coverOf(7000, true, 4000);
  seen.cover.visit(2000, false);
  expect(await seen.cover.covers(900)).toBe(true);
  expect(seen.hold.amount).toBeLessThan(4000);
});

test('hidden time makes the hold grow at the top speed, up to the limit and no further', async () => {
  const { cover, hold } = coverOf(1_000_000);
  expect(cover.visit(3000, true)).toBe(true);
  expect(cover.possibleTokens(0)).toBe(1000);
  expect(await cover.covers(0)).toBe(true);
  expect(hold.amount).toBeGreaterThanOrEqual(1000 + 512);
  cover.visit(100_000, true);
  expect(cover.possibleTokens(0)).toBe(10_000);
  expect(await cover.covers(0)).toBe(true);
  expect(hold.amount).toBe(10_000);
});

test('an upstream that ignores the limit is covered for all that it delivered (M21)', async () => {
  const { cover, hold } = coverOf(1_000_000);
  expect(cover.possibleTokens(12_000)).toBe(12_000);
  expect(await cover.covers(12_000)).toBe(true);
  expect(hold.amount).toBe(12_000);
});

test('visible time makes it grow by what was delivered only, and a new attempt begins at nothing', async () => {
  const { cover, hold } = coverOf(1_000_000);
  expect(cover.visit(60_000, false)).toBe(false);
  expect(cover.possibleTokens(300)).toBe(300);
  expect(await cover.covers(300)).toBe(true);
  expect(hold.amount).toBe(1024);
  cover.visit(62_000, true);
  expect(cover.possibleTokens(300)).toBe(1300);
  cover.begin(62_000);
  expect(cover.possibleTokens(0)).toBe(0);
});

test('output and time extend one hold after the other, and a refusal is final', async () => {
  const { cover, hold } = coverOf(3000);
  cover.visit(5000, true);
  expect(await Promise.all([cover.covers(10), cover.covers(20)])).toEqual([true, true]);
  // Two seconds of hidden output, what was delivered, and half a slice: the second one finds enough.
  expect(hold.amount).toBe(2000 + 10 + 512);
  cover.visit(60_000, true);
  expect(await cover.covers(20)).toBe(false);
  expect(await cover.covers(20)).toBe(false);
});

test('a call that ends without a report pays a slow model’s speed for its hidden time, if its model hides any', () => {
  const { cover } = coverOf(0);
  cover.visit(11_000, true);
  expect(cover.hiddenTokens(7)).toBe(500);
  // No more than its hold of 1,024 pays for, with what was delivered.
  expect(cover.hiddenTokens(600)).toBe(424);
  expect(cover.hiddenTokens(1100)).toBe(0);
  const plain = coverOf(0, false).cover;
  plain.visit(11_000, true);
  expect(plain.hiddenTokens(7)).toBe(0);
});

test('an upstream is believed what was delivered, a slice, and what it could produce since', () => {
  const { cover } = coverOf(0);
  cover.visit(2000, true);
  expect(cover.believableTokens(40, 3000)).toBe(40 + 1024 + 1000);
});

test('while the database is away a stream goes on as long as its hold covers what was delivered', async () => {
  const { cover, hold } = coverOf(1_000_000);
  const { extend } = hold;
  hold.extend = () => Promise.reject(new Error('away'));
  cover.visit(60_000, true);
  expect(await cover.covers(1000)).toBe(true);
  expect(await Promise.resolve(cover.covers(1100)).catch(String)).toBe('Error: away');
  // Afterwards it is asked for again.
  hold.extend = extend;
  expect(await cover.covers(1100)).toBe(true);
  expect(hold.amount).toBe(10_000);
});

test('steps double up to sixteen thousand tokens and no further', async () => {
  const { cover, hold } = coverOf(10_000_000);
  const exposure = {
    outputTokens: 1_000_000,
    tokensPerSecond: 500,
    costOf: (tokens: number) => tokens,
  } as unknown as Exposure;
  const long = new StreamCover(hold as unknown as Hold, exposure);
  const ahead: number[] = [];
  for (let delivered = 1000; ahead.length < 7; delivered = hold.amount) {
    expect(await long.covers(delivered)).toBe(true);
    ahead.push(hold.amount - delivered);
  }
  expect(ahead).toEqual([2048, 4096, 8192, 16_384, 16_384, 16_384, 16_384]);
  expect(cover.possibleTokens(0)).toBe(0);
});

test('time before the request is sent is no hidden time', () => {
  const hold = { amount: 1024 } as unknown as Hold;
  const exposure = { outputTokens: 10_000, tokensPerSecond: 500 } as unknown as Exposure;
  const cover = new StreamCover(hold, exposure);
  cover.visit(90_000, true);
  expect(cover.possibleTokens(0)).toBe(0);
  expect(cover.believableTokens(0, 91_000)).toBe(1024 + 500);
});
