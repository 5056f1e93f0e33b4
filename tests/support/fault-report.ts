import { appendFileSync } from 'node:fs';

/** A row of docs/fault-results.md: money, crash and storage, upstream, callers and load, accounts, permissions and content. */
export type FaultRow = `${'M' | 'C' | 'U' | 'D' | 'A' | 'S'}${number}`;

/**
 * Records that the fault of a row happened in this test, with a short figure for the table. Call it after the line that
 * proves the fault (a count, an assertion), never at the start of the test: a row without this record does not pass.
 * Without FAULT_RESULTS, as in `npm test`, it does nothing.
 */
export function faultSeen(row: FaultRow, figure: string): void {
  const file = process.env['FAULT_RESULTS'];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify({ row, figure })}\n`);
}
