// The ledger on SQLite: every operation is a procedure of the writer thread, which commits in groups. What it answers is
// heard by `EarlyHolds`, which takes most holds without asking.
import type { HeldCall, LedgerBackend } from '#server/billing/backend.ts';
import type {
  ExtendArgs,
  LogFields,
  Operations,
  RecoverResult,
  RecoveryPolicy,
  ReleaseArgs,
  ReserveArgs,
  ReserveResult,
  SettleArgs,
  SettleResult,
} from '#server/billing/engine/operations.ts';
import type { SqliteStore } from '#server/store/store.ts';
import { EarlyHolds, type Means } from './early-holds.ts';

/** SQLite serves one process, so one name is enough; the epoch tells its runs apart. */
const nodeId = 'local';

export async function openSqliteBackend(
  store: SqliteStore,
  host: string,
  version: string,
): Promise<LedgerBackend> {
  const { writer } = store;
  const early = new EarlyHolds();
  let recoveryPolicy: RecoveryPolicy = 'checkpoint';
  writer.accompany(early);
  await writer.run('ledger.open', [nodeId, host, version]);

  /** For what may change any balance: nothing is decided ahead until it has ended. */
  async function paused<T>(work: () => Promise<T>): Promise<T> {
    early.pause();
    writer.sendAhead();
    try {
      return await work();
    } finally {
      early.resume();
    }
  }

  type Admission = [ReserveResult, Means | null];

  function reserve(args: ReserveArgs, call: HeldCall): Promise<ReserveResult> {
    const { amount } = call;
    // A task's hold outlives the process, so it is written at once.
    const isTask = args[7] === 'task';
    if (isTask) writer.sendAhead();
    early.ask(call, amount);
    const procedure = isTask ? 'ledger.reserveTask' : 'ledger.reserve';
    return writer.run(procedure, args, undefined, (answer: Admission | undefined): ReserveResult => {
      if (answer === undefined) {
        early.failed(call, amount);
        return [];
      }
      const [result, means] = answer;
      early.answered(call, amount, result.length === 1 ? amount : 0);
      if (means !== null) early.learn(call, means);
      return result;
    });
  }

  function extend(args: ExtendArgs, call: HeldCall): Promise<boolean> {
    const [, more] = args;
    writer.sendAhead();
    early.ask(call, more);
    return writer.run('ledger.extend', args, undefined, (isLarger: boolean | undefined) => {
      if (isLarger === undefined) early.failed(call, more);
      else early.answered(call, more, isLarger ? more : 0);
      if (isLarger === true) call.amount += more;
      return isLarger === true;
    });
  }

  function release(args: ReleaseArgs, call: HeldCall): Promise<boolean> {
    writer.sendAhead();
    return writer.run('ledger.release', args, undefined, (isReleased: boolean | undefined) => {
      if (isReleased === true) early.answered(call, 0, -call.amount);
      else early.failed(call, 0);
      return isReleased === true;
    });
  }

  function settle<T>(
    args: SettleArgs,
    call: HeldCall,
    tell: (result: SettleResult | undefined) => T,
  ): Promise<T> {
    const beyond = Math.max(0, args[2] - call.amount);
    if (beyond > 0) {
      writer.sendAhead();
      early.ask(call, beyond);
    }
    const isEarly = early.settle(call);
    const text = takeText(args[11]);
    // The list was given away to us, and the procedure reads one member more than the type of a settlement names.
    if (isEarly)
      (args as unknown as unknown[]).push([call.userId, call.tokenId, call.amount, call.createdAt]);
    const procedure = isEarly ? 'ledger.settleEarly' : 'ledger.settle';
    return writer.run(procedure, args, text, (result: SettleResult | undefined): T => {
      if (result === undefined || result[3] === 1) early.failed(call, beyond);
      else early.answered(call, beyond, result[0] - call.amount);
      return tell(result);
    });
  }

  return {
    writesHoldsLate: true,
    async writeHolds() {
      writer.sendAhead();
      await writer.run('ledger.writeHolds', []);
    },
    admit: (call) => early.admit(call),
    run<Name extends keyof Operations>(name: Name, args: readonly unknown[], call: HeldCall | undefined) {
      if (call !== undefined) {
        if (name === 'reserve') return reserve(args as ReserveArgs, call);
        if (name === 'extend') return extend(args as ExtendArgs, call);
        if (name === 'release') return release(args as ReleaseArgs, call);
      }
      // The probe of the overload watch changes nothing.
      if (name === 'extend' && args[1] === 0) return writer.run('ledger.extend', args);
      return paused(() => writer.run(`ledger.${name}`, args));
    },
    settle(args, call, tell) {
      if (call !== undefined) return settle(args, call, tell);
      return paused(() => writer.run('ledger.settle', args, takeText(args[11]), tell));
    },
    async checkpoints(list) {
      writer.sendAhead();
      await writer.run('ledger.checkpoints', list);
    },
    async recover(limit) {
      await writer.run('ledger.forgetWindows', []);
      return await paused(() =>
        writer.run<[string, RecoverResult][]>('ledger.recover', [recoveryPolicy, limit]),
      );
    },
    async configure(configuration) {
      ({ recoveryPolicy } = configuration);
      await writer.run('ledger.configure', [configuration.lowBalanceMail]);
    },
    async close() {},
  };
}

/** The last field of a log row is a text of JSON: it goes beside the others, as it is. The list is ours by now. */
function takeText(log: LogFields | null): string | undefined {
  return log === null ? undefined : ((log as (string | number)[]).pop() as string);
}
