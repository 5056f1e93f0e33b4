// What this process believes of a balance while operations are on their way, after their answers, and after answers that were lost: to
// the unit. The writer is played: a test says what it answers, and when.
import { beforeEach, describe, expect, test } from 'bun:test';
import type { Settlement } from '#server/money/ledger/backend.ts';
import type { SettleResult } from '#server/money/ledger/engine/operations.ts';
import { RunningCall } from '#server/money/ledger/running-call.ts';
import type { SpooledOperation } from '#server/money/ledger/spool-lines.ts';
import type { Writer } from '#server/platform/store/types.ts';
import { callOf } from '#tests/integration/money/ledger/world.ts';
import { SentCalls } from './calls.ts';
import { decodeSettle } from './messages.ts';

const BALANCE = 10_000;
const [USER, TOKEN] = [7, 8];
const size = (ofUser: number) => ({ ofUser, ofToken: null, expiresAt: -1 });

interface Sent {
  name: string;
  message: unknown;
  text: string;
  /** Undefined: the operation failed. */
  answer(result: unknown): void;
}

let sent: Sent[];
let calls: SentCalls;
beforeEach(() => {
  sent = [];
  const run = (
    name: string,
    message: unknown,
    {
      text = '',
      onResult = (result: unknown) => result,
    }: { text?: string; onResult?: (r: unknown) => unknown } = {},
  ) =>
    new Promise((resolve, reject) => {
      sent.push({
        name,
        message,
        text,
        answer(result) {
          const value = onResult(result);
          if (result === undefined) reject(new Error('lost'));
          else resolve(value);
        },
      });
    });
  calls = new SentCalls({ run } as unknown as Writer);
  calls.slices.learn(newCall(0), size(BALANCE));
});

const newCall = (amount: number, userId = USER, tokenId = TOKEN) =>
  new RunningCall(callOf(userId, tokenId, amount));
/** What a call would find free now; undefined: the database would be asked. */
function free(): number | undefined {
  const call = newCall(0);
  const found = calls.slices.admit(call);
  if (found !== undefined) calls.slices.take(call);
  return found;
}
/** What is still counted as held or on its way, once the database has named the balance again. */
function pending(): number {
  calls.slices.beginForeignWrite();
  calls.slices.endForeignWrite();
  calls.slices.learn(newCall(0), size(BALANCE));
  return BALANCE - (free() ?? 0);
}
function inMemory(amount: number): RunningCall {
  const call = newCall(amount);
  expect(calls.slices.admit(call)).toBeDefined();
  return call;
}
async function withRow(amount: number): Promise<RunningCall> {
  const call = inMemory(amount);
  const writing = calls.writeRows([call]);
  sent.pop()?.answer(null);
  await writing;
  return call;
}
const last = (): Sent => {
  const found = sent.at(-1);
  if (found === undefined) throw new Error('nothing was sent');
  return found;
};
const settlement = (call: RunningCall, charge: number): Settlement => ({
  requestId: call.requestId,
  at: 0,
  charge,
  tokenDifference: 0,
  channelId: 1,
  modelName: 'm',
  promptTokens: 0,
  completionTokens: 0,
  useTimeMs: 0,
  firstTokenMs: 0,
  errorCount: 0,
  log: null,
  owner: call,
  held: call.amount,
});
const settled = (charged: number, more: Partial<SettleResult> = {}): SettleResult => ({
  charged,
  balance: 0,
  suspense: 0,
  aboveHold: 0,
  duplicate: false,
  hadHold: true,
  tokenStatus: 0,
  ...more,
});

describe('a row', () => {
  test('is written once, and its hold stays taken', async () => {
    const call = inMemory(300);
    expect(free()).toBe(BALANCE - 300);
    const writing = calls.writeRows([call, newCall(50)]);
    expect(last()).toMatchObject({
      name: 'ledger.writeHolds',
      message: [{ requestId: call.requestId, amount: 300 }],
    });
    expect([free(), call.isInMemory]).toEqual([BALANCE - 300, false]);
    await calls.writeRows([call]);
    expect(sent).toHaveLength(1);
    last().answer(null);
    await writing;
    expect([free(), pending()]).toEqual([BALANCE - 300, 0]);
  });

  test('that could not be written is a hold in memory again', async () => {
    const call = inMemory(300);
    const writing = calls.writeRows([call]);
    last().answer(undefined);
    expect(await writing.catch(() => 'lost')).toBe('lost');
    expect([call.isInMemory, free(), pending()]).toEqual([true, undefined, 300]);
  });
});

describe('a hold by the database', () => {
  test('takes what it was given, and gives back the rest of what it asked for', async () => {
    const call = newCall(400);
    const reserving = calls.reserve(call, 'snapshot');
    expect(last()).toMatchObject({ name: 'ledger.reserve', message: { amount: 400, snapshot: 'snapshot' } });
    expect(free()).toBe(BALANCE - 400);
    last().answer({ result: { ok: true, amount: 250 }, size: null });
    expect(await reserving).toMatchObject({ ok: true, amount: 250 });
    expect([free(), pending()]).toEqual([BALANCE - 250, 0]);
  });

  test('that is refused takes nothing; of a task it is another message', async () => {
    const task = new RunningCall({ ...callOf(USER, TOKEN, 400), lifetime: 'task' });
    const reserving = calls.reserve(task, '');
    expect(last().name).toBe('ledger.reserveTask');
    last().answer({ result: { ok: false, reason: 'insufficient_user_quota' }, size: null });
    expect(await reserving).toMatchObject({ ok: false });
    expect([free(), pending()]).toEqual([BALANCE, 0]);
  });

  test('names the balance, and without an answer nothing is believed', async () => {
    const lost = calls.reserve(newCall(400), '');
    last().answer(undefined);
    expect(await lost.catch(() => 'lost')).toBe('lost');
    expect(free()).toBeUndefined();
    const named = calls.reserve(newCall(100), '');
    last().answer({ result: { ok: true, amount: 100 }, size: size(4000) });
    await named;
    expect(free()).toBe(4000);
  });

  test('that a subscription may pay is not followed', async () => {
    const call = new RunningCall({
      ...callOf(USER, TOKEN, 400),
      plans: { ids: [1], isPlanFirst: true } as never,
    });
    const reserving = calls.reserve(call, '');
    last().answer({ result: { ok: true, amount: 400 }, size: null });
    await reserving;
    expect([free(), pending()]).toEqual([undefined, 0]);
  });
});

describe('an extension', () => {
  test('of a hold in memory is sent after its row, and is in the amount of the call afterwards', async () => {
    const call = inMemory(300);
    const beside = inMemory(50);
    const extending = calls.extend(call.requestId, 45, call);
    expect(sent.map(({ name }) => name)).toEqual(['ledger.writeHolds', 'ledger.extend']);
    expect(last().message).toMatchObject({ moreAmount: 45, memoryHeld: { user: 50, token: 50 } });
    expect(free()).toBe(BALANCE - 395);
    sent[0]?.answer(null);
    last().answer(true);
    expect(await extending).toBe(true);
    expect([call.amount, free(), pending()]).toEqual([345, BALANCE - 395, beside.amount]);
  });

  test.each([
    [false, false, BALANCE - 300],
    [undefined, 'lost', undefined],
  ])('with the answer %p takes nothing more', async (answer, result, left) => {
    const call = await withRow(300);
    const extending = calls.extend(call.requestId, 45, call).catch(() => 'lost');
    last().answer(answer);
    expect(await extending).toBe(result);
    expect([call.amount, free(), pending()]).toEqual([300, left, 0]);
  });
});

describe('a settlement', () => {
  test.each([
    ['below the hold', 120],
    ['of the whole hold', 300],
    ['above the hold', 420],
  ])('%s takes what was charged, with a row and without', async (_, charge) => {
    for (const begin of [inMemory, withRow]) {
      calls.slices.learn(newCall(0), size(BALANCE));
      const start = free() ?? 0;
      const call = await begin(300);
      const before = free() ?? 0;
      const done = calls.settle(settlement(call, charge), call, (result) => result);
      // Until the answer nothing is free that the charge may still take.
      expect(free()).toBe(before - Math.max(0, charge - 300));
      const { message, text } = last();
      const read = decodeSettle(JSON.parse(JSON.stringify(message)), text);
      expect(read.slice).toEqual(begin === inMemory ? { id: '', amount: 300 } : undefined);
      last().answer(settled(charge));
      expect(await done).toMatchObject({ charged: charge });
      expect([free(), call.isInMemory]).toEqual([start - charge, false]);
    }
    expect(pending()).toBe(0);
  });

  test('of an extended hold takes what was charged', async () => {
    const call = await withRow(300);
    const extending = calls.extend(call.requestId, 45, call);
    last().answer(true);
    await extending;
    const done = calls.settle(settlement(call, 320), call, (result) => result);
    expect(free()).toBe(BALANCE - 345);
    last().answer(settled(320));
    await done;
    expect([free(), pending()]).toEqual([BALANCE - 320, 0]);
  });

  test('whose hold was gone, or that a subscription paid, makes the balance unknown', async () => {
    const call = await withRow(300);
    const done = calls.settle(settlement(call, 320), call, (result) => result);
    last().answer(settled(320, { hadHold: false }));
    await done;
    expect([free(), pending()]).toEqual([undefined, 0]);
  });

  test('that fails leaves the hold as it was, and has no result', async () => {
    for (const [begin, kept] of [
      [inMemory, 300],
      [withRow, 0],
    ] as const) {
      calls.slices.learn(newCall(0), size(BALANCE));
      const call = await begin(300);
      const results: unknown[] = [];
      const done = calls.settle(settlement(call, 420), call, (result) => results.push(result));
      last().answer(undefined);
      expect((await done.catch(() => 'lost')) as unknown).toBe('lost');
      expect([results, call.isInMemory, pending()]).toEqual([[], kept > 0, kept]);
      if (kept > 0) calls.slices.take(call);
      if (kept > 0) calls.slices.answered(call, 300, 300);
    }
  });
});

describe('a release', () => {
  const operation = (call: RunningCall, more: object = {}) =>
    ({
      kind: 'release',
      requestId: call.requestId,
      at: 0,
      tokenDifference: 0,
      failure: undefined,
      ...more,
    }) as never;
  const failure = { failure: { channelId: 1, modelName: 'm', useTimeMs: 1, log: null } };

  test('of a hold in memory sends nothing and gives all of it back', async () => {
    const call = inMemory(300);
    expect(await calls.release(operation(call), call)).toBe(true);
    expect([sent, free(), pending()]).toEqual([[], BALANCE, 0]);
  });

  test('of a failed call in memory says what it held, and gives it back', async () => {
    const call = inMemory(300);
    const releasing = calls.release(operation(call, failure), call);
    expect(last().message).toMatchObject({ slice: { id: '', amount: 300 } });
    expect(free()).toBe(BALANCE - 300);
    last().answer(true);
    expect(await releasing).toBe(true);
    expect([free(), pending()]).toEqual([BALANCE, 0]);
  });

  test('of a row gives it back once it is gone', async () => {
    const call = await withRow(300);
    const releasing = calls.release(operation(call), call);
    expect((last().message as { slice?: unknown }).slice).toBeUndefined();
    last().answer(true);
    expect(await releasing).toBe(true);
    expect([free(), pending()]).toEqual([BALANCE, 0]);
  });

  test('that finds no hold makes the balance unknown; one that fails leaves the hold', async () => {
    const gone = await withRow(300);
    const releasing = calls.release(operation(gone), gone);
    last().answer(false);
    expect(await releasing).toBe(false);
    expect([free(), pending()]).toEqual([undefined, 0]);
    const kept = inMemory(200);
    const failing = calls.release(operation(kept, failure), kept).catch(() => 'lost');
    last().answer(undefined);
    expect(await failing).toBe('lost');
    expect([kept.isInMemory, pending()]).toEqual([true, 200]);
  });
});

describe('the end of a call that this process did not begin', () => {
  test('writes every hold in memory first, and nothing is admitted until it is over', async () => {
    const [call, other] = [inMemory(300), inMemory(20)];
    const done = calls.settle(settlement(newCall(5), 4), undefined, (result) => result);
    expect(sent.map(({ name }) => name)).toEqual(['ledger.writeHolds', 'ledger.settle']);
    expect(sent[0]?.message).toMatchObject([{ requestId: call.requestId }, { requestId: other.requestId }]);
    calls.slices.learn(newCall(0), size(BALANCE));
    expect(free()).toBeUndefined();
    sent[0]?.answer(null);
    sent[1]?.answer(settled(4));
    expect(await done).toMatchObject({ charged: 4 });
    calls.slices.learn(newCall(0), size(BALANCE));
    expect(free()).toBe(BALANCE);
  });

  test('is over also when it fails', async () => {
    const done = calls.extend('unknown', 5, undefined).catch(() => 'lost');
    last().answer(undefined);
    expect(await done).toBe('lost');
    calls.slices.learn(newCall(0), size(BALANCE));
    expect(free()).toBe(BALANCE);
  });

  test('from the spool has one answer for each line, and all of them fail with one', async () => {
    const line = { ...settlement(newCall(5), 4), kind: 'settle' } as SpooledOperation;
    const release = {
      kind: 'release',
      requestId: 'r',
      at: 1,
      tokenDifference: 0,
      failure: undefined,
    } as const;
    const both = calls.replay([line, release]);
    expect(sent.map(({ name }) => name)).toEqual(['ledger.settle', 'ledger.release']);
    sent[0]?.answer(settled(4));
    sent[1]?.answer(false);
    expect(await both).toMatchObject([{ charged: 4 }, false]);
    sent = [];
    const failing = calls.replay([line, release]).catch(() => 'lost');
    sent[0]?.answer(settled(4));
    sent[1]?.answer(undefined);
    expect(await failing).toBe('lost');
  });
});
