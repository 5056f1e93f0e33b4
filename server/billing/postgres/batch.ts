// One group commit on PostgreSQL: run the engine over the rows, write what changed; the operations happen together or not.
// With rows this node remembers that is one statement. If they are not known, they are read first; if they were not
// current, the batch runs once more over rows it has locked.
import type { ClientBase } from 'pg';
import type { OperationName, Operations } from '#server/billing/engine/operations.ts';
import { recover } from '#server/billing/engine/recover.ts';
import { extend, reserve } from '#server/billing/engine/reserve.ts';
import type { LowBalanceMail, Rows } from '#server/billing/engine/rows.ts';
import { checkpoint, lateSettle, release, settle } from '#server/billing/engine/settle.ts';
import { isAwayError, isConflict, OperationFault } from './errors.ts';
import type { KnownRows, Wanted } from './known.ts';
import { loadBooked, lockRows, readRows } from './load.ts';
import { PostgresRows, type Identity, type Loaded } from './rows.ts';
import { writeChanges } from './write.ts';

export interface Operation {
  name: OperationName;
  args: readonly unknown[];
}

export interface Circumstances {
  identity: Identity;
  lowBalanceMail: LowBalanceMail;
  /** True: on the disk when the batch is done. False: with the next commit that is. */
  isSynced: boolean;
}

export async function runBatch(
  client: ClientBase,
  known: KnownRows,
  operations: readonly Operation[],
  circumstances: Circumstances,
): Promise<unknown[]> {
  const wanted = known.wantedBy(operations);
  try {
    const results =
      wanted.needsHolds || known.isContended
        ? undefined
        : await runUnlocked(client, known, wanted, operations, circumstances);
    return results ?? (await runLocked(client, known, wanted, operations, circumstances));
  } catch (error) {
    known.forget(wanted);
    throw error;
  }
}

/** Undefined = it came to nothing, because somebody else wrote or the database refused. */
async function runUnlocked(
  client: ClientBase,
  known: KnownRows,
  wanted: Wanted,
  operations: readonly Operation[],
  circumstances: Circumstances,
): Promise<unknown[] | undefined> {
  const remembered = known.find(wanted);
  const loaded = remembered ?? (await readRows(client, wanted));
  for (const hold of wanted.holds) loaded.holds.set(hold.id, hold);
  const { rows, results } = runEngine(loaded, new Map(), operations, circumstances);
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

async function runLocked(
  client: ClientBase,
  known: KnownRows,
  wanted: Wanted,
  operations: readonly Operation[],
  circumstances: Circumstances,
): Promise<unknown[]> {
  await client.query('begin');
  const loaded = await lockRows(client, wanted);
  const missing = settledBefore(operations, loaded);
  const booked = missing.length === 0 ? new Map<string, never>() : await loadBooked(client, missing);
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
  booked: ReadonlyMap<string, { amount: number; reference: string }>,
  operations: readonly Operation[],
  { identity, lowBalanceMail }: Circumstances,
): { rows: PostgresRows; results: unknown[] } {
  const rows = new PostgresRows(loaded, booked, identity, lowBalanceMail);
  const results = operations.map((operation, index) => {
    try {
      return apply(rows, operation);
    } catch (error) {
      throw new OperationFault(index, error);
    }
  });
  return { rows, results };
}

/** Keys of settlements that found no hold: what was booked for them decides the answer. */
function settledBefore(operations: readonly Operation[], loaded: Loaded): string[] {
  const idems: string[] = [];
  for (const { name, args } of operations) {
    if (name !== 'settle' && name !== 'lateSettle') continue;
    const requestId = (name === 'settle' ? args[0] : args[2]) as string;
    if (!loaded.holds.has(requestId)) idems.push(requestId, `${requestId}:late`);
  }
  return idems;
}

const engine: { readonly [Name in OperationName]: (rows: Rows, args: Operations[Name]['args']) => unknown } =
  {
    reserve,
    extend,
    checkpoint,
    settle,
    release,
    lateSettle,
    recover,
  };

function apply(rows: Rows, { name, args }: Operation): unknown {
  return (engine[name] as (rows: Rows, args: readonly unknown[]) => unknown)(rows, args);
}
