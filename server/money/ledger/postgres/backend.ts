// The ledger on PostgreSQL: operations are sent in group commits. While the server is away new calls are refused at once, ending
// calls go to the spool, and the spool is replayed before anything else.
import { join } from 'node:path';
import type { LedgerBackend } from '#server/money/ledger/backend.ts';
import {
  nothingInMemory,
  type Operation,
  type Release,
  type Reserve,
  type ReserveResult,
  type ResultOf,
  type Settle,
  type SettleResult,
  type Shortage,
} from '#server/money/ledger/engine/operations.ts';
import { LedgerUnavailableError } from '#server/money/ledger/errors.ts';
import type { LedgerAlert, LedgerConfiguration } from '#server/money/ledger/ledger.ts';
import { createOutage, spooledResult } from '#server/money/ledger/outage.ts';
import { leftSpools } from '#server/money/ledger/spool-adoption.ts';
import type { SpooledOperation } from '#server/money/ledger/spool-lines.ts';
import { openSpool } from '#server/money/ledger/spool.ts';
import type { PostgresStore } from '#server/platform/store/store.ts';
import { runBatch } from './batch.ts';
import { openLink } from './connection.ts';
import { isAwayError, withoutConflict } from './errors.ts';
import { KnownRows } from './known.ts';
import type { Identity } from './loaded.ts';
import { openNodeSlices, settleOperation } from './node-slices.ts';
import { abandonedHolds, beat, beginEpoch, standardSilenceSeconds, silentNodes } from './nodes.ts';
import { typesText } from './write.ts';
import { openWriter, syncStatement, type Pending } from './writer.ts';

const heartbeatsPerSilence = 6;

export interface PostgresBackendOptions {
  store: PostgresStore;
  nodeId: string;
  host: string;
  version: string;
  dataDir: string;
  silenceSeconds?: number | undefined;
  alert: (alert: LedgerAlert) => void;
}

export async function openPostgresBackend(options: PostgresBackendOptions): Promise<LedgerBackend> {
  const { alert, nodeId, dataDir, silenceSeconds = standardSilenceSeconds } = options;
  // Queries of the console must not take a connection from heartbeats, probes and recovery.
  const { nodePool: pool } = options.store;
  const directory = join(dataDir, 'spool');
  const identity: Identity = { nodeId, epoch: await beginEpoch(pool, options) };
  const spool = openSpool({ directory, nodeId, onFault: (message) => alert({ kind: 'fault', message }) });
  let configuration: LedgerConfiguration = { lowBalanceThreshold: -1, recoveryPolicy: 'checkpoint' };
  let isSuperseded = false;
  let reachableSince = Date.now();
  /** A batch of the spool is a transaction of several statements: it has a connection for itself. */
  const replaying = openLink(pool.options, (client) => client.query(typesText));

  const writer = openWriter({
    connection: pool.options,
    identity,
    lowBalanceThreshold: () => configuration.lowBalanceThreshold,
    onAway(error, sent) {
      goAway(error);
      for (const item of sent) void shelve(item, true);
    },
  });

  const outage = createOutage({
    spool,
    alert,
    isUnavailable: isAwayError,
    async probe() {
      await replaying.run((client) => client.query(syncStatement));
    },
    replay,
    onEnd() {
      reachableSince = Date.now();
      void replaying.close();
      writer.resume();
    },
  });

  const { changes } = options.store;
  const slices = openNodeSlices({ identity, pool, changes, silenceSeconds, submit });

  /** What becomes of an operation while the server is away. `wasSent`: its outcome is not known. */
  async function shelve({ operation, resolve, reject }: Pending, wasSent: boolean): Promise<void> {
    try {
      if (operation.kind === 'settle' || operation.kind === 'release') {
        await outage.keep(operation);
        return resolve(operation.kind === 'settle' ? spooledResult(operation.charge) : true);
      }
      // The hold may have been taken although its answer was lost: give it back when the server returns.
      if (operation.kind === 'reserve' && wasSent) {
        const { requestId } = operation;
        await outage.keep({ kind: 'release', requestId, at: 0, tokenDifference: 0, failure: undefined });
      }
      reject(new LedgerUnavailableError('the database is away'));
    } catch (error) {
      reject(error);
    }
  }

  function goAway(error: unknown): void {
    if (outage.isNow) return;
    outage.begin(error);
    slices.end();
    for (const item of writer.stop()) void shelve(item, false);
  }

  /** The spools that dead processes of this name left on this disk, and those of nodes that have long been silent. */
  async function adoptSpools(): Promise<void> {
    const left = await leftSpools(directory, spool.path);
    const others = left.map((found) => found.nodeId).filter((name) => name !== nodeId);
    // After an outage every heartbeat is old for a while.
    const isLongConnected = Date.now() - reachableSince >= silenceSeconds * 1000;
    const isAsked = isLongConnected && others.length > 0;
    const silent = new Set(isAsked ? await silentNodes(pool, others, silenceSeconds) : []);
    await outage.adopt(left.filter((found) => found.nodeId === nodeId || silent.has(found.nodeId)));
    if (left.length > 0 && !outage.isNow) await replaying.close();
  }

  async function replay(lines: readonly SpooledOperation[]): Promise<(SettleResult | boolean)[]> {
    const operations = lines.map(replayed);
    const { lowBalanceThreshold } = configuration;
    const circumstances = { identity, lowBalanceThreshold, isSynced: true };
    const results = await withoutConflict(() =>
      replaying.run((client) => runBatch(client, new KnownRows(nodeId), operations, circumstances)),
    );
    return results as (SettleResult | boolean)[];
  }

  async function heartbeat(): Promise<void> {
    if (outage.isNow || pool.ending || isSuperseded) return;
    try {
      if (await beat(pool, identity)) return;
    } catch (error) {
      return goAway(error);
    }
    // Another process runs under this name: one epoch must not have two writers.
    isSuperseded = true;
    alert({
      kind: 'superseded',
      message: `another process has taken the node name ${nodeId}; this one admits no more calls`,
    });
  }

  await adoptSpools();

  function submit<Op extends Operation>(operation: Op): Promise<ResultOf<Op>> {
    if (pool.ending) return Promise.reject(new LedgerUnavailableError('the database is closed'));
    if (!outage.isNow) return writer.submit(operation);
    return new Promise<ResultOf<Op>>((resolve, reject) => {
      void shelve({ operation, resolve, reject }, false);
    });
  }

  /** What is in slices may be what is missing. */
  async function isRelieved(shortage: Shortage | undefined): Promise<boolean> {
    return shortage !== undefined && (await slices.relieve(shortage).catch(() => false));
  }

  /** An admitted call takes one submission; slices are taken back only before a refusal. */
  async function takeOrAsk(operation: Reserve): Promise<ReserveResult> {
    const result = await submit(operation);
    if (!lacksAmount(result) || !(await isRelieved(result.shortage))) return result;
    return await submit(operation);
  }

  /** Waits for what was submitted, for as long as one batch may take. */
  async function idle(): Promise<void> {
    for (let wait = 0; wait < 100 && writer.isBusy; wait += 1) await Bun.sleep(20);
  }

  return {
    get isWritable() {
      return !outage.isNow;
    },
    // Other nodes spend from the same balance: beyond the slice of this node only the database can decide.
    admit: (call) => (outage.isNow || isSuperseded ? undefined : slices.admit(call)),
    async reserve(call, snapshot) {
      if (isSuperseded) throw new LedgerUnavailableError('this node has been replaced');
      const operation = call.reservation(snapshot, nothingInMemory);
      // A smaller hold only after nothing that is in slices can make the whole one possible.
      const canBeLess = call.least !== undefined && call.least < call.amount;
      const result = await takeOrAsk({ ...operation, least: undefined });
      return canBeLess && lacksAmount(result) ? await takeOrAsk(operation) : result;
    },
    async extend(requestId, moreAmount, call) {
      // Without its row the extension finds no hold and answers false.
      slices.writeRow(call).catch(() => {});
      const operation = { kind: 'extend', requestId, moreAmount, memoryHeld: nothingInMemory } as const;
      const { isLarger, shortage } = await submit(operation);
      return isLarger || ((await isRelieved(shortage)) && (await submit(operation)).isLarger);
    },
    settle(settlement, call, onResult) {
      const settling =
        call === undefined ? submit(settleOperation(settlement)) : slices.settle(settlement, call);
      return settling.then(onResult, (error: unknown) => {
        onResult(undefined);
        throw error;
      });
    },
    release: (released, call) => slices.release(released, call),
    async noteProgress(notes) {
      if (outage.isNow) return false;
      await Promise.all(
        notes.flatMap(({ call, operation }) => [slices.writeRow(call), writer.submit(operation)]),
      );
      return true;
    },
    rollPeriod: (subscriptionId) => submit({ kind: 'rollPeriod', requestId: '', subscriptionId }),
    writeHolds: (userId) => slices.writeAll(userId),
    async probe() {
      await submit({ kind: 'extend', requestId: '', moreAmount: 0, memoryHeld: nothingInMemory });
    },
    async recover(limit) {
      if (outage.isNow) return [];
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
      await Promise.all([idle(), slices.close()]);
      // What is still on its way then fails and goes to the spool.
      await writer.close();
      await idle();
      await outage.close();
      await replaying.close();
    },
  };
}

type Refused = Extract<ReserveResult, { ok: false }>;

const amountReasons: ReadonlySet<Refused['reason']> = new Set([
  'insufficient_user_quota',
  'insufficient_token_quota',
  'day_budget',
  'month_budget',
]);

/** A smaller hold may be possible. A token that the refusal has closed would be refused for its status the next time. */
const lacksAmount = (result: ReserveResult): result is Refused =>
  !result.ok && result.tokenStatus === 0 && amountReasons.has(result.reason);

function replayed(line: SpooledOperation): Settle | Release {
  return line.kind === 'settle' ? settleOperation(line) : { ...line, isAgain: true };
}
