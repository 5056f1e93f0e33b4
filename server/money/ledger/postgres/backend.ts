// The ledger on PostgreSQL. Other nodes spend from the same balances: a call is admitted from the slice of this node, else the server
// decides. While it is away new calls are refused at once.
import { budgetCalendar } from '#contract/money/budget-windows.ts';
import type { LedgerBackend } from '#server/money/ledger/backend.ts';
import {
  NOTHING_IN_MEMORY,
  type Reserve,
  type ReserveResult,
  type Shortage,
} from '#server/money/ledger/engine/operations.ts';
import { LedgerUnavailableError } from '#server/money/ledger/errors.ts';
import { STANDARD_CONFIGURATION, type LedgerAlert } from '#server/money/ledger/ledger.ts';
import type { PostgresStore } from '#server/platform/store/store.ts';
import type { Identity } from './loaded.ts';
import { openNodeSlices, settleOperation, type NodeSlices } from './node-slices.ts';
import { readAbandonedHolds, beat, beginEpoch, STANDARD_SILENCE_SECONDS } from './nodes.ts';
import { openSubmissions, type Submissions } from './submissions.ts';

const HEARTBEATS_PER_SILENCE = 6;

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
  const identity = { nodeId: options.nodeId, epoch: await beginEpoch(options.store.nodePool, options) };
  let configuration = STANDARD_CONFIGURATION;
  let budgets = budgetCalendar(configuration.budgetZones);
  const { nodeId } = identity;
  const { alert, dataDir, silenceSeconds = STANDARD_SILENCE_SECONDS } = options;
  // Queries of the console must not take a connection from heartbeats, probes and recovery.
  const { nodePool: pool, changes } = options.store;
  const submissions = openSubmissions({
    pool,
    identity,
    dataDir,
    silenceSeconds,
    rules: () => ({ lowBalanceThreshold: configuration.lowBalanceThreshold, budgets }),
    alert,
    onAway: () => slices.end(),
  });
  const { submit, writer } = submissions;
  const slices = openNodeSlices({ identity, pool, changes, silenceSeconds, submit });
  const heart = heartOf(submissions, identity, options);
  await submissions.adoptSpools();

  return {
    get isWritable() {
      return !submissions.isAway;
    },
    // Other nodes spend from the same balance: beyond the slice of this node only the database can decide.
    admit: (call) => (submissions.isAway || heart.isSuperseded ? undefined : slices.admit(call)),
    async reserve(call, snapshot) {
      if (heart.isSuperseded) throw new LedgerUnavailableError('this node has been replaced');
      const operation = call.reservation(snapshot, NOTHING_IN_MEMORY);
      // A smaller hold only after nothing that is in slices can make the whole one possible.
      const canBeLess = call.least !== undefined && call.least < call.amount;
      const result = await takeOrAsk(submit, slices, { ...operation, least: undefined });
      return canBeLess && lacksAmount(result) ? await takeOrAsk(submit, slices, operation) : result;
    },
    async extend(requestId, moreAmount, call) {
      // Without its row the extension finds no hold and answers false.
      slices.writeRow(call).catch(() => {});
      const operation = { kind: 'extend', requestId, moreAmount, memoryHeld: NOTHING_IN_MEMORY } as const;
      const { isLarger, shortage } = await submit(operation);
      return isLarger || ((await isRelieved(slices, shortage)) && (await submit(operation)).isLarger);
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
      if (submissions.isAway) return false;
      await Promise.all(
        notes.flatMap(({ call, operation }) => [slices.writeRow(call), writer.submit(operation)]),
      );
      return true;
    },
    rollPeriod: (subscriptionId) => submit({ kind: 'rollPeriod', requestId: '', subscriptionId }),
    writeHolds: (userId) => slices.writeAll(userId),
    async probe() {
      await submit({ kind: 'extend', requestId: '', moreAmount: 0, memoryHeld: NOTHING_IN_MEMORY });
    },
    async recover(limit) {
      if (submissions.isAway) return [];
      // Before the holds of dead nodes are resolved: the real end of a call is better than its last checkpoint.
      await submissions.adoptSpools();
      const { connectedMs } = submissions;
      const ids = await readAbandonedHolds(pool, { nodeId, connectedMs, silenceSeconds, limit });
      const policy = configuration.recoveryPolicy;
      return await Promise.all(ids.map((requestId) => writer.submit({ kind: 'recover', requestId, policy })));
    },
    heartbeat: { everySeconds: silenceSeconds / HEARTBEATS_PER_SILENCE, beat: heart.beat },
    configure(next) {
      configuration = next;
      budgets = budgetCalendar(next.budgetZones);
      return Promise.resolve();
    },
    async close() {
      await Promise.all([submissions.idle(), slices.close()]);
      await submissions.close();
    },
  };
}

function heartOf(
  submissions: Submissions,
  identity: Identity,
  { store: { nodePool: pool }, alert }: PostgresBackendOptions,
) {
  let isSuperseded = false;
  return {
    get isSuperseded() {
      return isSuperseded;
    },
    async beat(this: void): Promise<void> {
      if (submissions.isAway || pool.ending || isSuperseded) return;
      try {
        if (await beat(pool, identity)) return;
      } catch (error) {
        return submissions.goAway(error);
      }
      // Another process runs under this name: one epoch must not have two writers.
      isSuperseded = true;
      alert({
        kind: 'superseded',
        message: `another process has taken the node name ${identity.nodeId}; this one admits no more calls`,
      });
    },
  };
}

/** An admitted call takes one submission; slices are taken back only before a refusal. */
async function takeOrAsk(
  submit: Submissions['submit'],
  slices: NodeSlices,
  operation: Reserve,
): Promise<ReserveResult> {
  const result = await submit(operation);
  if (!lacksAmount(result) || !(await isRelieved(slices, result.shortage))) return result;
  return await submit(operation);
}

/** What is in slices may be what is missing. */
async function isRelieved(slices: NodeSlices, shortage: Shortage | undefined): Promise<boolean> {
  return shortage !== undefined && (await slices.relieve(shortage).catch(() => false));
}

type Refused = Extract<ReserveResult, { ok: false }>;

const AMOUNT_REASONS: ReadonlySet<Refused['reason']> = new Set([
  'insufficient_user_quota',
  'insufficient_token_quota',
  'day_budget',
  'month_budget',
  'organization_budget',
]);

/** A smaller hold may be possible. A token that the refusal has closed would be refused for its status the next time. */
const lacksAmount = (result: ReserveResult): result is Refused =>
  !result.ok && result.tokenStatus === 0 && AMOUNT_REASONS.has(result.reason);
