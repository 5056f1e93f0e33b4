// How operations reach the server: in group commits by the writer, and while the server is away into the spool, which is replayed before
// anything else is sent.
import { join } from 'node:path';
import type { Pool } from 'pg';
import type {
  Operation,
  Release,
  ResultOf,
  Settle,
  SettleResult,
} from '#server/money/ledger/engine/operations.ts';
import { LedgerUnavailableError } from '#server/money/ledger/errors.ts';
import type { LedgerAlert } from '#server/money/ledger/ledger.ts';
import { createOutage, spooledResult, type Outage } from '#server/money/ledger/outage.ts';
import { listLeftSpools } from '#server/money/ledger/spool-adoption.ts';
import type { SpooledOperation } from '#server/money/ledger/spool-lines.ts';
import { openSpool } from '#server/money/ledger/spool.ts';
import { runBatch } from './batch.ts';
import type { BatchRules } from './loaded.ts';
import { openLink } from './connection.ts';
import { isAwayError, withoutConflict } from './errors.ts';
import { KnownRows } from './known.ts';
import type { Identity } from './loaded.ts';
import { settleOperation } from './node-slices.ts';
import { silentNodes } from './nodes.ts';
import { typesText } from './write.ts';
import { openWriter, SYNC_STATEMENT, type Pending } from './writer.ts';

export interface SubmissionOptions {
  pool: Pool;
  identity: Identity;
  dataDir: string;
  silenceSeconds: number;
  rules: () => BatchRules;
  alert: (alert: LedgerAlert) => void;
  /** The server is gone. */
  onAway: () => void;
}

export type Submissions = ReturnType<typeof openSubmissions>;

export function openSubmissions(options: SubmissionOptions) {
  const { pool, identity, silenceSeconds, rules, alert } = options;
  const { nodeId } = identity;
  const directory = join(options.dataDir, 'spool');
  const spool = openSpool({ directory, nodeId, onFault: (message) => alert({ kind: 'fault', message }) });
  let reachableSince = Date.now();
  /** A batch of the spool is a transaction of several statements: it has a connection for itself. */
  const replaying = openLink(pool.options, (client) => client.query(typesText));
  const writer = openWriter({
    connection: pool.options,
    identity,
    rules,
    onAway(error, sent) {
      goAway(error);
      for (const item of sent) void shelve(outage, item, true);
    },
  });
  const outage = createOutage({
    spool,
    alert,
    isUnavailable: isAwayError,
    async probe() {
      await replaying.run((client) => client.query(SYNC_STATEMENT));
    },
    async replay(lines) {
      const circumstances = { identity, ...rules(), isSynced: true };
      const results = await withoutConflict(() =>
        replaying.run((client) =>
          runBatch(client, new KnownRows(nodeId), lines.map(replayed), circumstances),
        ),
      );
      return results as (SettleResult | boolean)[];
    },
    onEnd() {
      reachableSince = Date.now();
      void replaying.close();
      writer.resume();
    },
  });

  function goAway(error: unknown): void {
    if (outage.isNow) return;
    outage.begin(error);
    options.onAway();
    for (const item of writer.stop()) void shelve(outage, item, false);
  }

  return {
    writer,
    goAway,
    get isAway() {
      return outage.isNow;
    },
    /** For how long the server has been there. */
    get connectedMs() {
      return Date.now() - reachableSince;
    },
    submit<Op extends Operation>(this: void, operation: Op): Promise<ResultOf<Op>> {
      if (pool.ending) return Promise.reject(new LedgerUnavailableError('the database is closed'));
      if (!outage.isNow) return writer.submit(operation);
      return new Promise<ResultOf<Op>>((resolve, reject) => {
        void shelve(outage, { operation, resolve, reject }, false);
      });
    },
    /** The spools that dead processes of this name left on this disk, and those of nodes that have long been silent. */
    async adoptSpools(): Promise<void> {
      const left = await listLeftSpools(directory, spool.path);
      const others = left.map((found) => found.nodeId).filter((name) => name !== nodeId);
      // After an outage every heartbeat is old for a while.
      const isAsked = this.connectedMs >= silenceSeconds * 1000 && others.length > 0;
      const silent = new Set(isAsked ? await silentNodes(pool, others, silenceSeconds) : []);
      await outage.adopt(left.filter((found) => found.nodeId === nodeId || silent.has(found.nodeId)));
      if (left.length > 0 && !outage.isNow) await replaying.close();
    },
    /** Waits for what was submitted, for as long as one batch may take. */
    idle: () => idle(writer),
    async close(): Promise<void> {
      // What is still on its way then fails and goes to the spool.
      await writer.close();
      await idle(writer);
      await outage.close();
      await replaying.close();
    },
  };
}

async function idle(writer: { readonly isBusy: boolean }): Promise<void> {
  for (let wait = 0; wait < 100 && writer.isBusy; wait += 1) await Bun.sleep(20);
}

/** What becomes of an operation while the server is away. `wasSent`: its outcome is not known. */
async function shelve(
  outage: Outage,
  { operation, resolve, reject }: Pending,
  wasSent: boolean,
): Promise<void> {
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

function replayed(line: SpooledOperation): Settle | Release {
  return line.kind === 'settle' ? settleOperation(line) : { ...line, isAgain: true };
}
