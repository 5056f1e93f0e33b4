// What the calls of a node send to the database: inside a slice, with a row of their own, and when the slice is asked back.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { NOTHING_IN_MEMORY, type Operation } from '#server/money/ledger/engine/operations.ts';
import type { PriceSnapshot } from '#server/money/prices/price.ts';
import type { Settlement } from '#server/money/ledger/backend.ts';
import { RunningCall } from '#server/money/ledger/running-call.ts';
import { openNodeSlices, settleOperation, type NodeSlices } from './node-slices.ts';

const price: PriceSnapshot = {
  version: 1,
  kind: 'price',
  model: 'm',
  group: 'default',
  groupRatio: 1,
  quotaPerUnit: 500_000,
  source: 'operator',
  modelPrice: 0,
};

let sent: Operation[];
let fails: Partial<Record<Operation['kind'], Error>>;
let listeners: Record<string, (detail?: string) => void>;
let gone: string[];
let others: { held: number; ids: string[] };
let announced: string[];
let slices: NodeSlices;
let serial = 0;

beforeEach(() => {
  [sent, fails, listeners, gone, announced] = [[], {}, {}, [], []];
  others = { held: 0, ids: [] };
  slices = openNodeSlices({
    identity: { nodeId: 'node', epoch: 3 },
    silenceSeconds: 30,
    pool: { query: async () => ({ rows: [others] }) },
    changes: {
      announce: async (topic: string, detail: string) => {
        announced.push(`${topic} ${detail}`);
        others = { ...others, ids: [] };
      },
      subscribe: (topic: string, listener: (detail?: string) => void) => {
        listeners[topic] = listener;
        return () => gone.push(topic);
      },
    },
    submit: async (operation: Operation) => {
      sent.push(operation);
      const error = fails[operation.kind];
      if (error !== undefined) throw error;
      if (operation.kind !== 'settle') return true;
      const sliceKept = operation.growth?.amount ?? (operation.slice === undefined ? 0 : 100);
      return { ...answer, sliceKept, isSliceOpen: sliceKept > 0 };
    },
  } as unknown as Parameters<typeof openNodeSlices>[0]);
});
afterEach(() => slices.close());

const answer = {
  charged: 10,
  balance: 5000,
  suspense: 0,
  aboveHold: 0,
  duplicate: false,
  hadHold: true,
  tokenStatus: 0,
};

function newCall(userId = 1, tokenId = 2, budgets = '7'): RunningCall {
  serial += 1;
  return new RunningCall({
    requestId: `call-${serial}`,
    userId,
    tokenId,
    amount: 100,
    limits: { tokens: 0 },
    snapshot: { price, log: () => ({}) },
    expiresAt: 77,
    budgets,
  });
}

const settlement = (call: RunningCall) =>
  ({ requestId: call.requestId, charge: 10, at: 0 }) as unknown as Settlement;
const settle = (call: RunningCall) => slices.settle(settlement(call), call);
const released = (call: RunningCall, failure?: object) =>
  slices.release(
    { requestId: call.requestId, at: 0, tokenDifference: 0, failure } as unknown as Parameters<
      NodeSlices['release']
    >[0],
    call,
  );
const kinds = () => sent.map(({ kind, requestId }) => `${kind} ${requestId}`.trim());

/** The second settlement of a token opens a slice of its hold. */
async function granted(userId = 1, tokenId = 2): Promise<string> {
  await settle(newCall(userId, tokenId));
  await settle(newCall(userId, tokenId));
  const last = sent.at(-1);
  sent = [];
  return (last?.kind === 'settle' ? last.growth?.id : undefined) ?? '';
}
async function inside(userId = 1, tokenId = 2): Promise<RunningCall> {
  const call = newCall(userId, tokenId);
  if (slices.admit(call) === undefined) throw new Error('there is no room');
  return call;
}

test('the second call of a token asks for a slice, the third is inside it, and its settlement says so', async () => {
  const first = newCall();
  const result = await settle(first);
  expect(result.balance).toBe(5000);
  expect(sent[0]).toMatchObject({ isAgain: true, slice: undefined, growth: undefined });
  const second = await settle(newCall());
  expect(sent[1]).toMatchObject({
    growth: { id: 'allowance:node:3:1', isNew: true, amount: 100 },
    isAgain: true,
  });
  // What is in the slice is free too.
  expect(second.balance).toBe(5100);
  sent = [];
  const call = await inside();
  expect(slices.admit(newCall())).toBeUndefined();
  expect((await settle(call)).balance).toBe(5100);
  expect(sent).toHaveLength(1);
  expect(sent[0]).toMatchObject({
    kind: 'settle',
    charge: 10,
    memoryHeld: NOTHING_IN_MEMORY,
    isAgain: false,
    slice: { id: 'allowance:node:3:1', amount: 100 },
    growth: undefined,
  });
});

describe('a row of its own', () => {
  test('is written once, with its owner; then its settlement looks for the row', async () => {
    const id = await granted();
    const call = await inside();
    await slices.writeRow(call);
    await slices.writeRow(call);
    expect(sent).toEqual([
      {
        kind: 'writeHold',
        requestId: call.requestId,
        slice: { id, amount: 100 },
        owner: { userId: 1, tokenId: 2, budgets: '7' },
        expiresAt: 77,
        isAgain: false,
      },
    ]);
    await settle(call);
    expect(sent[1]).toMatchObject({ isAgain: true, slice: undefined });
    await slices.writeRow(undefined);
    await slices.writeRow(newCall());
    expect(sent).toHaveLength(2);
  });

  test('whose answer was lost is written again, and no call is admitted meanwhile', async () => {
    await granted();
    const call = await inside();
    fails = { writeHold: new Error('lost') };
    expect(slices.writeRow(call)).rejects.toThrow('lost');
    expect(slices.admit(newCall())).toBeUndefined();
    fails = {};
    await slices.writeRow(call);
    expect(sent.map((operation) => operation.kind === 'writeHold' && operation.isAgain)).toEqual([
      false,
      true,
    ]);
  });

  test('whose answer was lost is looked for by settlement and release', async () => {
    fails = { writeHold: new Error('lost') };
    for (const end of [settle, released]) {
      await granted(1, serial);
      const call = await inside(1, serial - 2);
      await slices.writeRow(call).catch(() => {});
      sent = [];
      await end(call);
      expect(sent).toHaveLength(1);
      expect(sent[0]).toMatchObject(end === settle ? { isAgain: true } : { kind: 'release' });
      // There is room again, in a slice that ends.
      expect(slices.admit(newCall(1, call.tokenId))).toBeUndefined();
    }
  });
});

test('a release inside a slice sends only a failure, and leaves its room to the next call', async () => {
  const id = await granted();
  const call = await inside();
  expect(await released(call)).toBe(true);
  expect(sent).toEqual([]);
  const next = await inside();
  await released(next, { log: null });
  expect(sent).toMatchObject([{ kind: 'release', slice: { id, amount: 100 }, failure: { log: null } }]);
  expect(slices.admit(newCall())).toBeDefined();
  sent = [];
  await released(newCall());
  expect(sent.map(({ kind }) => kind)).toEqual(['release']);
  expect(Object.keys(sent[0] ?? {})).not.toContain('slice');
});

describe('a slice ends', () => {
  test.each([
    ['users', '1', '2'],
    ['budgets', '1', '2'],
    ['tokens', '2', '3'],
  ])('when its %s change, and not those of others', async (topic, own, other) => {
    await granted();
    listeners[topic]?.(other);
    await released(await inside());
    listeners[topic]?.(own);
    expect(slices.admit(newCall())).toBeUndefined();
  });

  test('when all may have changed, and when the database is away', async () => {
    for (const end of [() => listeners['users']?.(), () => slices.end()]) {
      const tokenId = 100 + serial;
      await granted(1, tokenId);
      end();
      expect(slices.admit(newCall(1, tokenId))).toBeUndefined();
    }
  });

  test('after a settlement without an answer', async () => {
    await granted();
    const call = await inside();
    fails = { settle: new Error('lost') };
    expect(settle(call)).rejects.toThrow('lost');
    expect(slices.admit(newCall())).toBeUndefined();
  });

  test('with the node, which gives its rows back', async () => {
    const id = await granted();
    await slices.close();
    expect(kinds()).toEqual([`release ${id}`]);
    expect(gone.toSorted()).toEqual(['allowances', 'budgets', 'tokens', 'users']);
  });
});

describe('what is asked back', () => {
  test('of a user comes back after its calls have rows, and nothing of another user', async () => {
    const id = await granted();
    await granted(8, 9);
    const call = await inside();
    await slices.writeAll(1);
    expect(kinds()).toEqual([`writeHold ${call.requestId}`, 'rollPeriod', `release ${id}`]);
    expect(sent[2]).toMatchObject({ failure: undefined, tokenDifference: 0 });
    expect(slices.admit(newCall(8, 9))).toBeDefined();
    sent = [];
    await slices.writeAll(1);
    expect(sent).toEqual([]);
    await slices.writeAll(undefined);
    expect(kinds()).toHaveLength(3);
  });

  test('is not asked for again for a while', async () => {
    await granted();
    await slices.writeAll(1);
    sent = [];
    await settle(newCall());
    await settle(newCall());
    expect(sent.map((operation) => operation.kind === 'settle' && operation.growth)).toEqual([
      undefined,
      undefined,
    ]);
  });

  test('helps a refused call if this node had something, another did, or less is held since', async () => {
    const relieve = (held: number, isCoverable = true) => slices.relieve({ userId: 1, held, isCoverable });
    await granted();
    expect(await relieve(0, false)).toBe(true);
    expect(kinds().at(-1)).toStartWith('release allowance:');
    others = { held: 50, ids: [] };
    expect([await relieve(50), await relieve(51)]).toEqual([false, true]);
    others = { held: 50, ids: ['allowance:other:1:1'] };
    expect([await relieve(50), announced]).toEqual([true, ['allowances 1']]);
    others = { held: 0, ids: ['allowance:other:1:2'] };
    expect([await relieve(50, false), announced.length]).toEqual([false, 1]);
  });

  test('by another node comes back too', async () => {
    const id = await granted();
    listeners['allowances']?.('1');
    await Bun.sleep(5);
    expect(kinds()).toContain(`release ${id}`);
  });
});

test('a settlement from the spool looks for the row and asks for no growth', () => {
  const slice = { id: 's', amount: 3 };
  const operation = settleOperation({ requestId: 'r', slice } as unknown as Settlement);
  expect(operation).toMatchObject({ kind: 'settle', slice, isAgain: true, growth: undefined });
});
