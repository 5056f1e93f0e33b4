import { expect, test } from 'bun:test';
import type { Failure, HoldSnapshot, Ledger } from '#server/money/ledger/ledger.ts';
import { Hold } from './hold.ts';

function holdOf() {
  const seen: unknown[] = [];
  const ledger = {
    extend: async (_call: unknown, more: number) => {
      seen.push(['extend', more]);
      return more < 1000;
    },
    renew: (call: unknown, snapshot: unknown) => void seen.push(['renew', call, snapshot]),
    settle: async () => void seen.push('settle'),
    release: async (_call: unknown, failure: Failure | undefined) => void seen.push(['release', failure]),
  } as unknown as Ledger;
  return { seen, hold: new Hold(ledger, { requestId: 'r' }, 100) };
}
const failure: Failure = { channelId: 1, modelName: 'm', useTimeMs: 5 };

test('a hold that was left open is released, with what failed', async () => {
  const { seen, hold } = holdOf();
  {
    await using left = hold;
    left.failure = failure;
  }
  expect(seen).toEqual([['release', failure]]);
  await hold.release();
  expect(seen).toHaveLength(1);
});

test('a hold that was handed on or settled is not released by its scope', async () => {
  const [stream, whole] = [holdOf(), holdOf()];
  {
    await using handed = stream.hold;
    handed.handOn();
    await using settled = whole.hold;
    await settled.settle({ charge: 5 } as never);
  }
  expect([stream.seen, whole.seen]).toEqual([[], ['settle']]);
});

test('a hold grows by what the ledger has added, and not after its end', async () => {
  const { seen, hold } = holdOf();
  expect([await hold.extend(50), hold.amount]).toEqual([true, 150]);
  expect([await hold.extend(2000), hold.amount]).toEqual([false, 150]);
  await hold.release();
  expect([await hold.extend(50), hold.amount]).toEqual([false, 150]);
  expect(seen).toEqual([
    ['extend', 50],
    ['extend', 2000],
    ['release', undefined],
  ]);
});

test('two attempts that ask for the same amount at once hold it once', async () => {
  const { seen, hold } = holdOf();
  expect(await Promise.all([hold.extendTo(300), hold.extendTo(300), hold.extendTo(250)])).toEqual([
    true,
    true,
    true,
  ]);
  expect(await Promise.all([hold.extendTo(5000), hold.extendTo(300)])).toEqual([false, true]);
  expect(hold.amount).toBe(300);
  expect(seen).toEqual([
    ['extend', 200],
    ['extend', 4700],
  ]);
});

test('a hold that goes on as another model’s keeps that model’s snapshot', () => {
  const { seen, hold } = holdOf();
  const snapshot = { price: {}, log: () => ({}) } as unknown as HoldSnapshot;
  hold.renew(snapshot);
  expect(seen).toEqual([['renew', { requestId: 'r' }, snapshot]]);
});
