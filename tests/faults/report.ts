// `npm run test:chaos -- --report [--rows M,C4]`: runs the tests of the rows, one file at a time, and writes docs/fault-results.md.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, release, totalmem } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { judgeRow, type FileResult } from './judge.ts';
import { findMarkedFiles } from './marks.ts';
import { plannedFaults } from './rows.ts';
import { runMarkedTests } from './run.ts';
import { makeTable, readTable } from './table.ts';

const root = path.join(import.meta.dir, '../..');
const table = path.join(root, 'docs/fault-results.md');
const limitSeconds = 300;

/** Lengths that keep each file within minutes; the caller's own values win. */
const lengths = {
  CHAOS_KILLS: '10',
  CRASH_ROUNDS: '10',
  TOLLGATE_CUTS: '1000',
  BILLING_STEPS: '20000',
  FUZZ_BODIES: '100000',
  TOLLGATE_SOAK_MINUTES: '1',
};

const { values } = parseArgs({ args: process.argv.slice(2), options: { rows: { type: 'string' } } });
const wanted = values.rows?.split(',');
/** `M` is all rows of money, `M4` one row. */
const isWanted = (id: string) =>
  wanted === undefined || wanted.some((part) => part === id || part === id.replace(/\d+$/, ''));

const say = (line: string) => process.stdout.write(`${line}\n`);
const machine = `${availableParallelism()} × ${cpus()[0]?.model ?? 'unknown processor'}, ${Math.round(totalmem() / 2 ** 30)} GB, Linux ${release().split('-')[0]}`;

const rows = plannedFaults.filter(({ id }) => isWanted(id));
if (rows.length === 0) throw new Error(`the plan has no row ${values.rows}`);
const results = existsSync(table) ? readTable(readFileSync(table, 'utf8')) : new Map();
const files: (FileResult & { rows: readonly string[] })[] = [];
for (const marked of findMarkedFiles(root)) {
  if (!marked.rows.some(isWanted)) continue;
  const startedAt = Date.now();
  const result = await runMarkedTests(marked.file, given(), limitSeconds);
  files.push({ ...result, rows: marked.rows });
  const failed = result.crashed || result.tests.some(({ outcome }) => outcome === 'failed');
  say(
    `${failed ? '✗' : '✓'} ${marked.file} (${((Date.now() - startedAt) / 1000).toFixed(1)} s): ${marked.rows.join(', ')}`,
  );
  if (failed) say(result.output.trimEnd());
}
const date = new Date().toISOString().slice(0, 10);
for (const row of rows) results.set(row.id, { id: row.id, ...judgeRow(row, files), date, machine });
writeFileSync(table, makeTable(results));
const notPassed = rows.filter(({ id }) => !results.get(id)?.passed).map(({ id }) => id);
say(
  `${rows.length - notPassed.length} of ${rows.length} rows pass${notPassed.length > 0 ? `; not: ${notPassed.join(', ')}` : ''}`,
);
process.exit(notPassed.length === 0 ? 0 : 1);

function given(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(lengths).map(([name, length]) => [name, process.env[name] ?? length]),
  );
}
