// One group commit on PostgreSQL: run the engine over the rows and write what changed, in one statement if this node remembers
// the rows. Unknown rows are read first; if rows were not current the batch runs again over rows it has locked.
import type { ClientBase } from 'pg';
import { apply } from '#server/money/ledger/engine/apply.ts';
import type { Operation } from '#server/money/ledger/engine/operations.ts';
import { isAwayError, isConflict, OperationFault } from './errors.ts';
import type { KnownRows } from './known.ts';
import { loadBooked, lockRows, readRows } from './load.ts';
import {
  nothingBooked,
  type BatchRules,
  type BookedBefore,
  type Identity,
  type Loaded,
  type Wanted,
} from './loaded.ts';
import { PostgresRows } from './rows.ts';
import { writeChanges } from './write.ts';

export interface Circumstances extends BatchRules {
  identity: Identity;
  /** True: durable when the batch is done. False: durable with the next synced commit. */
  isSynced: boolean;
}

/** What every step of a batch needs. */
interface BatchRun {
  client: ClientBase;
  known: KnownRows;
  wanted: Wanted;
  operations: readonly Operation[];
  circumstances: Circumstances;
}

export async function runBatch(
  client: ClientBase,
  known: KnownRows,
  operations: readonly Operation[],
  circumstances: Circumstances,
): Promise<unknown[]> {
  const wanted = known.wantedBy(operations);
  const run: BatchRun = { client, known, wanted, operations, circumstances };
  try {
    const results = wanted.needsHolds || known.isContended ? undefined : await runUnlocked(run);
    return results ?? (await runLocked(run));
  } catch (error) {
    known.forget(wanted);
    throw error;
  }
}

/** Undefined = nothing was written: a row had changed, or the database refused the statement. */
async function runUnlocked(run: BatchRun): Promise<unknown[] | undefined> {
  const { client, known, wanted, operations, circumstances } = run;
  const remembered = known.find(wanted);
  const loaded = remembered ?? (await readRows(client, wanted, circumstances.budgets));
  for (const hold of wanted.holds) loaded.holds.set(hold.id, hold);
  const { rows, results } = runEngine(loaded, nothingBooked, operations, circumstances);
  const changes = rows.changes();
  try {
    const written = await writeChanges(client, changes, circumstances.isSynced);
    const isCurrent = written?.isCurrent ?? true;
    known.judge(isCurrent, remembered !== undefined);
    if (isCurrent) {
      known.remember(loaded, changes, written?.version ?? 0, written?.now ?? loaded.nowMs);
      return results;
    }
  } catch (error) {
    if (isAwayError(error) || isConflict(error)) throw error;
  }
  known.forget(wanted);
  return undefined;
}

async function runLocked(run: BatchRun): Promise<unknown[]> {
  const { client, known, wanted, operations, circumstances } = run;
  await client.query('begin');
  const loaded = await lockRows(client, wanted, circumstances.budgets);
  const booked = await loadBooked(client, doubtful(operations, loaded), failedBefore(operations));
  const { rows, results } = runEngine(loaded, booked, operations, circumstances);
  const changes = rows.changes();
  const written = await writeChanges(client, changes, circumstances.isSynced);
  if (written?.isCurrent === false) throw new Error('a row changed under its lock');
  await client.query('commit');
  known.remember(loaded, changes, written?.version ?? 0, written?.now ?? loaded.nowMs);
  return results;
}

function runEngine(
  loaded: Loaded,
  booked: BookedBefore,
  operations: readonly Operation[],
  { identity, ...rules }: Circumstances,
): { rows: PostgresRows; results: unknown[] } {
  const rows = new PostgresRows(loaded, booked, identity, rules);
  const results = operations.map((operation, index) => {
    try {
      return apply(rows, operation);
    } catch (error) {
      throw new OperationFault(index, error);
    }
  });
  return { rows, results };
}

/** Calls that may have left the log row of their failure already. */
const failedBefore = (operations: readonly Operation[]): string[] =>
  operations.flatMap((operation) =>
    operation.kind === 'release' && operation.isAgain === true && operation.slice !== undefined
      ? [operation.requestId]
      : [],
  );

const DECIDED_BY_BOOKS: ReadonlySet<Operation['kind']> = new Set(['settle', 'release', 'writeHold']);

/** Calls that recovery ends, or whose end or row finds no hold: what was booked for them decides the result. */
function doubtful(operations: readonly Operation[], loaded: Loaded): string[] {
  return operations.flatMap(({ kind, requestId }) =>
    kind === 'recover' || (DECIDED_BY_BOOKS.has(kind) && !loaded.holds.has(requestId)) ? [requestId] : [],
  );
}
