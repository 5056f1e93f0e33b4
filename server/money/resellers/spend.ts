// Dividends on spending. A job reads the charges that are new in the ledger, adds them up by customer and agent, and makes
// dividends of the sums, so a call does not wait for any of it. Exactly once: the position in the ledger moves in the
// transaction that adds the sums, and a sum becomes a dividend in the transaction that takes it away.
import { sql } from 'kysely';
import { ROWS_PER_SLICE, type Slice } from '#server/money/audit/breach.ts';
import { effects } from '#server/money/audit/sums.ts';
import { RERATE_CREDIT_KIND, RERATE_DEBIT_KIND } from '#server/money/ledger/idempotency.ts';
import { follow, inPieces, type FollowingSum } from '#server/money/sums/engine.ts';
import type { Row } from '#server/platform/store/schema.ts';
import { payDividend } from './book.ts';
import type { AgentParts } from './parts.ts';
import { baseOf, dividendOf, rateOfPercent, WHOLE_RATE } from './rate.ts';
import { sharesOf, type Share } from './shares.ts';

const ROWS_PER_INSERT = 500;
const SUMS_PER_READ = 500;

export async function paySpendDividends(parts: AgentParts, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await follow(parts.store, pendingSums(parts), async () => !signal.aborted);
  await payPending(parts, signal);
}

/** While dividends are paid on payments the position moves alone: spending of that time is never counted. */
function pendingSums({ settings }: AgentParts): FollowingSum<Share[]> {
  const isOnSpending = () => settings.current.DividendBasis === 'spend';
  return {
    name: 'dividends',
    source: 'ledger',
    endOfSlice: (_, from, top) => (isOnSpending() ? Math.min(from + ROWS_PER_SLICE, top) : top),
    read: async (db, slice) => (isOnSpending() ? await sharesOf(db, charges(slice), settings.current) : []),
    async add(transaction, shares) {
      await inPieces(shares, ROWS_PER_INSERT, (piece) =>
        transaction
          .insertInto('dividend_spend')
          .values(piece.map(pendingOf))
          .onConflict((conflict) =>
            conflict.columns(['agent_id', 'customer_id', 'level']).doUpdateSet({
              pending: sql<number>`dividend_spend.pending + excluded.pending`,
            }),
          )
          .execute(),
      );
    },
  };
}

/**
 * What each customer was charged in the slice, less what late settlements gave back, with what re-rating changed; charges of
 * another gateway are not counted.
 */
const charges = ({ from, through }: Slice) => sql`
  select user_id, cast(sum(${effects.used}) as bigint) as base from ledger
  where id > ${from} and id <= ${through} and kind in ('use', 'refund', ${RERATE_CREDIT_KIND}, ${RERATE_DEBIT_KIND})
    and debit_account <> 'world:import'
  group by user_id`;

const pendingOf = ({ agent_id, customer_id, level, base }: Share) => ({
  agent_id,
  customer_id,
  level,
  pending: base,
});

/** Makes a dividend of each sum that is worth at least one unit; the rest of it stays pending. */
async function payPending(parts: AgentParts, signal: AbortSignal): Promise<void> {
  const secondRate = rateOfPercent(parts.settings.current.DividendSecondLevelPercent);
  const rate = sql<number>`(case dividend_spend.level when 1 then agents.rate else ${sql.lit(secondRate)} end)`;
  for (let isProgress = true; isProgress && !signal.aborted;) {
    isProgress = false;
    const due = await parts.store.db
      .selectFrom('dividend_spend')
      .innerJoin('agents', 'agents.user_id', 'dividend_spend.agent_id')
      .selectAll('dividend_spend')
      .select(rate.as('rate'))
      // Worth at least one unit, so never below one; divided, because a product could pass the largest number of the database.
      .where('pending', '>=', sql<number>`(${sql.lit(WHOLE_RATE - 1)} + ${rate}) / nullif(${rate}, 0)`)
      .orderBy('agent_id')
      .orderBy('customer_id')
      .limit(SUMS_PER_READ)
      .execute();
    for (const row of due)
      if (!signal.aborted) isProgress = (await payOne(parts, row, row.rate)) || isProgress;
  }
}

/** False when another node has paid it. */
async function payOne(parts: AgentParts, row: Row<'dividend_spend'>, rate: number): Promise<boolean> {
  const { agent_id, customer_id, level, pending, payouts } = row;
  const amount = dividendOf(pending, rate);
  const base = baseOf(amount, rate);
  return await parts.store.db.transaction().execute(async (transaction) => {
    const { numUpdatedRows } = await transaction
      .updateTable('dividend_spend')
      .set((column) => ({ pending: column('pending', '-', base), payouts: payouts + 1 }))
      .where('agent_id', '=', agent_id)
      .where('customer_id', '=', customer_id)
      .where('level', '=', level)
      .where('payouts', '=', payouts)
      .where('pending', '>=', base)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return false;
    await payDividend(parts, transaction, {
      idem: `dividend:spend:${agent_id}:${customer_id}:${level}:${payouts + 1}`,
      agent_id,
      customer_id,
      level,
      kind: 'spend',
      base_quota: base,
      rate,
      amount,
    });
    return true;
  });
}
