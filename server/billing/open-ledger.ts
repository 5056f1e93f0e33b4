// Opens the ledger over a store: packs calls into operations, remembers which calls run, announces what others must know.
import { hostname } from 'node:os';
import { join } from 'node:path';
import { isUnavailable } from '#server/store/errors.ts';
import type { Store } from '#server/store/store.ts';
import type { LedgerBackend } from './backend.ts';
import { createCheckpoints, type NotedCall } from './checkpoints.ts';
import {
  logFields,
  refusalReasons,
  type ReserveResult,
  type SettleArgs,
  type SettleResult,
} from './engine/operations.ts';
import {
  LedgerUnavailableError,
  type Admission,
  type Checkpoint,
  type Failure,
  type Ledger,
  type LedgerAlert,
  type LedgerCall,
  type LedgerConfiguration,
  type Opening,
  type Outcome,
  type ReserveRequest,
  type Settlement,
  type Transfer,
} from './ledger.ts';
import { noLowBalanceMail } from './low-balance.ts';
import { isAmount, notAmount, requireAmount } from './money.ts';
import { openPostgresBackend } from './postgres/backend.ts';
import { holdSnapshotText } from './snapshot-text.ts';
import { openSqliteBackend } from './sqlite/backend.ts';
import { applyTransfer } from './transfer.ts';

export interface LedgerOptions {
  store: Store;
  /** Unique among the processes of one PostgreSQL database and the same after a restart: host name and worker number. */
  nodeId: string;
  /** Where the spool lies. */
  dataDir: string;
  version: string;
  /** PostgreSQL: a node that has not been heard of for this long is dead. Default 30. */
  silenceSeconds?: number;
  configuration?: LedgerConfiguration;
  onAlert?: (alert: LedgerAlert) => void;
}

const recoveryChunk = 200;

interface Running extends NotedCall, LedgerCall {
  readonly tokens: number;
  /** Ends by its id, on whichever node hears of it. */
  readonly isTask: boolean;
}

export async function openLedger(options: LedgerOptions): Promise<Ledger> {
  const { store, onAlert = () => {} } = options;
  const backend = await openBackend(options, onAlert);
  const standard: LedgerConfiguration = { lowBalanceMail: noLowBalanceMail, recoveryPolicy: 'checkpoint' };
  await backend.configure(options.configuration ?? standard);
  const ledger = createLedger(store, backend, onAlert);
  await ledger.recover();
  return ledger;
}

function openBackend(options: LedgerOptions, alert: (alert: LedgerAlert) => void): Promise<LedgerBackend> {
  const { store, version, nodeId, dataDir, silenceSeconds } = options;
  const host = hostname();
  if (store.dialect === 'sqlite') return openSqliteBackend(store, host, version);
  const spoolDirectory = join(dataDir, 'spool');
  return openPostgresBackend({ store, nodeId, host, version, spoolDirectory, silenceSeconds, alert });
}

function createLedger(store: Store, backend: LedgerBackend, alert: (alert: LedgerAlert) => void): Ledger {
  /** Calls that are known by their id. Most are not: entering and leaving this map would cost them more than the ledger. */
  const named = new Map<string, Running>();
  const checkpoints = createCheckpoints(backend, (error) =>
    alert({ kind: 'fault', message: `checkpoints: ${String(error)}` }),
  );
  let openCalls = 0;

  function announceToken(tokenId: number): void {
    store.changes
      .announce('tokens', String(tokenId))
      .catch((error: unknown) => alert({ kind: 'fault', message: `announcement: ${String(error)}` }));
  }

  /** A full disk, a locked file, a closed store: whatever keeps the database from serving refuses new spending. */
  function unavailable(error: unknown): never {
    if (!isUnavailable(error)) throw error;
    throw new LedgerUnavailableError('the database cannot serve now', { cause: error });
  }

  function open(request: ReserveRequest): Opening | Promise<Opening> {
    const { requestId, userId, tokenId, amount, limits, expiresAt, lifetime = 'call' } = request;
    requireAmount(amount, 'hold');
    requireAmount(limits.tokens, 'tokens');
    const isLate = backend.writesHoldsLate && lifetime === 'call';
    const call: Running = {
      requestId,
      userId,
      tokenId,
      amount,
      createdAt: Math.floor(Date.now() / 1000),
      expiresAt,
      earlyPlace: -1,
      tokens: limits.tokens,
      isTask: lifetime === 'task',
      snapshot: isLate ? request.snapshot : undefined,
    };
    const balance = lifetime === 'call' ? backend.admit(call) : undefined;
    if (balance !== undefined) return admitted(call, balance);
    return ask(call, isLate ? '' : holdSnapshotText(request.snapshot));
  }

  async function ask(call: Running, snapshot: string): Promise<Opening> {
    const { requestId, userId, tokenId, amount, tokens, expiresAt, isTask } = call;
    const lifetime = isTask ? 'task' : 'call';
    const args = [requestId, userId, tokenId, amount, tokens, expiresAt, snapshot, lifetime] as const;
    return opened(call, await backend.run('reserve', args, call).catch(unavailable));
  }

  function admitted(call: Running, balance: number): Opening {
    if (!call.isTask) openCalls += 1;
    return { ok: true, balance, call };
  }

  function opened(call: Running, result: ReserveResult): Opening {
    const [balance = 0, reason, subject, retryAfterSeconds = 0, tokenStatus = 0] = result;
    if (reason === undefined) return admitted(call, balance);
    if (tokenStatus !== 0) announceToken(call.tokenId);
    return {
      ok: false,
      reason: refusalReasons[reason] ?? 'user_unavailable',
      subject: subject === 0 ? 'user' : 'token',
      retryAfterSeconds,
      balance,
    };
  }

  async function reserve(request: ReserveRequest): Promise<Admission> {
    const opening = await open(request);
    if (!opening.ok) return opening;
    named.set(request.requestId, opening.call as Running);
    return { ok: true, balance: opening.balance };
  }

  const runningOf = (call: LedgerCall | string): Running | undefined =>
    typeof call === 'string' ? named.get(call) : (call as Running);

  const idOf = (call: LedgerCall | string): string => (typeof call === 'string' ? call : call.requestId);

  function dispatched(name: LedgerCall | string, checkpoint?: Checkpoint): void {
    checkpoints.note(idOf(name), runningOf(name), checkpoint);
  }

  /** The call has ended: nothing more is noted about it. */
  function forget(name: LedgerCall | string): Running | undefined {
    const call = runningOf(name);
    const requestId = idOf(name);
    if (named.size > 0) named.delete(requestId);
    checkpoints.forget(requestId);
    return call;
  }

  async function extend(name: LedgerCall | string, moreAmount: number): Promise<boolean> {
    const args = [idOf(name), requireAmount(moreAmount, 'hold')] as const;
    return await backend.run('extend', args, runningOf(name)).catch(unavailable);
  }

  function settle(name: LedgerCall | string, outcome: Outcome): Promise<Settlement> {
    if (!isAmount(outcome.charge)) return Promise.reject(notAmount(outcome.charge, 'charge'));
    const requestId = idOf(name);
    const call = forget(name);
    const usedTokens = outcome.promptTokens + outcome.completionTokens;
    const args: SettleArgs = [
      requestId,
      0,
      outcome.charge,
      call === undefined ? 0 : usedTokens - call.tokens,
      outcome.channelId,
      outcome.modelName,
      outcome.promptTokens,
      outcome.completionTokens,
      outcome.useTimeMs,
      outcome.firstTokenMs,
      outcome.failed === true ? 1 : 0,
      outcome.log === null ? null : logFields(outcome.log),
    ];
    return backend.settle(args, call, (result) => settled(requestId, call, result));
  }

  function settled(
    requestId: string,
    call: Running | undefined,
    result: SettleResult = [0, 0, 0, 0, 0],
  ): Settlement {
    if (call !== undefined) openCalls -= 1;
    const [charged, balance, suspense, duplicate, tokenStatus] = result;
    if (tokenStatus !== 0 && call !== undefined) announceToken(call.tokenId);
    if (suspense > 0) alert({ kind: 'suspense', requestId, userId: call?.userId ?? 0, amount: suspense });
    return { charged, balance, suspense, duplicate: duplicate === 1 };
  }

  async function release(name: LedgerCall | string, failure?: Failure): Promise<void> {
    const call = forget(name);
    const log = failure?.log === undefined ? null : logFields(failure.log);
    const cause = failure && ([failure.channelId, failure.modelName, failure.useTimeMs, log] as const);
    try {
      await backend.run('release', [idOf(name), 0, -(call?.tokens ?? 0), cause ?? null], call);
    } finally {
      if (call !== undefined) openCalls -= 1;
    }
  }

  async function recover(): Promise<number> {
    let resolved = 0;
    for (let round = 0; round < 1000; round += 1) {
      const results = await backend.recover(recoveryChunk);
      for (const [requestId, [how, charged, userId]] of results) {
        forget(requestId);
        if (how !== 'gone') alert({ kind: 'recovered', requestId, userId, how, charged });
      }
      resolved += results.length;
      if (results.length < recoveryChunk) break;
    }
    return resolved;
  }

  const transfer = (request: Transfer) =>
    store.db.transaction().execute((transaction) => applyTransfer(transaction, store.dialect, request));

  return {
    get openCalls() {
      return openCalls;
    },
    open,
    reserve,
    extend,
    dispatched,
    settle,
    release,
    recover,
    heartbeat: backend.heartbeat,
    credit: (request) => transfer({ ...request, to: 'user' }),
    debit: (request) => transfer({ ...request, from: 'user' }),
    transferWithin: (transaction, request) => applyTransfer(transaction, store.dialect, request),
    configure: (configuration) => backend.configure(configuration),
    writeHolds: () => backend.writeHolds(),
    async balance(userId) {
      await backend.writeHolds();
      const user = await store.db
        .selectFrom('users')
        .select(['quota', 'held_quota'])
        .where('id', '=', userId)
        .executeTakeFirst();
      return user === undefined ? 0 : user.quota - user.held_quota;
    },
    async close() {
      await checkpoints.close();
      await backend.close();
    },
  };
}
