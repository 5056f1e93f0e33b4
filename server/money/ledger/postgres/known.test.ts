// Rows that a batch has changed in memory and not committed are not taken for those of the database, and neither is the clock of
// this machine.
import { describe, expect, test } from 'bun:test';
import { KnownRows } from './known.ts';
import type { KnownHold, KnownSubscription, KnownToken, KnownUser, Loaded, Wanted } from './loaded.ts';

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
