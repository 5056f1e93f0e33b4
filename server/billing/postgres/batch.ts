// One group commit on PostgreSQL: lock and load, run the engine, write, commit. The operations happen together or not.
import type { PoolClient } from 'pg';
import type {
  LateSettleArgs,
  OperationName,
  Operations,
  ReserveArgs,
} from '#server/billing/engine/operations.ts';
import { recover } from '#server/billing/engine/recover.ts';
import { extend, reserve } from '#server/billing/engine/reserve.ts';
import type { LowBalanceMail, Rows } from '#server/billing/engine/rows.ts';
import { checkpoint, lateSettle, release, settle } from '#server/billing/engine/settle.ts';
import { loadBooked, loadRows, type Loaded, type Wanted } from './load.ts';
import { PostgresRows, type Identity } from './rows.ts';
import { writeChanges } from './write.ts';

export interface Operation {
  name: OperationName;
  args: readonly unknown[];
}

/** An operation threw: it alone is at fault, the others can run again. */
export class OperationFault extends Error {
  override name = 'OperationFault';
  readonly index: number;
  constructor(index: number, cause: unknown) {
    super('operation failed', { cause });
    this.index = index;
  }
}

export async function runBatch(
  client: PoolClient,
  operations: readonly Operation[],
  identity: Identity,
  lowBalanceMail: LowBalanceMail,
): Promise<unknown[]> {
  await client.query('begin');
  const loaded = await loadRows(client, wantedBy(operations));
  const missing = settledBefore(operations, loaded);
  const booked = missing.length === 0 ? new Map<string, never>() : await loadBooked(client, missing);
  const rows = new PostgresRows(loaded, booked, identity, lowBalanceMail);
  const results = operations.map((operation, index) => {
    try {
      return apply(rows, operation);
    } catch (error) {
      throw new OperationFault(index, error);
    }
  });
  await writeChanges(client, rows.changes());
  await client.query('commit');
  return results;
}

function wantedBy(operations: readonly Operation[]): Wanted {
  const requestIds = new Set<string>();
  const userIds = new Set<number>();
  const tokenIds = new Set<number>();
  for (const { name, args } of operations) {
    if (name === 'reserve') {
      const [requestId, userId, tokenId] = args as unknown as ReserveArgs;
      requestIds.add(requestId);
      userIds.add(userId);
      tokenIds.add(tokenId);
    } else if (name === 'lateSettle') {
      const [userId, tokenId, requestId] = args as unknown as LateSettleArgs;
      requestIds.add(requestId);
      userIds.add(userId);
      tokenIds.add(tokenId);
    } else {
      requestIds.add(args[0] as string);
    }
  }
  return { requestIds: [...requestIds], userIds: [...userIds], tokenIds: [...tokenIds] };
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
