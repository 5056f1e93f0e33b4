// The rules of the ledger over rows in memory: what PostgreSQL's batches work on, without a database. A test says what is in the
// rows, applies operations, and reads what a batch would write.
import { BUDGETS_OF_UTC, budgetCalendar } from '#contract/money/budget-windows.ts';
import { apply } from '#server/money/ledger/engine/apply.ts';
import type { BookedEntry, HoldState, LogEntry } from '#server/money/ledger/engine/rows.ts';
import {
  NOTHING_IN_MEMORY,
  settlementOf,
  type LogRow,
  type Operation,
  type Release,
  type Reserve,
  type ResultOf,
  type Settle,
} from '#server/money/ledger/engine/operations.ts';
import { NO_PLAN } from '#server/money/ledger/engine/subscriptions.ts';
import type {
  KnownCounter,
  KnownSubscription,
  KnownToken,
  KnownUser,
} from '#server/money/ledger/postgres/loaded.ts';
import { PostgresRows } from '#server/money/ledger/postgres/rows.ts';

/** In the middle of a day and of a month, in UTC. */
export const NOW = Date.UTC(2026, 6, 15, 12, 30, 20) / 1000;
const DAY = 86_400;
const noLimits = {
  requestsPerMinute: 0,
  tokensPerMinute: 0,
  concurrentCalls: 0,
  dayBudget: 0,
  monthBudget: 0,
};

export interface Given {
  user?: Partial<KnownUser>;
  token?: Partial<KnownToken>;
  subscription?: Partial<KnownSubscription>;
  counters?: readonly Partial<KnownCounter>[];
  holds?: readonly Partial<HoldState>[];
  booked?: Record<string, Partial<BookedEntry>>;
  logs?: readonly LogEntry[];
  /** `scope@start`, `subject:id` and `subject:id:hour`. */
  windows?: Record<string, number>;
  running?: Record<string, number>;
  spent?: Record<string, number>;
  now?: number;
  lowBalanceThreshold?: number;
}

/** One user (id 1) with 1000 units, a token (2) without a limit, and with `subscription` one (3) in its third period of days. */
export function ledgerRows(given: Given = {}) {
  const now = given.now ?? NOW;
  const user: KnownUser = {
    id: 1,
    isActive: true,
    quota: 1000,
    held: 0,
    planHeld: 0,
    isPlanHeldChanged: false,
    used: 0,
    requestCount: 0,
    lowBalanceNoticeAt: 0,
    ...noLimits,
    dirty: false,
    version: 1,
    ...given.user,
  };
  const token: KnownToken = {
    id: 2,
    userId: 1,
    status: 1,
    isDeleted: false,
    expiredTime: -1,
    isUnlimited: true,
    remain: 0,
    held: 0,
    used: 0,
    accessedTime: 0,
    ...noLimits,
    statusChanged: false,
    dirty: false,
    version: 1,
    ...given.token,
  };
  const startedAt = now - 2 * DAY - 3600;
  const subscription: KnownSubscription = {
    id: 3,
    userId: 1,
    isActive: true,
    startedAt,
    intervalUnit: 'day',
    intervalCount: 1,
    periods: 10,
    period: 2,
    periodEndsAt: startedAt + 3 * DAY,
    endsAt: startedAt + 10 * DAY,
    periodQuota: 500,
    quota: 500,
    held: 0,
    endedAt: 0,
    dirty: false,
    version: 1,
    ...given.subscription,
  };
  const counters = (given.counters ?? []).map((counter, index): KnownCounter => ({
    id: 10 + index,
    organizationId: 1,
    name: `budget ${index}`,
    value: '',
    period: 'total',
    isHard: true,
    quota: 100,
    extra: 0,
    spent: 0,
    held: 0,
    noticed: 0,
    windowStart: 0,
    windowEnd: Number.MAX_SAFE_INTEGER,
    dirty: false,
    version: 1,
    ...counter,
  }));
  const holds = (given.holds ?? []).map((hold): HoldState => ({
    id: 'call',
    userId: 1,
    tokenId: 2,
    nodeId: 'here',
    epoch: 4,
    amount: 100,
    createdAt: now,
    expiresAt: now + 600,
    dispatched: false,
    checkpointQuota: 0,
    checkpoint: '',
    snapshot: '',
    budgets: '',
    ...NO_PLAN,
    ...hold,
  }));
  const byId = <Row extends { id: string | number }>(rows: readonly Row[]) =>
    new Map(rows.map((row) => [row.id as never, { ...row, version: 1 }]));
  const entries = Object.entries(given.booked ?? {}).map(
    ([idem, entry]) => [idem, { amount: 0, kind: 'use', reference: 'logged', at: now, ...entry }] as const,
  );
  const loaded = {
    now,
    nowMs: now * 1000,
    users: new Map([[user.id, user]]),
    tokens: new Map([[token.id, token]]),
    subscriptions: byId(given.subscription === undefined ? [] : [subscription]),
    counters: byId(counters),
    holds: byId(holds),
    windows: new Map(Object.entries(given.windows ?? {})),
    running: new Map(Object.entries(given.running ?? {})),
    spent: new Map(Object.entries(given.spent ?? {})),
  };
  const booked = {
    entries: new Map<string, BookedEntry>(entries),
    logs: new Map((given.logs ?? []).map((log) => [log.requestId, log])),
  };
  const rules = {
    lowBalanceThreshold: given.lowBalanceThreshold ?? -1,
    budgets: budgetCalendar(BUDGETS_OF_UTC),
  };
  const rows = new PostgresRows(loaded, booked, { nodeId: 'here', epoch: 4 }, rules);
  return {
    rows,
    user,
    token,
    subscription: loaded.subscriptions.get(3 as never) as unknown as KnownSubscription,
    counter: (index = 0) => loaded.counters.get((10 + index) as never) as unknown as KnownCounter,
    hold: (id = 'call') => rows.findHold(id),
    apply: <Op extends Operation>(operation: Op) => apply(rows, operation) as ResultOf<Op>,
    get written() {
      return rows.changes();
    },
  };
}

export const reserving = (more: Partial<Reserve> = {}): Reserve => ({
  kind: 'reserve',
  requestId: 'call',
  userId: 1,
  tokenId: 2,
  amount: 100,
  tokens: 0,
  expiresAt: NOW + 600,
  snapshot: '',
  lifetime: 'call',
  memoryHeld: NOTHING_IN_MEMORY,
  ...more,
});

export const logged = (more: Partial<LogRow> = {}): LogRow => ({
  type: 2,
  user_id: 1,
  token_id: 2,
  model_name: 'm',
  channel_id: 7,
  group: 'default',
  other: '{}',
  ...more,
});

/** Of a call of user 1 on channel 7. */
export const settling = (charge: number, more: Partial<Settle> = {}): Settle => ({
  ...settlementOf('call', { userId: 1, tokenId: 2 }),
  errorCount: 0,
  charge,
  group: 'default',
  channelId: 7,
  modelName: 'm',
  promptTokens: 6,
  completionTokens: 4,
  useTimeMs: 1200,
  firstTokenMs: 300,
  log: logged({ prompt_tokens: 6, completion_tokens: 4 }),
  ...more,
});

export const releasing = (more: Partial<Release> = {}): Release => ({
  kind: 'release',
  requestId: 'call',
  at: 0,
  tokenDifference: 0,
  failure: undefined,
  ...more,
});
