// Money that moves from one balance to another: an entry on each side, in one transaction. The two pass one account, whose sum stays
// zero; the audit looks for the other side of each.
import type { Transaction } from 'kysely';
import { forNoKeyUpdate } from '#server/platform/store/locks.ts';
import type { Schema } from '#server/platform/store/schema.ts';
import { MOVE_IN_KIND, MOVE_OUT_KIND, moveIdem } from './idempotency.ts';
import type { TransferResult } from './ledger.ts';
import { applyTransfer } from './transfer.ts';

const MOVED_ACCOUNT = 'world:moved';

export interface BalanceMove {
  /** Of its record. */
  id: number;
  from: { id: number; name: string };
  to: { id: number; name: string };
  amount: number;
  /** What must stay free beyond what running calls hold. */
  keeps: number;
}

export type MoveResult =
  | { ok: true }
  | { ok: false; reason: Exclude<TransferResult, { ok: true }>['reason']; available: number };

/** When it is refused, the caller must roll the transaction back. */
export async function bookMove(
  transaction: Transaction<Schema>,
  dialect: 'sqlite' | 'postgres',
  { id, from, to, amount, keeps }: BalanceMove,
): Promise<MoveResult> {
  // In id order, as batches of calls lock them: two moves in opposite directions wait for each other.
  const rows = await transaction
    .selectFrom('users')
    .select(['id', 'quota', 'held_quota'])
    .where('id', 'in', [from.id, to.id])
    .orderBy('id')
    .$call(forNoKeyUpdate({ dialect }))
    .execute();
  const source = rows.find((row) => row.id === from.id);
  const available = source === undefined ? 0 : Math.max(0, source.quota - source.held_quota - keeps);
  if (available < amount) return { ok: false, reason: 'insufficient_quota', available };
  const out = await applyTransfer(transaction, dialect, {
    idem: moveIdem(id, 'out'),
    userId: from.id,
    amount,
    from: 'user',
    to: MOVED_ACCOUNT,
    kind: MOVE_OUT_KIND,
    reference: to.name,
  });
  if (!out.ok) return { ok: false, reason: out.reason, available };
  const into = await applyTransfer(transaction, dialect, {
    idem: moveIdem(id, 'in'),
    userId: to.id,
    amount,
    from: MOVED_ACCOUNT,
    to: 'user',
    kind: MOVE_IN_KIND,
    reference: from.name,
  });
  return into.ok ? { ok: true } : { ok: false, reason: into.reason, available };
}
