// The regular check of the money; server/app/jobs runs it. It sums what is new in the ledger onto the kept sums and compares
// every balance with them, on a connection of its own and in short slices. It alerts; only a balance that was proven wrong
// by summing the user's rows anew suspends that user. A person decides the rest.
import type { Store } from '#server/platform/store/store.ts';
import { proveBalances, userPages, wrongAgainstKept } from './balances.ts';
import {
  BALANCE_INVARIANT,
  MOST_FINDINGS,
  ROWS_PER_SLICE,
  SLICES_PER_WRITE,
  withPause,
  type AuditSource,
  type Breach,
  type Pause,
  type Slice,
} from './breach.ts';
import { noSums, rowsOf, readSummedThrough, writeSums } from './kept-sums.ts';
import { checkRows, rowChecks } from './row-checks.ts';
import { makeStatistics } from './statistics.ts';
import { readSums, readSettledTop, SumsByUser } from './sums.ts';
import { checkTables, holdChecks, recentChecks, shortChecks } from './table-checks.ts';

const SUSPENDED = 3;

export interface MoneyAudit {
  /** Returns what is wrong. Ends early, after the slice it is in, when the signal is aborted. */
  check(signal?: AbortSignal): Promise<Breach[]>;
}

export interface MoneyAuditOptions {
  store: Store;
  onBreach: (breach: Breach) => void;
  /** Default: leaves the machine to calls most of the time. */
  pause?: Pause;
}

export function createMoneyAudit({ store, onBreach, pause = withPause }: MoneyAuditOptions): MoneyAudit {
  return {
    async check(signal = new AbortController().signal) {
      const reader = await store.openReader();
      const breaches: Breach[] = [];
      const report = (found: readonly Breach[]) => {
        for (const breach of found) onBreach(breach);
        breaches.push(...found);
      };
      try {
        await makeStatistics(reader);
        for (let through = -1; !signal.aborted;) {
          const before = through;
          through = await sumNewRows({ store, reader, pause, report, signal });
          // A long history: calls went on while it was summed.
          if (before >= 0 && through - before <= ROWS_PER_SLICE) break;
        }
        if (!signal.aborted) {
          const wrong = await checkBalances({ store, reader, pause, signal });
          for (const breach of wrong)
            if (breach.invariant === BALANCE_INVARIANT) await suspend(store, breach);
          report(wrong);
          report(await pause(() => checkTables({ ...holdChecks, ...recentChecks, ...shortChecks }, reader)));
        }
        return breaches;
      } finally {
        await reader.close();
      }
    },
  };
}

interface Run {
  store: Store;
  reader: AuditSource;
  pause: Pause;
  signal: AbortSignal;
}

/** Checks and sums the rows that no run has seen; returns how far the sums reach. */
async function sumNewRows(run: Run & { report: (found: readonly Breach[]) => void }): Promise<number> {
  const { store, reader, pause, report, signal } = run;
  const top = await readSettledTop(reader);
  let written = await readSummedThrough(reader);
  let from = written;
  let sums = new SumsByUser();
  while (from < top && !signal.aborted) {
    const slice: Slice = { from, through: Math.min(from + ROWS_PER_SLICE, top) };
    sums.add(await pause(() => readSums(reader, slice)));
    // Reported before the sums are written: a process that ends in between reports again instead of never.
    report(await pause(() => checkRows(rowChecks.ledgerChecks, reader, slice)));
    from = slice.through;
    // One slice has rows of most users, so writing after each would cost more than reading.
    if (from < top && !signal.aborted && from - written < ROWS_PER_SLICE * SLICES_PER_WRITE) continue;
    const rows = rowsOf(sums.sorted(), from);
    const start = written;
    await pause(() => writeSums(store, { rows, from: start }));
    written = from;
    sums = new SumsByUser();
  }
  return from;
}

async function checkBalances({ store, reader, pause, signal }: Run): Promise<Breach[]> {
  const suspects: number[] = [];
  for await (const users of userPages(reader)) {
    if (signal.aborted) return [];
    suspects.push(...(await pause(() => wrongAgainstKept(reader, users))));
    if (suspects.length >= MOST_FINDINGS) break;
  }
  if (suspects.length === 0) return [];
  const userIds = suspects.slice(0, MOST_FINDINGS);
  const through = await readSummedThrough(reader);
  const { breaches, sums } = await proveBalances(reader, { userIds, through, pause });
  const wrong = new Set(breaches.map(({ userId }) => userId));
  const right = userIds.filter((id) => !wrong.has(id));
  // The kept sums were wrong, not the balance: a row was committed after ones with higher ids had been summed.
  if (right.length > 0) {
    const known = new Set(sums.map(({ user_id }) => user_id));
    const rows = [
      ...right.filter((id) => !known.has(id)).map((id) => noSums(id, through)),
      ...rowsOf(
        sums.filter(({ user_id }) => !wrong.has(user_id)),
        through,
      ),
    ];
    await writeSums(store, { rows, from: undefined });
  }
  return breaches;
}

/** No new spending for this user. The super admin keeps access: only that account can lift the suspension. */
async function suspend(store: Store, breach: Breach): Promise<void> {
  const reason = `${breach.invariant}: ${breach.detail}`;
  const { numUpdatedRows } = await store.db
    .updateTable('users')
    .set({ status: SUSPENDED, suspended_reason: reason })
    .where('id', '=', breach.userId)
    .where('status', '=', 1)
    .where('role', '<', 100)
    .executeTakeFirst();
  if (numUpdatedRows > 0n) await store.changes.announce('users', String(breach.userId));
}
