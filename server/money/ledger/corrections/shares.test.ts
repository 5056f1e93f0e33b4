import { describe, expect, test } from 'bun:test';
import { payable, priceOf, sharesAt, type Shares } from './shares.ts';

const shares = (wallet: number, plan = 0, suspense = 0): Shares => ({ wallet, plan, suspense });

describe('the shares of a corrected price', () => {
  test('a lower price ends the loss first, then gives back to the balance, then to the subscription', () => {
    expect(sharesAt(shares(50, 40, 30), 100)).toEqual(shares(50, 40, 10));
    expect(sharesAt(shares(50, 40, 30), 60)).toEqual(shares(20, 40, 0));
    expect(sharesAt(shares(50, 40, 30), 10)).toEqual(shares(0, 10, 0));
    expect(sharesAt(shares(50, 40, 30), 0)).toEqual(shares(0, 0, 0));
  });

  test('a higher price is paid by the subscription that paid before, else by the balance', () => {
    expect(sharesAt(shares(50), 70)).toEqual(shares(70));
    expect(sharesAt(shares(10, 40), 70)).toEqual(shares(10, 60));
  });

  test('a balance that got back the part of an ended period keeps it', () => {
    expect(sharesAt(shares(-40, 100), 30)).toEqual(shares(-40, 70));
    expect(sharesAt(shares(-40, 100), 80)).toEqual(shares(-40, 120));
  });
});

describe('what pockets can pay', () => {
  const correction = (before: Shares, wanted: Shares, pocketId = 0) => ({
    before,
    wanted,
    pocketId,
  });

  test('what is given back in a note pays for its other calls', () => {
    const pockets = { wallet: 0, plans: new Map<number, number>() };
    const calls = [correction(shares(10), shares(90)), correction(shares(60), shares(10))];
    expect(payable(calls, pockets, 'wallet')).toEqual([shares(60, 0, 30), shares(10)]);
    expect(pockets.wallet).toBe(0);
  });

  test('what a call gives back to a subscription pays for another call of the same note (M21)', () => {
    const pockets = { wallet: 0, plans: new Map([[3, 0]]) };
    const calls = [correction(shares(0, 20), shares(0, 60), 3), correction(shares(0, 90), shares(0, 40), 3)];
    expect(payable(calls, pockets, 'wallet')).toEqual([shares(0, 60), shares(0, 40)]);
    expect(pockets).toEqual({ wallet: 0, plans: new Map([[3, 10]]) });
  });

  test('a subscription whose period is over gives back to the balance and takes from it', () => {
    const pockets = { wallet: 25, plans: new Map<number, number>() };
    expect(payable([correction(shares(0, 100), shares(0, 60))], pockets, 'wallet')).toEqual([
      shares(-40, 100),
    ]);
    expect(pockets.wallet).toBe(65);
    expect(payable([correction(shares(0, 100), shares(0, 200))], pockets, 'wallet')).toEqual([
      shares(65, 100, 35),
    ]);
  });

  test('an undo takes what the subscription no longer has from the operator, not from the balance', () => {
    const pockets = { wallet: 1000, plans: new Map([[3, 10]]) };
    expect(payable([correction(shares(0, 60), shares(0, 100), 3)], pockets, 'suspense')).toEqual([
      shares(0, 70, 30),
    ]);
    expect(pockets).toEqual({ wallet: 1000, plans: new Map([[3, 0]]) });
  });

  test('the price is the same whoever pays', () => {
    for (const wallet of [0, 7, 500])
      for (const free of [0, 9, 500]) {
        const calls = [
          correction(shares(10, 20, 5), sharesAt(shares(10, 20, 5), 120), 3),
          correction(shares(40), sharesAt(shares(40), 3)),
          correction(shares(0, 50), sharesAt(shares(0, 50), 90), 4),
        ];
        const paid = payable(calls, { wallet, plans: new Map([[3, free]]) }, 'wallet');
        expect(paid.map(priceOf)).toEqual([120, 3, 90]);
      }
  });
});
