// The ledger on PostgreSQL. Other nodes spend from the same balances: a call is admitted from the slice of this node, else the server
// decides. While it is away new calls are refused at once.
import type { LedgerBackend, ProgressNote, ReleasedCall, Settlement } from '#server/money/ledger/backend.ts';
import {
  nothingInMemory,
  type RecoverResult,
  type Reserve,
  type ReserveResult,
  type SettleResult,
  type Shortage,
} from '#server/money/ledger/engine/operations.ts';
import { LedgerUnavailableError } from '#server/money/ledger/errors.ts';
import type { Heartbeat, LedgerAlert, LedgerConfiguration } from '#server/money/ledger/ledger.ts';
import type { RunningCall } from '#server/money/ledger/running-call.ts';
import type { PostgresStore } from '#server/platform/store/store.ts';
import type { Identity } from './loaded.ts';
import { openNodeSlices, settleOperation, type NodeSlices } from './node-slices.ts';
import { abandonedHolds, beat, beginEpoch, standardSilenceSeconds } from './nodes.ts';
import { openSubmissions, type Submissions } from './submissions.ts';

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
  const identity = { nodeId: options.nodeId, epoch: await beginEpoch(options.store.nodePool, options) };
  const backend = new PostgresBackend(options, identity);
  await backend.adoptSpools();
  return backend;
}

class PostgresBackend implements LedgerBackend {
  readonly heartbeat: Heartbeat;
  readonly #options: PostgresBackendOptions;
  readonly #identity: Identity;
  readonly #silenceSeconds: number;
  readonly #submissions: Submissions;
  readonly #slices: NodeSlices;
  #configuration: LedgerConfiguration = { lowBalanceThreshold: -1, recoveryPolicy: 'checkpoint' };
  #isSuperseded = false;

  constructor(options: PostgresBackendOptions, identity: Identity) {
    const { alert, dataDir, silenceSeconds = standardSilenceSeconds } = options;
    // Queries of the console must not take a connection from heartbeats, probes and recovery.
    const { nodePool: pool, changes } = options.store;
    this.#options = options;
    this.#identity = identity;
    this.#silenceSeconds = silenceSeconds;
    this.#submissions = openSubmissions({
      pool,
      identity,
      dataDir,
      silenceSeconds,
      lowBalanceThreshold: () => this.#configuration.lowBalanceThreshold,
      alert,
      onAway: () => this.#slices.end(),
    });
    const { submit } = this.#submissions;
    this.#slices = openNodeSlices({ identity, pool, changes, silenceSeconds, submit });
    this.heartbeat = { everySeconds: silenceSeconds / heartbeatsPerSilence, beat: () => this.#beat() };
  }

  get isWritable(): boolean {
    return !this.#submissions.isAway;
  }

  // Other nodes spend from the same balance: beyond the slice of this node only the database can decide.
  admit(call: RunningCall): number | undefined {
    return this.#submissions.isAway || this.#isSuperseded ? undefined : this.#slices.admit(call);
  }

  async reserve(call: RunningCall, snapshot: string): Promise<ReserveResult> {
    if (this.#isSuperseded) throw new LedgerUnavailableError('this node has been replaced');
    const operation = call.reservation(snapshot, nothingInMemory);
    // A smaller hold only after nothing that is in slices can make the whole one possible.
    const canBeLess = call.least !== undefined && call.least < call.amount;
    const result = await this.#takeOrAsk({ ...operation, least: undefined });
    return canBeLess && lacksAmount(result) ? await this.#takeOrAsk(operation) : result;
  }

  /** An admitted call takes one submission; slices are taken back only before a refusal. */
  async #takeOrAsk(operation: Reserve): Promise<ReserveResult> {
    const { submit } = this.#submissions;
    const result = await submit(operation);
    if (!lacksAmount(result) || !(await this.#isRelieved(result.shortage))) return result;
    return await submit(operation);
  }

  /** What is in slices may be what is missing. */
  async #isRelieved(shortage: Shortage | undefined): Promise<boolean> {
    return shortage !== undefined && (await this.#slices.relieve(shortage).catch(() => false));
  }

  async extend(requestId: string, moreAmount: number, call: RunningCall | undefined): Promise<boolean> {
    const { submit } = this.#submissions;
    // Without its row the extension finds no hold and answers false.
    this.#slices.writeRow(call).catch(() => {});
    const operation = { kind: 'extend', requestId, moreAmount, memoryHeld: nothingInMemory } as const;
    const { isLarger, shortage } = await submit(operation);
    return isLarger || ((await this.#isRelieved(shortage)) && (await submit(operation)).isLarger);
  }

  settle<T>(
    settlement: Settlement,
    call: RunningCall | undefined,
    onResult: (result: SettleResult | undefined) => T,
  ): Promise<T> {
    const settling =
      call === undefined
        ? this.#submissions.submit(settleOperation(settlement))
        : this.#slices.settle(settlement, call);
    return settling.then(onResult, (error: unknown) => {
      onResult(undefined);
      throw error;
    });
  }

  release(released: ReleasedCall, call: RunningCall | undefined): Promise<boolean> {
    return this.#slices.release(released, call);
  }

  async noteProgress(notes: readonly ProgressNote[]): Promise<boolean> {
    if (this.#submissions.isAway) return false;
    const { writer } = this.#submissions;
    await Promise.all(
      notes.flatMap(({ call, operation }) => [this.#slices.writeRow(call), writer.submit(operation)]),
    );
    return true;
  }

  rollPeriod(subscriptionId: number): Promise<boolean> {
    return this.#submissions.submit({ kind: 'rollPeriod', requestId: '', subscriptionId });
  }

  writeHolds(userId: number | undefined): Promise<void> {
    return this.#slices.writeAll(userId);
  }

  async probe(): Promise<void> {
    const nothing = { kind: 'extend', requestId: '', moreAmount: 0, memoryHeld: nothingInMemory } as const;
    await this.#submissions.submit(nothing);
  }

  adoptSpools(): Promise<void> {
    return this.#submissions.adoptSpools();
  }

  async recover(limit: number): Promise<readonly RecoverResult[]> {
    if (this.#submissions.isAway) return [];
    // Before the holds of dead nodes are resolved: the real end of a call is better than its last checkpoint.
    await this.adoptSpools();
    const { connectedMs, writer } = this.#submissions;
    const { nodeId } = this.#identity;
    const silenceSeconds = this.#silenceSeconds;
    const ids = await abandonedHolds(this.#pool, { nodeId, connectedMs, silenceSeconds, limit });
    const policy = this.#configuration.recoveryPolicy;
    return await Promise.all(ids.map((requestId) => writer.submit({ kind: 'recover', requestId, policy })));
  }

  configure(configuration: LedgerConfiguration): Promise<void> {
    this.#configuration = configuration;
    return Promise.resolve();
  }

  async close(): Promise<void> {
    await Promise.all([this.#submissions.idle(), this.#slices.close()]);
    await this.#submissions.close();
  }

  get #pool() {
    return this.#options.store.nodePool;
  }

  async #beat(): Promise<void> {
    if (this.#submissions.isAway || this.#pool.ending || this.#isSuperseded) return;
    try {
      if (await beat(this.#pool, this.#identity)) return;
    } catch (error) {
      return this.#submissions.goAway(error);
    }
    // Another process runs under this name: one epoch must not have two writers.
    this.#isSuperseded = true;
    this.#options.alert({
      kind: 'superseded',
      message: `another process has taken the node name ${this.#identity.nodeId}; this one admits no more calls`,
    });
  }
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
