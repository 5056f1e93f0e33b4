// The ledger on PostgreSQL: operations leave in group commits. When the server is away new calls are refused at once,
// ending calls go to a synced local spool, and the spool is replayed before anything else.
import type { AskedOperation, LedgerBackend } from '#server/billing/backend.ts';
import type { Operations, RecoverResult, SettleResult } from '#server/billing/engine/operations.ts';
import {
  LedgerUnavailableError,
  type LedgerAlert,
  type LedgerConfiguration,
} from '#server/billing/ledger.ts';
import { noLowBalanceMail } from '#server/billing/low-balance.ts';
import { openSpool, spoolFileOf, spoolingNodes, type SpooledOperation } from '#server/billing/spool.ts';
import type { PostgresStore } from '#server/store/store.ts';
import { runBatch, type Operation } from './batch.ts';
import { runOnConnection } from './connection.ts';
import { isAwayError, withoutConflict } from './errors.ts';
import { KnownRows } from './known.ts';
import { abandonedHolds, beat, beginEpoch, standardSilenceSeconds, silentNodes } from './nodes.ts';
import type { Identity } from './rows.ts';
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

  /** What an operation becomes while the server is away. `wasSent` = its outcome is not known. */
  async function shelve(item: Pending, wasSent: boolean): Promise<void> {
    try {
      if (item.name === 'settle' || item.name === 'lateSettle' || item.name === 'release') {
        await spool.append(dated(item));
        const charge = item.args[item.name === 'lateSettle' ? 4 : 2] as number;
        item.resolve(item.name === 'release' ? true : [charge, -1, 0, 0, 0]);
        return;
      }
      // The hold may have been taken although nobody heard of it: give it back when the server returns.
      if (item.name === 'reserve' && wasSent) {
        await spool.append({ name: 'release', args: [item.args[0], 0, 0, null] });
      }
      item.reject(new LedgerUnavailableError('the database is away'));
    } catch (error) {
      item.reject(error);
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

  /** A machine may come back under another name: what its old name left on this disk is booked all the same. */
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

  async function replay(operations: SpooledOperation[]): Promise<void> {
    try {
      const { lowBalanceMail } = configuration;
      const circumstances = { identity, lowBalanceMail, isSynced: true };
      await withoutConflict(() =>
        runOnConnection(pool, (client) => runBatch(client, new KnownRows(nodeId), operations, circumstances)),
      );
    } catch (error) {
      if (isAwayError(error)) throw error;
      if (operations.length > 1) {
        for (const operation of operations) await replay([operation]);
        return;
      }
      alert({
        kind: 'fault',
        message: `a spooled operation was refused: ${JSON.stringify(operations)}: ${String(error)}`,
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
    // Another process runs under this name: two writers of one spool and one epoch must not be.
    isSuperseded = true;
    alert({
      kind: 'fault',
      message: `another process has taken the node name ${nodeId}; this one admits no more calls`,
    });
  }

  await replaySpool();

  function submit<T>(operation: Operation): Promise<T> {
    if (pool.ending) return Promise.reject(new LedgerUnavailableError('the database is closed'));
    const answer = isAway
      ? new Promise((resolve, reject) => void shelve({ ...operation, resolve, reject }, false))
      : writer.submit(operation);
    return answer as Promise<T>;
  }

  return {
    // Its row is written at once, for the other nodes; the snapshot, with the first checkpoint, for recovery.
    writesHoldsLate: true,
    async writeHolds() {},
    // Other nodes spend from the same balance: only the database can say.
    admit: () => undefined,
    run<Name extends AskedOperation>(name: Name, args: readonly unknown[]) {
      if (isSuperseded && name === 'reserve')
        return Promise.reject(new LedgerUnavailableError('this node has been replaced'));
      return submit<Operations[Name]['result']>({ name, args });
    },
    settle(args, owner, tell) {
      const operation: Operation =
        owner === undefined
          ? { name: 'settle', args }
          : { name: 'lateSettle', args: [owner.userId, owner.tokenId, ...args] };
      return submit<SettleResult>(operation).then(tell, (error: unknown) => {
        tell(undefined);
        throw error;
      });
    },
    async checkpoints(list) {
      if (isAway) return;
      await Promise.all(list.map((args) => writer.submit({ name: 'checkpoint', args })));
    },
    async recover(limit) {
      if (isAway) return [];
      // Before the holds of the dead are resolved: what really ended is better than its last checkpoint.
      await adoptSpools();
      const ids = await abandonedHolds(pool, identity, Date.now() - reachableSince, silenceSeconds, limit);
      const results = await Promise.all(
        ids.map((id) => writer.submit({ name: 'recover', args: [id, configuration.recoveryPolicy] })),
      );
      return results.map((result, index) => [ids[index] ?? '', result as RecoverResult] as const);
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

/** The time the call ended, not the time of the replay. */
function dated(item: Operation): SpooledOperation {
  const args = [...item.args];
  const position = item.name === 'lateSettle' ? 3 : 1;
  if (args[position] === 0) args[position] = Math.floor(Date.now() / 1000);
  return { name: item.name, args };
}
