// The dividend balance of an agent. Every change is one ledger entry and one record with the same key, in the caller's
// transaction. A transfer locks the user's row, so changes of one agent wait for each other.
import type { Transaction } from 'kysely';
import { unixSeconds } from '#contract/time.ts';
import { DIVIDEND_BACK_KIND, DIVIDEND_KIND } from '#server/money/ledger/idempotency.ts';
import { forNoKeyUpdate } from '#server/platform/store/locks.ts';
import type { NewRow, Schema } from '#server/platform/store/schema.ts';
import { type AgentParts } from './parts.ts';

/** The event of a record; the amount is positive, whichever way it moves. */
export type DividendEvent = Omit<NewRow<'dividends'>, 'id' | 'created_at' | 'owed'>;

/** Pays a dividend, and takes from the balance what the agent owes. Seen before = nothing moves. */
export async function payDividend(
  parts: AgentParts,
  transaction: Transaction<Schema>,
  event: DividendEvent,
): Promise<void> {
  const { idem, agent_id, amount } = event;
  const result = await parts.ledger.transferWithin(transaction, {
    idem,
    userId: agent_id,
    amount,
    from: 'world:dividend',
    to: 'agent',
    kind: DIVIDEND_KIND,
    reference: referenceOf(event),
  });
  if (!result.ok) throw new Error(`the dividend ${idem} could not be booked: ${result.reason}`);
  if (result.duplicate) return;
  await addRecord(transaction, event, amount, 0);
  await takeOwed(parts, transaction, event, result.dividendQuota);
}

/** Takes a dividend back: what the balance covers now, the rest from what comes in next. */
export async function takeDividendBack(
  parts: AgentParts,
  transaction: Transaction<Schema>,
  event: DividendEvent,
): Promise<void> {
  const balance = await lockBalance(parts, transaction, event.agent_id);
  const taken = Math.min(balance, event.amount);
  const owed = event.amount - taken;
  if (taken > 0) await moveBack(parts, transaction, event, taken);
  await addRecord(transaction, event, -taken, owed);
  if (owed > 0) await changeOwed(transaction, event.agent_id, owed);
}

/** Money came into the balance: what is owed goes first. `cause` names the event that brought it. */
export async function takeOwed(
  parts: AgentParts,
  transaction: Transaction<Schema>,
  cause: Pick<DividendEvent, 'idem' | 'agent_id' | 'customer_id' | 'level' | 'order_id'>,
  balance: number,
): Promise<void> {
  const { agent_id, customer_id, level, order_id } = cause;
  const agent = await transaction
    .selectFrom('agents')
    .select('owed_quota')
    .where('user_id', '=', agent_id)
    .executeTakeFirst();
  const amount = Math.min(agent?.owed_quota ?? 0, balance);
  if (amount === 0) return;
  const idem = `${cause.idem}:owed`;
  const event = { idem, agent_id, customer_id, level, order_id, kind: 'owed', amount } as const;
  await moveBack(parts, transaction, event, amount);
  await addRecord(transaction, event, -amount, -amount);
  await changeOwed(transaction, agent_id, -amount);
}

async function moveBack(
  { ledger }: AgentParts,
  transaction: Transaction<Schema>,
  event: DividendEvent,
  amount: number,
): Promise<void> {
  const result = await ledger.transferWithin(transaction, {
    idem: event.idem,
    userId: event.agent_id,
    amount,
    from: 'agent',
    to: 'world:dividend',
    kind: DIVIDEND_BACK_KIND,
    reference: referenceOf(event),
  });
  if (!result.ok || result.duplicate) throw new Error(`the dividend ${event.idem} could not be taken back`);
}

async function addRecord(
  transaction: Transaction<Schema>,
  event: DividendEvent,
  amount: number,
  owed: number,
): Promise<void> {
  await transaction
    .insertInto('dividends')
    .values({ ...event, created_at: unixSeconds(), amount, owed })
    .execute();
}

async function changeOwed(transaction: Transaction<Schema>, agentId: number, change: number): Promise<void> {
  await transaction
    .updateTable('agents')
    .set((column) => ({ owed_quota: column('owed_quota', '+', change) }))
    .where('user_id', '=', agentId)
    .execute();
}

export async function lockBalance(
  { store }: AgentParts,
  transaction: Transaction<Schema>,
  agentId: number,
): Promise<number> {
  const query = transaction.selectFrom('users').select('dividend_quota').where('id', '=', agentId);
  const row = await query.$call(forNoKeyUpdate(store)).executeTakeFirstOrThrow();
  return row.dividend_quota;
}

const referenceOf = ({ customer_id, level }: DividendEvent): string =>
  customer_id === 0 ? '' : `user:${customer_id} level ${level}`;
