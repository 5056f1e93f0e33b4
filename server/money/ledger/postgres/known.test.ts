// Rows that a batch has changed in memory and not committed are not taken for those of the database, and neither is the clock of
// this machine.
import { describe, expect, setSystemTime, test } from 'bun:test';
import { NO_PLAN } from '#server/money/ledger/engine/subscriptions.ts';
import { releasing, reserving, settling } from '#tests/support/ledger-rows.ts';
import { KnownRows } from './known.ts';
import type {
  KnownCounter,
  KnownHold,
  KnownSubscription,
  KnownToken,
  KnownUser,
  Loaded,
  Wanted,
} from './loaded.ts';

const noLimits = {
  requestsPerMinute: 0,
  tokensPerMinute: 0,
  concurrentCalls: 0,
  dayBudget: 0,
  monthBudget: 0,
};
const user = { id: 1, version: 5, dirty: false, ...noLimits } as Partial<KnownUser> as KnownUser;
const token = { id: 2, version: 5, dirty: false, ...noLimits } as Partial<KnownToken> as KnownToken;
const subscription = { id: 3, version: 5, dirty: false } as Partial<KnownSubscription> as KnownSubscription;
const hold = {
  id: 'call',
  nodeId: 'here',
  version: 5,
  subscriptionId: 0,
  budgets: '',
} as Partial<KnownHold> as KnownHold;

const nothing: Wanted = {
  requestIds: [],
  userIds: [],
  tokenIds: [],
  subscriptionIds: [],
  counterIds: [],
  holds: [],
  needsHolds: false,
};

/** `nowMs`: by the database's clock. */
function remembering(nowMs = Date.now()): KnownRows {
  const known = new KnownRows('here');
  const loaded: Loaded = {
    now: 0,
    nowMs: 0,
    users: new Map([[user.id, user]]),
    tokens: new Map([[token.id, token]]),
    subscriptions: new Map([[subscription.id, subscription]]),
    counters: new Map(),
    holds: new Map([[hold.id, hold]]),
    windows: new Map(),
    running: new Map(),
    spent: new Map(),
  };
  const changes = { deletedHolds: [], newHolds: [], changedHolds: [] };
  known.remember(loaded, changes as never, 6, nowMs);
  return known;
}

describe('after a batch that was not committed', () => {
  const rows = { userIds: [user.id], tokenIds: [token.id], subscriptionIds: [subscription.id] };
  for (const name of ['userIds', 'tokenIds', 'subscriptionIds'] as const)
    test(`the rows of its ${name} are read again, and those of others are not (M21)`, () => {
      const known = remembering();
      known.forget({ ...nothing, [name]: rows[name] });
      expect(known.find({ ...nothing, [name]: rows[name] })).toBeUndefined();
      expect(known.find({ ...nothing, ...rows, [name]: [] })).toBeDefined();
    });

  test('its holds are read again (M21)', () => {
    const known = remembering();
    const release = {
      kind: 'release',
      requestId: 'call',
      at: 0,
      tokenDifference: 0,
      failure: undefined,
    } as const;
    const wantedNow = () => known.wantedBy([release]);
    expect(wantedNow()).toMatchObject({ holds: [hold], needsHolds: false });
    known.forget({ ...nothing, requestIds: ['call'] });
    expect(wantedNow()).toMatchObject({ holds: [], needsHolds: true });
  });
});

test.each([-86_400_000, 86_400_000])(
  'a batch over remembered rows has the time of the database, whose clock is %d ms ahead of this one (M21)',
  (ahead) => {
    const before = Date.now() + ahead;
    const found = remembering(before).find(nothing);
    const after = Date.now() + ahead;
    expect(found?.nowMs).toBeGreaterThanOrEqual(before);
    expect(found?.nowMs).toBeLessThanOrEqual(after);
    expect(found?.now).toBe(Math.floor((found?.nowMs ?? 0) / 1000));
  },
);

const empty = (): Loaded => ({
  now: 0,
  nowMs: Date.now(),
  users: new Map(),
  tokens: new Map(),
  subscriptions: new Map(),
  counters: new Map(),
  holds: new Map(),
  windows: new Map(),
  running: new Map(),
  spent: new Map(),
});
const noChanges = { deletedHolds: [], newHolds: [], changedHolds: [] };
const holdOf = (id: string, more: Partial<KnownHold> = {}) =>
  ({ ...hold, userId: 7, tokenId: 8, ...NO_PLAN, ...more, id }) as KnownHold;

describe('what a batch wants', () => {
  /** Remembers the hold `call` of other rows, and the slice `slice`. */
  function knowing() {
    const known = new KnownRows('here');
    const holds = [
      holdOf('call', { subscriptionId: 9, budgets: '12,13' }),
      holdOf('slice', { tokenId: 8 }),
      holdOf('elsewhere', { nodeId: 'there' }),
    ];
    known.remember(
      { ...empty(), holds: new Map(holds.map((each) => [each.id, each])) },
      noChanges as never,
      1,
      Date.now(),
    );
    return known;
  }
  const owner = { userId: 1, tokenId: 2 };

  test('are the rows that an operation names', () => {
    const plan = { subscriptionId: 3, planPeriod: 0, isPlanFirst: true };
    const plans = { ids: [3, 4], isPlanFirst: true, isRequired: false };
    const of = (operation: Parameters<KnownRows['wantedBy']>[0][number]) =>
      new KnownRows('here').wantedBy([operation]);
    expect(of(reserving({ plans, budgets: '10,11' }))).toEqual({
      requestIds: ['call'],
      userIds: [1],
      tokenIds: [2],
      subscriptionIds: [3, 4],
      counterIds: [10, 11],
      holds: [],
      needsHolds: false,
    });
    expect(of(settling(5, { owner: { ...owner, plan, budgets: '10' } }))).toMatchObject({
      userIds: [1],
      tokenIds: [2],
      subscriptionIds: [3],
      counterIds: [10],
      needsHolds: true,
    });
    expect(of(releasing({ owner: { userId: 1, tokenId: 0, plan } }))).toMatchObject({
      userIds: [1],
      tokenIds: [],
      subscriptionIds: [3],
      needsHolds: true,
    });
    expect(of({ kind: 'rollPeriod', requestId: '', subscriptionId: 6 })).toMatchObject({
      subscriptionIds: [6],
      needsHolds: false,
    });
    expect(of({ kind: 'recover', requestId: 'call', policy: 'full' }).needsHolds).toBe(true);
  });

  test('are those of the hold that is remembered', () => {
    expect(knowing().wantedBy([releasing()])).toMatchObject({
      userIds: [7],
      tokenIds: [8],
      subscriptionIds: [9],
      counterIds: [12, 13],
      holds: [{ id: 'call' }],
      needsHolds: false,
    });
  });

  test('are read from the table where a hold may be that is not remembered, of this node or another', () => {
    const needs = (operation: Parameters<KnownRows['wantedBy']>[0][number]) =>
      knowing().wantedBy([operation]).needsHolds;
    const slice = { id: 'slice', amount: 5 };
    const other = { id: 'other', amount: 5 };
    expect(needs(releasing({ requestId: 'elsewhere' }))).toBe(true);
    // Inside a slice a call has no row, unless it may have been sent before.
    expect(needs(settling(5, { requestId: 'new', slice }))).toBe(false);
    expect(needs(settling(5, { requestId: 'new', slice, isAgain: true }))).toBe(true);
    expect(needs(settling(5, { requestId: 'new', slice: other }))).toBe(true);
    expect(needs(releasing({ requestId: 'new', slice, isAgain: true }))).toBe(true);
    const writing = (isAgain: boolean, part = slice) =>
      ({ kind: 'writeHold', requestId: 'new', slice: part, owner, expiresAt: 1, isAgain }) as const;
    expect([needs(writing(false)), needs(writing(true)), needs(writing(false, other))]).toEqual([
      false,
      true,
      true,
    ]);
    const growth = { ...other, isNew: true };
    expect(needs(settling(5, { growth }))).toBe(false);
    expect(needs(settling(5, { growth: { ...growth, isNew: false } }))).toBe(true);
    expect(knowing().wantedBy([settling(5, { requestId: 'new', slice })]).holds).toMatchObject([
      { id: 'slice' },
    ]);
  });
});

describe('after a batch that was committed', () => {
  test('rows that it wrote have its version, the others that which they had', () => {
    const known = new KnownRows('here');
    const users = [
      { ...user, id: 1, dirty: true, isPlanHeldChanged: true },
      { ...user, id: 4 },
    ];
    const tokens = [{ ...token, id: 2, dirty: true, statusChanged: true }];
    const counter = { id: 6, version: 5, dirty: true } as Partial<KnownCounter> as KnownCounter;
    const loaded = {
      ...empty(),
      users: new Map(users.map((each) => [each.id, each])),
      tokens: new Map(tokens.map((each) => [each.id, each])),
      counters: new Map([[6, counter]]),
    };
    known.remember(loaded, noChanges as never, 9, Date.now());
    const found = known.find({ ...nothing, userIds: [1, 4], tokenIds: [2], counterIds: [6] });
    const versions = (rows: ReadonlyMap<number, { version: number; dirty: boolean }> | undefined) =>
      Array.from(rows?.values() ?? [], ({ version, dirty }) => [version, dirty]);
    expect(versions(found?.users)).toEqual([
      [9, false],
      [5, false],
    ]);
    expect(versions(found?.counters)).toEqual([[9, false]]);
    expect([found?.users.get(1)?.isPlanHeldChanged, found?.tokens.get(2)?.statusChanged]).toEqual([
      false,
      false,
    ]);
    known.forget({ ...nothing, counterIds: [6] });
    expect(known.find({ ...nothing, counterIds: [6] })).toBeUndefined();
  });

  test('a hold that it ended is forgotten, one that it made or changed has its version', () => {
    const known = new KnownRows('here');
    const ended = holdOf('ended');
    const made = holdOf('made', { version: 1 });
    const changes = { deletedHolds: [ended], newHolds: [made], changedHolds: [] };
    known.remember({ ...empty(), holds: new Map([['ended', ended]]) }, changes as never, 9, Date.now());
    const wanted = known.wantedBy([releasing({ requestId: 'ended' }), releasing({ requestId: 'made' })]);
    expect([wanted.holds.map(({ id, version }) => [id, version]), wanted.needsHolds]).toEqual([
      [['made', 9]],
      true,
    ]);
  });

  test('rows with limits are read again each time, because they count rows of other tables', () => {
    for (const limit of Object.keys(noLimits)) {
      const known = new KnownRows('here');
      const limited = { ...user, [limit]: 5 };
      known.remember({ ...empty(), users: new Map([[1, limited]]) }, noChanges as never, 9, Date.now());
      expect(known.find({ ...nothing, userIds: [1] })).toBeUndefined();
      expect(known.find(nothing)).toBeDefined();
    }
  });
});

test('rows that were not current are read first for a while, twice as long each time; just read ones are locked', () => {
  const start = Date.now();
  try {
    const at = (milliseconds: number) => setSystemTime(new Date(start + milliseconds));
    at(0);
    const known = remembering();
    const isRead = () => known.find(nothing) === undefined;
    known.judge(false, true);
    expect([isRead(), known.isContended]).toEqual([true, false]);
    at(50);
    expect(isRead()).toBe(false);
    known.judge(false, true);
    at(149);
    expect(isRead()).toBe(true);
    at(150);
    expect(isRead()).toBe(false);
    known.judge(true, false);
    known.judge(false, false);
    expect([isRead(), known.isContended]).toEqual([true, true]);
    at(350);
    expect([isRead(), known.isContended]).toEqual([false, false]);
    // Remembered rows were current: the next time the wait is short again.
    known.judge(true, true);
    known.judge(false, true);
    at(400);
    expect(isRead()).toBe(false);
  } finally {
    setSystemTime();
  }
});
