// The time in which the database cannot be written, the same on both databases. It begins with the first failed write: from
// then on no new spending is admitted, and calls that end are stored in the spool. Twice a second the database is tried; when
// it takes a write again the spool is replayed, and admission begins again.
import { appendFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { unixSeconds } from '#contract/time.ts';
import { unknownSettlement, type SettleResult } from './engine/operations.ts';
import { LedgerUnavailableError } from './errors.ts';
import type { LedgerAlert } from './ledger.ts';
import { adoptSpool } from './spool-adoption.ts';
import type { SpooledOperation } from './spool-lines.ts';
import type { LeftSpool } from './spool-names.ts';
import type { Spool } from './spool.ts';

const PROBE_EVERY_MS = 500;

/** How long the end of an answer waits for a spool that cannot be written either. */
const PATIENCE_MS = 10_000;

export interface OutageOptions {
  spool: Spool;
  alert: (alert: LedgerAlert) => void;
  /** The database cannot serve now; every other error is the fault of one operation. */
  isUnavailable: (error: unknown) => boolean;
  /** Resolves when the database has taken a write. */
  probe: () => Promise<void>;
  /** One result for each operation. */
  replay: (operations: readonly SpooledOperation[]) => Promise<readonly (SettleResult | boolean)[]>;
  onEnd?: () => void;
  patienceMs?: number;
}

export interface Outage {
  readonly isNow: boolean;
  /** A write failed. */
  begin(error: unknown): void;
  /**
   * Resolves when the end of the call is durable. Rejects when that takes too long: the caller must not get the end of its
   * answer, but the call is still booked as soon as the disk or the database takes it.
   */
  keep(operation: SpooledOperation): Promise<void>;
  /** Books the spools of dead processes. */
  adopt(spools: readonly LeftSpool[]): Promise<void>;
  /** Stops trying; what is in the spool is for the next process. */
  close(this: void): Promise<void>;
}

export function createOutage(options: OutageOptions): Outage {
  const { spool, alert, isUnavailable, probe, onEnd } = options;
  const replay = (operations: readonly SpooledOperation[]) => book(options, operations);
  /** Ends that are in the spool: a job that ends the same task again and again adds one line. */
  const kept = new Map<string, Promise<void>>();
  let isNow = false;
  let closing: Promise<void> | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let ending: Promise<void> | undefined;

  function begin(error: unknown): void {
    if (isNow) return;
    isNow = true;
    alert({ kind: 'unavailable', message: error instanceof Error ? error.message : String(error) });
    scheduleProbe();
  }

  function scheduleProbe(): void {
    if (closing !== undefined) return;
    timer = setTimeout(() => {
      ending = end().catch(scheduleProbe);
    }, PROBE_EVERY_MS);
  }

  async function end(): Promise<void> {
    await probe();
    let replayed = 0;
    do {
      replayed += await spool.drain(replay);
    } while (!spool.isEmpty);
    // Nothing is awaited between the last look at the spool and this change: no line can be left behind.
    isNow = false;
    kept.clear();
    alert({ kind: 'available', replayed });
    onEnd?.();
  }

  async function close(): Promise<void> {
    clearTimeout(timer);
    await ending;
    await spool.close();
  }

  return {
    get isNow() {
      return isNow;
    },
    begin,
    keep(operation) {
      const key = `${operation.kind} ${operation.requestId}`;
      let durable = kept.get(key);
      if (durable === undefined) {
        // The line keeps the time when the call ended, not that of the replay.
        const at = operation.at === 0 ? unixSeconds() : operation.at;
        durable = spool.append({ ...operation, at });
        kept.set(key, durable);
      }
      return inTime(durable, options.patienceMs ?? PATIENCE_MS);
    },
    async adopt(spools) {
      for (const { path } of spools) {
        try {
          await adoptSpool(path, replay);
        } catch (error) {
          if (isUnavailable(error)) throw error;
          alert({ kind: 'fault', message: `the spool ${path} could not be booked: ${String(error)}` });
        }
      }
    },
    close() {
      closing ??= close();
      return closing;
    },
  };
}

/** Rejects while the database is unavailable. An operation that it refuses for good is kept for a person to decide. */
async function book(options: OutageOptions, operations: readonly SpooledOperation[]): Promise<void> {
  const { spool, alert, isUnavailable, replay } = options;
  try {
    const results = await replay(operations);
    for (const [index, operation] of operations.entries()) {
      const result = results[index];
      if (operation.kind !== 'settle' || typeof result !== 'object') continue;
      excessAlerts(operation.requestId, operation.owner?.userId ?? 0, result).forEach(alert);
    }
  } catch (error) {
    if (isUnavailable(error)) throw error;
    if (operations.length > 1) {
      for (const operation of operations) await book(options, [operation]);
      return;
    }
    const line = JSON.stringify(operations[0]);
    await appendFile(join(dirname(spool.path), 'refused-lines.txt'), `${line}\n`, { flush: true });
    alert({ kind: 'fault', message: `a spooled operation was refused: ${line}: ${String(error)}` });
  }
}

/** The alerts for a charge above its hold: one for the part that was paid, one for the part that was not. */
export function excessAlerts(
  requestId: string,
  userId: number,
  { suspense, aboveHold }: Pick<SettleResult, 'suspense' | 'aboveHold'>,
): LedgerAlert[] {
  const alerts: LedgerAlert[] = [];
  if (suspense > 0) alerts.push({ kind: 'suspense', requestId, userId, amount: suspense });
  if (aboveHold > 0) alerts.push({ kind: 'above_hold', requestId, userId, amount: aboveHold });
  return alerts;
}

/** The result of a spooled settlement: the charge is certain, the balance is not known. */
export const spooledResult = (charged: number): SettleResult => unknownSettlement(charged, false);

function inTime(durable: Promise<void>, limitMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new LedgerUnavailableError('the end of the call could not be stored in time'));
    }, limitMs);
    void durable.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
