import { expect, test } from 'bun:test';
import type { Ledger } from '#server/money/ledger/ledger.ts';
import type { PriceSnapshot } from '#server/money/prices/price.ts';
import { usageOf } from '#server/money/prices/usage.ts';
import { Hold } from '#server/relay/money/hold.ts';
import type { BilledCall } from '#server/relay/money/settlement.ts';
import { SessionHold, type HoldServices } from './session-hold.ts';

/** One unit for each token. */
const price: PriceSnapshot = {
  version: 1,
  model: 'm',
  group: 'default',
  groupRatio: 1,
  quotaPerUnit: 500_000,
  source: 'operator',
  kind: 'ratio',
  modelRatio: 1,
  completionRatio: 1,
  cacheRatio: 1,
  cacheWriteRatio: 1,
  cacheWrite1hRatio: 1,
  imageRatio: 1,
  audioRatio: 1,
  audioCompletionRatio: 1,
  reasoningRatio: 1,
};

/** A hold of 100 that may grow to `most`; the ledger answers after a while. */
function holdUpTo(most: number, own = price): { hold: Hold; session: SessionHold; asked: number[] } {
  const asked: number[] = [];
  const ledger = {
    async extend(_call: unknown, more: number) {
      asked.push(more);
      await Bun.sleep(5);
      return hold.amount + more <= most;
    },
  } as Partial<Ledger> as Ledger;
  const hold: Hold = new Hold(ledger, { requestId: 'r' }, 100);
  const services = { ledger } as Partial<HoldServices> as HoldServices;
  const session = new SessionHold(services, { price: own, hold } as Partial<BilledCall> as BilledCall);
  return { hold, session, asked };
}

test('both directions extend one hold one after the other, and hold nothing twice', async () => {
  const { hold, session, asked } = holdUpTo(100_000);
  expect(session.cover(usageOf({ input: 100 }))).toBe(true);
  const [one, other] = [session.cover(usageOf({ input: 500 })), session.cover(usageOf({ input: 600 }))];
  expect(await one).toBe('covered');
  expect(await other).toBe('covered');
  expect(hold.amount).toBe(600 + 1024);
  expect(asked).toEqual([500 + 1024 - 100, 100]);
});

test('a hold grows ahead by speech where that costs more than text (M21)', async () => {
  const { hold, session, asked } = holdUpTo(100_000, {
    ...price,
    completionRatio: 2,
    audioCompletionRatio: 3,
  });
  expect(await session.cover(usageOf({ input: 200 }))).toBe('covered');
  expect(asked).toEqual([200 + 3 * 1024 - 100]);
  expect(session.cover(usageOf({ input: 200, audioOutput: 1024 }))).toBe(true);
  expect(hold.amount).toBe(200 + 3 * 1024);
});

test('near the end of the balance the hold grows to what is needed, and after a refusal no more', async () => {
  const { hold, session, asked } = holdUpTo(500);
  expect(await session.cover(usageOf({ input: 480 }))).toBe('covered');
  expect(hold.amount).toBe(480);
  expect(await session.cover(usageOf({ input: 501 }))).toBe('refused');
  expect(asked).toHaveLength(4);
  expect(await session.cover(usageOf({ input: 490 }))).toBe('refused');
  expect(asked).toHaveLength(4);
});

test('a response that began by itself is held whole, or the session goes on with the hold it has', async () => {
  const { hold, session, asked } = holdUpTo(500);
  expect(session.coverWhole(usageOf({ input: 100 }))).toBe(true);
  expect(await session.coverWhole(usageOf({ input: 400 }))).toBe(true);
  expect(hold.amount).toBe(400);
  expect(await session.coverWhole(usageOf({ input: 501 }))).toBe(false);
  expect(hold.amount).toBe(400);
  expect(asked).toEqual([300, 101]);
  // What is delivered of the response is still held, piece by piece.
  expect(await session.cover(usageOf({ input: 450 }))).toBe('covered');
  expect(hold.amount).toBe(450);
});

test('a session whose hold was refused or could not be asked for gets no larger one for what comes next', async () => {
  const { session, asked } = holdUpTo(500);
  const refused = session.cover(usageOf({ input: 501 }));
  const whole = session.coverWhole(usageOf({ input: 300 }));
  const next = session.cover(usageOf({ input: 200 }));
  const response = session.coverResponse(1000, (tokens) => usageOf({ input: 200, output: tokens }), true);
  expect(await refused).toBe('refused');
  expect(await whole).toBe(false);
  expect(await next).toBe('refused');
  expect(await response).toBe('refused');
  expect(asked).toHaveLength(2);

  const away = {
    async extend() {
      throw new Error('away');
    },
  } as Partial<Ledger> as Ledger;
  const warned: string[] = [];
  const log = { warn: (words: string) => warned.push(words) };
  const hold = new Hold(away, { requestId: 'r' }, 100);
  const cut = new SessionHold(
    { ledger: away, log } as unknown as HoldServices,
    { price, hold } as Partial<BilledCall> as BilledCall,
  );
  expect(await cut.coverWhole(usageOf({ input: 300 }))).toBe(false);
  expect(await cut.cover(usageOf({ input: 200 }))).toBe('unavailable');
  expect(warned).toHaveLength(1);
});

test('a response gets the half, the quarter and so on of its limit that the balance pays for, and 128 tokens at least', async () => {
  const sized = (tokens: number) => usageOf({ input: 100, output: tokens });
  const rich = holdUpTo(100_000);
  expect(await rich.session.coverResponse(1000, sized, true)).toBe(1000);
  expect(rich.hold.amount).toBe(1100);
  expect(rich.session.coverResponse(900, sized, true)).toBe(900);
  const poor = holdUpTo(360);
  expect(await poor.session.coverResponse(1000, sized, true)).toBe(250);
  expect(poor.hold.amount).toBe(350);
  const last = holdUpTo(228);
  expect(await last.session.coverResponse(1000, sized, true)).toBe(128);
  const whole = holdUpTo(1099);
  expect(await whole.session.coverResponse(1000, sized, false)).toBe('refused');
  expect(whole.asked).toEqual([1000]);
});

test('the fee of the call is held and noted for a crash, with what the session costs the operator (M21)', async () => {
  const noted: unknown[] = [];
  const asked: number[] = [];
  const ledger = {
    async extend(_call: unknown, more: number) {
      asked.push(more);
      return true;
    },
    dispatched(_call: unknown, progress: unknown) {
      noted.push(progress);
    },
  } as Partial<Ledger> as Ledger;
  const hold = new Hold(ledger, { requestId: 'r' }, 100);
  const costs = { costOf: (_call: unknown, { input }: { input: number }) => input / 2 };
  const services = { ledger, costs } as unknown as HoldServices;
  // 500 units.
  const withFee: PriceSnapshot = { ...price, fee: 0.001 };
  const call = { price: withFee, hold, record: { channelId: 7 } } as unknown as BilledCall;
  const session = new SessionHold(services, call);
  const usage = usageOf({ input: 80 });
  expect(await session.cover(usage)).toBe('covered');
  expect(asked).toEqual([80 + 500 + 1024 - 100]);
  session.checkpoint({ usage, isEstimated: false, isEmpty: false, doubts: [] });
  expect(noted).toEqual([{ quota: 580, promptTokens: 80, completionTokens: 0, channelId: 7, cost: 40 }]);
});

/** A session of which each end and each checkpoint is noted. */
function watched() {
  const noted: unknown[] = [];
  const ledger = {
    dispatched: (_call: unknown, progress: unknown) => noted.push(['dispatched', progress]),
    settle: async (_call: unknown, outcome: unknown) => void noted.push(['settled', outcome]),
    release: async (_call: unknown, failure: unknown) => void noted.push(['released', failure]),
  } as unknown as Ledger;
  const hold = new Hold(ledger, { requestId: 'r' }, 100);
  const services = {
    ledger,
    settings: { current: { LogConsumeEnabled: false } },
    usageAlerts: { doubted: () => {} },
    health: { answered: (...answer: unknown[]) => noted.push(['answered', ...answer]) },
  } as unknown as HoldServices;
  const attempts = [{ channel: 7, status: 101, milliseconds: 1 }];
  const record = { caller: { group: 'default' }, channelId: 7, model: 'm', attempts };
  const call = { price, hold, record, startedAt: performance.now() } as unknown as BilledCall;
  return { noted, session: new SessionHold(services, call), attempts };
}

test('a session is noted for a crash when its cost has changed, and one that is empty costs nothing', () => {
  const { noted, session } = watched();
  const counted = { isEstimated: true, isEmpty: false, doubts: [] };
  session.checkpoint({ usage: usageOf({ input: 3 }), ...counted, isEmpty: true });
  expect(noted).toEqual([]);
  // A report may be smaller than the estimate before it.
  for (const input of [5, 5, 8, 8, 6]) session.checkpoint({ usage: usageOf({ input }), ...counted });
  session.checkpoint({ usage: usageOf({ input: 6 }), ...counted, isEmpty: true });
  expect(noted).toMatchObject([
    ['dispatched', { quota: 5, channelId: 7 }],
    ['dispatched', { quota: 8, channelId: 7 }],
    ['dispatched', { quota: 6, channelId: 7 }],
    ['dispatched', { quota: 0, channelId: 7 }],
  ]);
});

test('an empty session leaves a failure only where its upstream broke it off', async () => {
  const empty = { usage: usageOf({}), isEstimated: false, isEmpty: true, doubts: [] };
  const left = watched();
  await left.session.end(empty, '', false);
  expect(left.noted).toEqual([
    ['answered', 7, undefined],
    ['released', undefined],
  ]);
  const broken = watched();
  await broken.session.end(empty, 'broken', true);
  expect(broken.noted).toMatchObject([
    ['answered', 7, { requestId: 'r' }],
    ['released', { channelId: 7, modelName: 'm' }],
  ]);
  expect(broken.attempts[0]).toMatchObject({ error: 'stream broken' });
});
