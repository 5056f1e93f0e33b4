// The ledger on PostgreSQL: operations are sent in group commits. While the server is away new calls are refused at once, ending
// calls go to a synced local spool, and the spool is replayed before anything else.
import type { LedgerBackend } from '#server/billing/backend.ts';
import {
  nothingInMemory,
  type Operation,
  type Release,
  type ResultOf,
  type Settle,
  type SettleResult,
} from '#server/billing/engine/operations.ts';
import { LedgerUnavailableError } from '#server/billing/errors.ts';
import type { LedgerAlert, LedgerConfiguration } from '#server/billing/ledger.ts';
import { noLowBalanceMail } from '#server/billing/low-balance.ts';
import type { SpooledOperation } from '#server/billing/spool-lines.ts';
import { openSpool, spoolFileOf, spoolingNodes } from '#server/billing/spool.ts';
import type { PostgresStore } from '#server/store/store.ts';
import { runBatch } from './batch.ts';
import { runOnConnection } from './connection.ts';
import { isAwayError, withoutConflict } from './errors.ts';
import { KnownRows } from './known.ts';
import type { Identity } from './loaded.ts';
import { abandonedHolds, beat, beginEpoch, standardSilenceSeconds, silentNodes } from './nodes.ts';
import { openWriter, type Pending } from './writer.ts';

const probeEveryMs = 500;
const heartbeatsPerSilence = 6;

export interface PostgresBackendOptions {
  store: PostgresStore;
  nodeId: string;
  host: string;
  version: string;
  spoolDirectory: string;
  silenceSeconds?: number | undefined;
  alert: (alert: LedgerAlert) => void;
}

export async function openPostgresBackend(options: PostgresBackendOptions): Promise<LedgerBackend> {
  const { alert, nodeId, silenceSeconds = standardSilenceSeconds } = options;
  const { pool } = options.store;
  const { spoolDirectory } = options;
  const spool = openSpool(spoolFileOf(spoolDirectory, nodeId));
  const identity: Identity = { nodeId, epoch: await beginEpoch(pool, options) };
  let configuration: LedgerConfiguration = { lowBalanceMail: noLowBalanceMail, recoveryPolicy: 'checkpoint' };
  let isAway = false;
  let isClosed = false;
  let isSuperseded = false;
  let reachableSince = Date.now();
  let probe: ReturnType<typeof setTimeout> | undefined;

  const writer = openWriter({
    connection: pool.options,
    identity,
    lowBalanceMail: () => configuration.lowBalanceMail,
    onAway(error, sent) {
      goAway(error);
      for (const item of sent) void shelve(item, true);
    },
  });

  /** What becomes of an operation while the server is away. `wasSent`: its outcome is not known. */
  async function shelve({ operation, resolve, reject }: Pending, wasSent: boolean): Promise<void> {
    try {
      if (operation.kind === 'settle') {
        await spool.append({ ...operation, at: endedAt(operation.at) });
        resolve(spooledResult(operation.charge));
        return;
      }
      if (operation.kind === 'release') {
        await spool.append({ ...operation, at: endedAt(operation.at) });
        resolve(true);
        return;
      }
      // The hold may have been taken although its answer was lost: give it back when the server returns.
      if (operation.kind === 'reserve' && wasSent) {
        const { requestId } = operation;
        await spool.append({ kind: 'release', requestId, at: 0, tokenDifference: 0, failure: undefined });
      }
      reject(new LedgerUnavailableError('the database is away'));
    } catch (error) {
      reject(error);
    }
  }

  function goAway(error: unknown): void {
    if (isAway) return;
    isAway = true;
    alert({ kind: 'unavailable', message: error instanceof Error ? error.message : String(error) });
    for (const item of writer.stop()) void shelve(item, false);
    scheduleProbe();
  }

  function scheduleProbe(): void {
    if (isClosed) return;
    probe = setTimeout(() => {
      comeBack().catch(scheduleProbe);
    }, probeEveryMs);
  }

  async function comeBack(): Promise<void> {
    await runOnConnection(pool, (client) => client.query('select 1'));
    const replayed = await replaySpool();
    isAway = false;
    reachableSince = Date.now();
    alert({ kind: 'available', replayed });
    writer.resume();
  }

  async function replaySpool(): Promise<number> {
    let total = 0;
    // New lines may arrive while old ones are replayed; the last, empty round ends it.
    for (let round = 0; round < 1000; round += 1) {
      const count = await spool.drain(replay);
      total += count;
      if (count === 0) break;
    }
    return total;
  }

  /** A machine may come back under another name: the spool of its old name on this disk is replayed too. */
  async function adoptSpools(): Promise<void> {
    // After an outage every heartbeat is old for a while; a living neighbour's spool must not be touched.
    if (Date.now() - reachableSince < silenceSeconds * 1000) return;
    const others = (await spoolingNodes(spoolDirectory)).filter((name) => name !== nodeId);
    if (others.length === 0) return;
    for (const name of await silentNodes(pool, others, silenceSeconds)) {
      const left = openSpool(spoolFileOf(spoolDirectory, name));
      await left.drain(replay);
      await left.close();
    }
  }

  async function replay(lines: SpooledOperation[]): Promise<void> {
    const operations = lines.map(replayed);
    try {
      const { lowBalanceMail } = configuration;
      const circumstances = { identity, lowBalanceMail, isSynced: true };
      await withoutConflict(() =>
        runOnConnection(pool, (client) => runBatch(client, new KnownRows(nodeId), operations, circumstances)),
      );
    } catch (error) {
      if (isAwayError(error)) throw error;
      if (lines.length > 1) {
        for (const line of lines) await replay([line]);
        return;
      }
      alert({
        kind: 'fault',
        message: `a spooled operation was refused: ${JSON.stringify(lines)}: ${String(error)}`,
      });
    }
  }

  async function heartbeat(): Promise<void> {
    if (isAway || isClosed || isSuperseded) return;
    try {
      if (await beat(pool, identity)) return;
    } catch (error) {
      return goAway(error);
    }
    // Another process runs under this name: one spool and one epoch must not have two writers.
    isSuperseded = true;
    alert({
      kind: 'fault',
      message: `another process has taken the node name ${nodeId}; this one admits no more calls`,
    });
  }

  await replaySpool();

  function submit<Op extends Operation>(operation: Op): Promise<ResultOf<Op>> {
    if (pool.ending) return Promise.reject(new LedgerUnavailableError('the database is closed'));
    if (!isAway) return writer.submit(operation);
    return new Promise<ResultOf<Op>>((resolve, reject) => {
      void shelve({ operation, resolve, reject }, false);
    });
  }

  return {
    // Other nodes spend from the same balance: only the database can decide.
    admit: () => undefined,
    reserve({ requestId, userId, tokenId, amount, tokens, expiresAt, lifetime }, snapshot) {
      if (isSuperseded) return Promise.reject(new LedgerUnavailableError('this node has been replaced'));
      const subject = { requestId, userId, tokenId, amount, tokens, expiresAt, lifetime };
      return submit({ kind: 'reserve', ...subject, snapshot, memoryHeld: nothingInMemory });
    },
    extend: (requestId, moreAmount) =>
      submit({ kind: 'extend', requestId, moreAmount, memoryHeld: nothingInMemory }),
    settle(settlement, _call, onResult) {
      return submit(settleOperation(settlement)).then(onResult, (error: unknown) => {
        onResult(undefined);
        throw error;
      });
    },
    release: (released) => submit({ kind: 'release', ...released, memoryOwner: undefined }),
    async noteProgress(notes) {
      if (isAway) return;
      await Promise.all(notes.map(({ operation }) => writer.submit(operation)));
    },
    async writeHolds() {},
    async probe() {
      await submit({ kind: 'extend', requestId: '', moreAmount: 0, memoryHeld: nothingInMemory });
    },
    async recover(limit) {
      if (isAway) return [];
      // Before the holds of dead nodes are resolved: the real end of a call is better than its last checkpoint.
      await adoptSpools();
      const connectedMs = Date.now() - reachableSince;
      const ids = await abandonedHolds(pool, { nodeId, connectedMs, silenceSeconds, limit });
      const policy = configuration.recoveryPolicy;
      return await Promise.all(ids.map((requestId) => writer.submit({ kind: 'recover', requestId, policy })));
    },
    heartbeat: { everySeconds: silenceSeconds / heartbeatsPerSilence, beat: heartbeat },
    configure(next) {
      configuration = next;
      return Promise.resolve();
    },
    async close() {
      // What was submitted is awaited, for as long as one batch may take.
      for (let wait = 0; wait < 100 && writer.isBusy; wait += 1) await Bun.sleep(20);
      isClosed = true;
      clearTimeout(probe);
      await writer.close();
      await spool.close();
    },
  };
}

function settleOperation(settlement: Omit<Settle, 'kind' | 'isHoldInMemory' | 'memoryHeld'>): Settle {
  return { kind: 'settle', ...settlement, isHoldInMemory: false, memoryHeld: nothingInMemory };
}

/** A line keeps the time when the call ended, not the time of the replay. */
const endedAt = (at: number) => (at === 0 ? Math.floor(Date.now() / 1000) : at);

function replayed(line: SpooledOperation): Settle | Release {
  return line.kind === 'settle' ? settleOperation(line) : { ...line, memoryOwner: undefined };
}

function spooledResult(charged: number): SettleResult {
  return { charged, balance: -1, suspense: 0, duplicate: false, hadHold: true, tokenStatus: 0 };
}
