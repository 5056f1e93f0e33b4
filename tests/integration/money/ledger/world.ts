// Fixtures of the ledger's tests: a store with a ledger, users with money and tokens, one-line calls, and the check of
// every invariant.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type {
  Admission,
  Ledger,
  LedgerAlert,
  LogRow,
  Outcome,
  ReserveRequest,
} from '#server/money/ledger/ledger.ts';
import { openLedger, type LedgerOptions } from '#server/money/ledger/open-ledger.ts';
import { WHOLE_TIME } from '#server/money/ledger/engine/budgets.ts';
import type { RatioSnapshot } from '#server/money/prices/price.ts';
import type { NewRow, Row } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';

export const price: RatioSnapshot = {
  version: 1,
  kind: 'ratio',
  model: 'gpt-4o',
  group: 'default',
  groupRatio: 1,
  quotaPerUnit: 500_000,
  source: 'operator',
  modelRatio: 1,
  completionRatio: 4,
  cacheRatio: 0.5,
  cacheWriteRatio: 1.25,
  cacheWrite1hRatio: 2,
  imageRatio: 1,
  audioRatio: 1,
  audioCompletionRatio: 2,
  reasoningRatio: 4,
};

let serial = 0;
let lastChannelId = 500;
export function newId(): string {
  serial += 1;
  return `${Date.now().toString(36)}-${process.pid}-${serial}`;
}

export interface World {
  store: Store;
  ledger: Ledger;
  alerts: LedgerAlert[];
  user(quota: number, columns?: Partial<NewRow<'users'>>): Promise<number>;
  token(userId: number, columns?: Partial<NewRow<'tokens'>>): Promise<number>;
  /** Of a budget without an end, unless the columns say otherwise. */
  counter(organizationId: number, columns?: Partial<NewRow<'budget_counters'>>): Promise<number>;
  /** With the holds that are in memory; nodes give their slices back. */
  findCounter(id: number): Promise<Row<'budget_counters'>>;
  channel(): Promise<number>;
  findUser(id: number): Promise<Row<'users'>>;
  findToken(id: number): Promise<Row<'tokens'>>;
  /** Resolves when no outage is left; throws after thirty seconds. */
  available(): Promise<void>;
  /** Another ledger on the same store, as a second start of the process would make it. */
  reopen(options?: Partial<LedgerOptions>): Promise<Ledger>;
  close(): Promise<void>;
}

export async function createWorld(store: Store, options: Partial<LedgerOptions> = {}): Promise<World> {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'billing-'));
  const alerts: LedgerAlert[] = [];
  const standard = {
    store,
    nodeId: 'node-1',
    dataDir,
    version: 'test',
    onAlert: (alert: LedgerAlert) => alerts.push(alert),
  };
  const ledgers: Ledger[] = [];
  const reopen = async (more: Partial<LedgerOptions> = {}) => {
    const ledger = await openLedger({ ...standard, ...options, ...more });
    const { heartbeat } = ledger;
    // As the server's job does.
    const timer = heartbeat && setInterval(() => void heartbeat.beat(), heartbeat.everySeconds * 1000);
    const opened: Ledger = {
      ...ledger,
      get openCalls() {
        return ledger.openCalls;
      },
      get isWritable() {
        return ledger.isWritable;
      },
      close() {
        clearInterval(timer);
        return ledger.close();
      },
    };
    ledgers.push(opened);
    return opened;
  };
  const ledger = await reopen();
  const writeHolds = async () => {
    for (const opened of ledgers) await opened.writeHolds();
  };
  return {
    store,
    ledger,
    alerts,
    async user(quota, columns = {}) {
      const name = newId();
      const { id } = await store.db
        .insertInto('users')
        .values({ username: name, aff_code: name, ...columns })
        .returning('id')
        .executeTakeFirstOrThrow();
      if (quota > 0) await grant(ledger, id, quota);
      return id;
    },
    async token(userId, columns = {}) {
      const { id } = await store.db
        .insertInto('tokens')
        .values({ user_id: userId, key_digest: newId(), unlimited_quota: 1, ...columns })
        .returning('id')
        .executeTakeFirstOrThrow();
      return id;
    },
    async counter(organizationId, columns = {}) {
      const { id } = await store.db
        .insertInto('budget_counters')
        .values({
          budget_id: 1,
          value: newId(),
          name: 'test',
          organization_id: organizationId,
          period: 'total',
          quota: 100,
          window_start: WHOLE_TIME.start,
          window_end: WHOLE_TIME.end,
          created_at: Math.floor(Date.now() / 1000),
          ...columns,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      return id;
    },
    async findCounter(id) {
      await writeHolds();
      const counters = store.db.selectFrom('budget_counters').selectAll();
      return await counters.where('id', '=', id).executeTakeFirstOrThrow();
    },
    async channel() {
      // Not an id that a user has.
      lastChannelId += 1;
      const { id } = await store.db
        .insertInto('channels')
        .values({ id: lastChannelId, name: newId() })
        .returning('id')
        .executeTakeFirstOrThrow();
      return id;
    },
    async findUser(id) {
      await writeHolds();
      return store.db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    },
    async findToken(id) {
      await writeHolds();
      return store.db.selectFrom('tokens').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    },
    async available() {
      const isAway = () =>
        alerts.findLast(({ kind }) => kind === 'available' || kind === 'unavailable')?.kind === 'unavailable';
      for (let wait = 0; wait < 1600 && isAway(); wait += 1) await Bun.sleep(25);
      if (isAway()) throw new Error('the ledger did not come back');
    },
    reopen,
    async close() {
      for (const opened of ledgers) await opened.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

export async function grant(ledger: Ledger, userId: number, amount: number): Promise<void> {
  const result = await ledger.credit({
    idem: newId(),
    userId,
    amount,
    from: 'world:admin',
    kind: 'admin',
    reference: 'test',
  });
  if (!result.ok) throw new Error(result.reason);
}

export function logRow(userId: number, tokenId: number): LogRow {
  return {
    type: 2,
    user_id: userId,
    username: 'someone',
    token_id: tokenId,
    token_name: 'key',
    model_name: 'gpt-4o',
    group: 'default',
    channel_id: 7,
    ip: '127.0.0.1',
    other: '{}',
  };
}

export function callOf(userId: number, tokenId: number, amount: number): ReserveRequest {
  return {
    requestId: newId(),
    userId,
    tokenId,
    amount,
    limits: { tokens: 100 },
    snapshot: { price, log: () => logRow(userId, tokenId) },
    expiresAt: Math.floor(Date.now() / 1000) + 600,
  };
}

export function reserve(
  ledger: Ledger,
  userId: number,
  tokenId: number,
  amount: number,
  more: Partial<ReserveRequest> = {},
) {
  const request = { ...callOf(userId, tokenId, amount), ...more };
  const answer: Promise<Admission> = ledger.reserve(request);
  return answer.then((admission) => ({ requestId: request.requestId, admission }));
}

export function outcome(charge: number, more: Partial<Outcome> = {}): Outcome {
  return {
    charge,
    cost: null,
    group: 'default',
    channelId: 7,
    modelName: 'gpt-4o',
    promptTokens: 60,
    completionTokens: 40,
    useTimeMs: 1200,
    firstTokenMs: 300,
    log: logRow(0, 0),
    ...more,
  };
}

/** The error that a promise rejects with; throws when the promise resolves. */
/** Calls of other accounts are attributed to nobody. */
export async function makeOrganization({ db }: Pick<Store, 'db'>, id: number): Promise<void> {
  const row = { id, name: `organization ${id}`, created_by: 1, created_at: 1 };
  await db.insertInto('organizations').values(row).execute();
}

export async function failureOf(promise: Promise<unknown>): Promise<Error> {
  const outcomeOf = await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (outcomeOf instanceof Error) return outcomeOf;
  throw new Error('expected a failure');
}
