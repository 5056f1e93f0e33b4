// A settlement and a hold arrive in the writer thread as they were sent: every field, each with a value of its own.
import { expect, test } from 'bun:test';
import type { Settlement } from '#server/money/ledger/backend.ts';
import { LOG_COLUMNS, logValues } from '#server/money/ledger/engine/log-columns.ts';
import type { LogRow } from '#server/money/ledger/engine/operations.ts';
import type { RunningCall } from '#server/money/ledger/running-call.ts';
import { decodeSettle, encodeSettle, holdToWrite } from './messages.ts';

/** Each column has a value that no other has. */
const log = Object.fromEntries(LOG_COLUMNS.map((name, index) => [name, 100 + index])) as unknown as LogRow;
log.other = 'other';
const settlement: Settlement = {
  requestId: 'request',
  at: 11,
  charge: 12,
  cost: 13,
  group: 'gold',
  tokenDifference: 14,
  channelId: 15,
  modelName: 'alpha',
  promptTokens: 16,
  completionTokens: 17,
  useTimeMs: 18,
  firstTokenMs: 19,
  errorCount: 20,
  log,
  owner: {
    userId: 21,
    tokenId: 22,
    plan: { id: 31, amount: 32, period: 33, isFirst: true } as never,
    budgets: '41,42',
  },
  held: 23,
};
const inSlice = { isInSlice: true, memoryHeld: { user: 51, token: 52, budgets: [[41, 53]] as never } };
/** As it is sent: through JSON, with the long text beside it. */
const sent = (of: Settlement, hold: Parameters<typeof encodeSettle>[1]) => {
  const { values, text } = encodeSettle(of, hold);
  return decodeSettle(JSON.parse(JSON.stringify(values)), text);
};

test('a settlement arrives with all that is known of the call and its hold', () => {
  const { memoryHeld } = inSlice;
  expect(sent(settlement, inSlice)).toEqual({
    ...settlement,
    kind: 'settle',
    memoryHeld,
    slice: { id: '', amount: 23 },
  });
  expect(sent(settlement, { ...inSlice, isInSlice: false }).slice).toBeUndefined();
});

test('what is not known arrives as not known', () => {
  const { cost: _cost, group: _group, owner: _owner, held: _held, ...rest } = settlement;
  const memoryHeld = { user: 0, token: 0 };
  const arrived = sent({ ...rest, log: null } as Settlement, { isInSlice: true, memoryHeld });
  expect(arrived).toMatchObject({ cost: null, group: '', log: null });
  expect([arrived.owner, arrived.held, arrived.memoryHeld.budgets]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  expect(arrived.slice).toEqual({ id: '', amount: 0 });
  const free = sent({ ...settlement, held: 0, owner: { userId: 0, tokenId: 0 } }, inSlice);
  expect([free.held, free.owner]).toEqual([0, { userId: 0, tokenId: 0, plan: undefined, budgets: '' }]);
});

test('a hold is written with its owner, amount, times and budgets, and nothing else of its call', () => {
  const hold = {
    requestId: 'request',
    userId: 21,
    tokenId: 22,
    amount: 23,
    createdAt: 24,
    expiresAt: 25,
    budgets: '41',
  };
  expect(holdToWrite({ ...hold, tokens: 9, isEnded: true } as unknown as RunningCall)).toEqual(hold);
});

test('a log row is bound in the order of its columns, with a default for what is not said', () => {
  expect(logValues(log)).toEqual(LOG_COLUMNS.map((name) => log[name] ?? ''));
  expect(logValues({})).toEqual([
    2,
    0,
    '',
    0,
    '',
    '',
    '',
    0,
    '',
    '',
    0,
    0,
    0,
    0,
    0,
    '',
    '',
    '',
    0,
    0,
    0,
    '',
    '',
  ]);
});
