// Opens the ledger over a store: turns calls into operations, knows which calls run, announces changed tokens.
import { hostname } from 'node:os';
import { isUnavailable } from '#server/platform/store/errors.ts';
import type { Store } from '#server/platform/store/store.ts';
import type { LedgerBackend } from './backend.ts';
import { createCheckpoints } from './checkpoints.ts';
import type { HoldOwner, RefusalReason, ReserveResult, SettleResult } from './engine/operations.ts';
import { TOKEN_EXHAUSTED } from './engine/reserve.ts';
import { LedgerUnavailableError } from './errors.ts';
import type {
  Admission,
  Failure,
  Ledger,
  LedgerAlert,
  LedgerCall,
  LedgerConfiguration,
  Opening,
  Outcome,
  Refusal,
  ReserveRequest,
  Settlement,
  Transfer,
} from './ledger.ts';
import { STANDARD_CONFIGURATION } from './ledger.ts';
import { isAmount, notAmount, requireAmount } from '#server/money/quota-units.ts';
import { excessAlerts } from './outage.ts';
import { openPostgresBackend } from './postgres/backend.ts';
import { RunningCall } from './running-call.ts';
import { holdSnapshotText } from './snapshot-text.ts';
import { openSqliteBackend } from './sqlite/backend.ts';
import { applyTransfer } from './transfer.ts';

export interface LedgerOptions {
  store: Store;
  /** Unique among the processes of one PostgreSQL database and the same after a restart: host name and worker number. */
  nodeId: string;
  /** The directory of the spool. */
  dataDir: string;
  version: string;
  /** PostgreSQL: a node without a heartbeat for this long is dead. Default 30. */
  silenceSeconds?: number;
  configuration?: LedgerConfiguration;
  onAlert?: (alert: LedgerAlert) => void;
}

type ReachedLimit = Omit<Extract<LedgerAlert, { kind: 'budget_reached' }>, 'kind' | 'userId' | 'tokenId'>;

const RECOVERY_CHUNK = 200;
const BUDGETS: ReadonlyMap<RefusalReason, 'day' | 'month'> = new Map([
  ['day_budget', 'day'],
  ['month_budget', 'month'],
]);

export async function openLedger(options: LedgerOptions): Promise<Ledger> {
  const { store, onAlert = () => {} } = options;
  const backend = await openBackend(options, onAlert);
  await backend.configure(options.configuration ?? STANDARD_CONFIGURATION);
  const ledger = createLedger(store, backend, onAlert);
  await ledger.recover();
  return ledger;
}

function openBackend(options: LedgerOptions, alert: (alert: LedgerAlert) => void): Promise<LedgerBackend> {
  const { store, version, nodeId, dataDir, silenceSeconds } = options;
  const host = hostname();
  if (store.dialect === 'sqlite') return openSqliteBackend({ store, host, version, dataDir, alert });
  return openPostgresBackend({ store, nodeId, host, version, dataDir, silenceSeconds, alert });
}

function createLedger(store: Store, backend: LedgerBackend, alert: (alert: LedgerAlert) => void): Ledger {
  const { named, checkpoints, runningOf, end } = trackCalls(backend, alert);
  const alerts = alertsOf(store, alert);
  let openCalls = 0;

  function open(request: ReserveRequest): Opening | Promise<Opening> {
    const call = callOf(request);
    if (call.lifetime === 'task')
      return askBackend(call, holdSnapshotText(call.takeSnapshot() ?? request.snapshot));
    const balance = backend.admit(call);
    return balance === undefined ? askBackend(call, '') : admit(call, balance);
  }

  async function askBackend(call: RunningCall, snapshot: string): Promise<Opening> {
    const result = await backend.reserve(call, snapshot).catch(unavailable);
    if (!result.ok) return alerts.refused(call, result);
    call.plan = result.plan;
    call.amount = result.amount;
    return admit(call, result.balance);
  }

  function admit(call: RunningCall, balance: number): Opening {
    if (call.lifetime === 'call') openCalls += 1;
    call.held = call.amount;
    return { ok: true, balance, amount: call.amount, call };
  }

  async function reserve(request: ReserveRequest): Promise<Admission> {
    const opening = await open(request);
    if (!opening.ok) return opening;
    named.set(request.requestId, opening.call as RunningCall);
    return { ok: true, balance: opening.balance };
  }

  async function extend(name: LedgerCall | string, moreAmount: number): Promise<boolean> {
    requireAmount(moreAmount, 'hold');
    const call = runningOf(name);
    const isLarger = await backend.extend(idOf(name), moreAmount, call).catch(unavailable);
    if (isLarger && call !== undefined) call.held += moreAmount;
    return isLarger;
  }

  function settle(name: LedgerCall | string, outcome: Outcome): Promise<Settlement> {
    if (!isAmount(outcome.charge)) return Promise.reject(notAmount(outcome.charge, 'charge'));
    const requestId = idOf(name);
    const call = end(name);
    return backend.settle(settlementOf(requestId, outcome, call), call, (result) => {
      if (call?.lifetime === 'call') openCalls -= 1;
      return alerts.settled(requestId, call, result);
    });
  }

  async function release(name: LedgerCall | string, failure?: Failure): Promise<void> {
    const call = end(name);
    try {
      await backend.release(releasedOf(idOf(name), failure, call), call);
    } finally {
      if (call?.lifetime === 'call') openCalls -= 1;
    }
  }

  return {
    get openCalls() {
      return openCalls;
    },
    get isWritable() {
      return backend.isWritable;
    },
    open,
    reserve,
    extend,
    renew: (call, snapshot) => runningOf(call)?.renew(snapshot),
    dispatched: (name, checkpoint) => checkpoints.note(idOf(name), runningOf(name), checkpoint),
    settle,
    release,
    recover: () => recoverAll(backend, end, alert),
    rollPeriod: (subscriptionId) => backend.rollPeriod(subscriptionId).catch(unavailable),
    heartbeat: backend.heartbeat,
    ...transfersOf(store, backend),
    configure: (configuration) => backend.configure(configuration),
    writeHolds: (userId) => backend.writeHolds(userId),
    probe: () => backend.probe(),
    async close() {
      await checkpoints.close();
      await backend.close();
    },
  };
}

/** A full disk, a locked file or a closed store refuses new spending. */
function unavailable(error: unknown): never {
  if (!isUnavailable(error)) throw error;
  throw new LedgerUnavailableError('the database cannot serve now', { cause: error });
}

function callOf(request: ReserveRequest): RunningCall {
  requireAmount(request.amount, 'hold');
  requireAmount(request.least ?? 0, 'hold');
  requireAmount(request.limits.tokens, 'tokens');
  return new RunningCall(request);
}

const idOf = (call: LedgerCall | string): string => (typeof call === 'string' ? call : call.requestId);

const ownerOf = (call: RunningCall | undefined): HoldOwner | undefined =>
  call && { userId: call.userId, tokenId: call.tokenId, plan: call.plan, budgets: call.budgets };

function settlementOf(requestId: string, outcome: Outcome, call: RunningCall | undefined) {
  const usedTokens = outcome.promptTokens + outcome.completionTokens;
  return {
    // First, because every call makes one: copying into an object that has members already costs five times as much.
    ...outcome,
    // Counted below; without a value it is not written.
    failed: undefined,
    requestId,
    at: 0,
    tokenDifference: call === undefined ? 0 : usedTokens - call.tokens,
    errorCount: outcome.failed === true ? 1 : 0,
    owner: ownerOf(call),
    held: call?.held,
  };
}

function releasedOf(requestId: string, failure: Failure | undefined, call: RunningCall | undefined) {
  const failed = failure && { ...failure, log: failure.log ?? null };
  return { requestId, at: 0, tokenDifference: -(call?.tokens ?? 0), failure: failed, owner: ownerOf(call) };
}

function trackCalls(backend: LedgerBackend, alert: (alert: LedgerAlert) => void) {
  const checkpoints = createCheckpoints(backend, (error) =>
    alert({ kind: 'fault', message: `checkpoints: ${String(error)}` }),
  );
  /** Calls opened by `reserve`, which end by their id. Most calls end by their handle and need no entry here. */
  const named = new Map<string, RunningCall>();

  const runningOf = (call: LedgerCall | string): RunningCall | undefined =>
    typeof call === 'string' ? named.get(call) : (call as RunningCall);

  /** Returns the call the first time; undefined when it has ended before or another process opened it. */
  function end(name: LedgerCall | string): RunningCall | undefined {
    const call = runningOf(name);
    const requestId = idOf(name);
    if (named.size > 0) named.delete(requestId);
    checkpoints.forget(requestId);
    if (call === undefined || call.isEnded) return undefined;
    call.isEnded = true;
    return call;
  }

  return { named, checkpoints, runningOf, end };
}

/** What the answers of the backend tell others, and what they say to the caller. */
function alertsOf(store: Store, alert: (alert: LedgerAlert) => void) {
  function tokenChanged(call: RunningCall, status: number): void {
    store.changes
      .announce('tokens', String(call.tokenId))
      .catch((error: unknown) => alert({ kind: 'fault', message: `announcement: ${String(error)}` }));
    if (status === TOKEN_EXHAUSTED)
      budgetReached(call, { subject: 'token', limit: 'quota', available: 0, retryAfterSeconds: 0 });
  }

  function budgetReached({ userId, tokenId }: RunningCall, reached: ReachedLimit): void {
    alert({ kind: 'budget_reached', ...reached, userId, tokenId });
  }

  return {
    refused(call: RunningCall, result: Extract<ReserveResult, { ok: false }>): Refusal {
      const { balance, available, reason, subject, retryAfterSeconds, tokenStatus, counterId } = result;
      if (tokenStatus !== 0) tokenChanged(call, tokenStatus);
      const limit = BUDGETS.get(reason);
      if (limit !== undefined && subject !== 'project')
        budgetReached(call, { subject, limit, available, retryAfterSeconds });
      return { ok: false, reason, subject, retryAfterSeconds, balance, available, counterId };
    },
    settled(requestId: string, call: RunningCall | undefined, result: SettleResult | undefined): Settlement {
      if (result === undefined) return { charged: 0, balance: 0, suspense: 0, duplicate: false };
      const { charged, balance, suspense, duplicate, tokenStatus } = result;
      if (tokenStatus !== 0 && call !== undefined) tokenChanged(call, tokenStatus);
      if (suspense > 0 || result.aboveHold > 0)
        excessAlerts(requestId, call?.userId ?? 0, result).forEach(alert);
      return { charged, balance, suspense, duplicate };
    },
  };
}

async function recoverAll(
  backend: LedgerBackend,
  end: (requestId: string) => void,
  alert: (alert: LedgerAlert) => void,
): Promise<number> {
  let resolved = 0;
  for (let round = 0; round < 1000; round += 1) {
    const results = await backend.recover(RECOVERY_CHUNK);
    for (const { requestId, how, charged, userId } of results) {
      end(requestId);
      if (how !== 'gone') alert({ kind: 'recovered', requestId, userId, how, charged });
    }
    resolved += results.length;
    if (results.length < RECOVERY_CHUNK) break;
  }
  return resolved;
}

function transfersOf(
  store: Store,
  backend: LedgerBackend,
): Pick<Ledger, 'credit' | 'debit' | 'transferWithin' | 'balance'> {
  const transfer = (request: Transfer) =>
    store.db.transaction().execute((transaction) => applyTransfer(transaction, store.dialect, request));
  return {
    credit: (request) => transfer({ ...request, to: 'user' }),
    async debit(request) {
      const result = await transfer({ ...request, from: 'user' });
      if (result.ok || result.reason !== 'insufficient_quota') return result;
      await backend.writeHolds(request.userId);
      return await transfer({ ...request, from: 'user' });
    },
    transferWithin: (transaction, request) => applyTransfer(transaction, store.dialect, request),
    async balance(userId) {
      await backend.writeHolds(userId);
      const user = await store.db
        .selectFrom('users')
        .select(['quota', 'held_quota'])
        .where('id', '=', userId)
        .executeTakeFirst();
      return user === undefined ? 0 : user.quota - user.held_quota;
    },
  };
}
