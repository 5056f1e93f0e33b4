// Undoes a run: each of its parts is booked again the other way. A call that was corrected again and brought back meanwhile
// may have other shares than this run left: then only its price is brought back.
import type { CallCorrection } from '#server/money/ledger/corrections/correction.ts';
import { priceOf, sharesAt, type Shares } from '#server/money/ledger/corrections/shares.ts';
import type { Row } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import { bookParts, type BookingParts } from './apply.ts';
import { correctionOf, lastCorrections } from './calls.ts';
import type { Run } from './run.ts';

const PARTS_PER_READ = 200;

/** False: the signal was aborted first. */
export async function undoRun(parts: BookingParts, run: Run, signal: AbortSignal): Promise<boolean> {
  for (;;) {
    const due = await openParts(parts, run);
    if (due.length === 0) return true;
    for (const part of due) {
      if (signal.aborted) return false;
      const calls = await opposite(parts.store, run.undoes_id, part);
      const place = { run, userId: part.user_id, day: part.day, isUndo: true };
      await bookParts(parts, place, calls, part.part);
    }
  }
}

/** Booked parts of the undone run without their opposite. */
async function openParts({ store }: BookingParts, run: Run): Promise<Row<'rerate_parts'>[]> {
  return await store.db
    .selectFrom('rerate_parts as p')
    .selectAll()
    .where('p.run_id', '=', run.undoes_id)
    .where('p.state', '=', 'booked')
    .where((is) =>
      is.not(
        is.exists(
          is
            .selectFrom('rerate_parts as o')
            .select('o.part')
            .where('o.run_id', '=', run.id)
            .whereRef('o.user_id', '=', 'p.user_id')
            .whereRef('o.day', '=', 'p.day')
            .whereRef('o.part', '=', 'p.part'),
        ),
      ),
    )
    .orderBy('p.user_id')
    .orderBy('p.day')
    .orderBy('p.part')
    .limit(PARTS_PER_READ)
    .execute();
}

async function opposite(
  store: Store,
  runId: number,
  { user_id, day, part }: Row<'rerate_parts'>,
): Promise<CallCorrection[]> {
  const rows = await store.db
    .selectFrom('rerate_calls')
    .selectAll()
    .where('run_id', '=', runId)
    .where('user_id', '=', user_id)
    .where('day', '=', day)
    .where('part', '=', part)
    .orderBy('created_at')
    .orderBy('log_id')
    .execute();
  const last = await lastCorrections(
    store,
    rows.map((row) => row.log_id),
  );
  return rows.map((row) => {
    const { before, after } = correctionOf(row);
    const now = last.get(row.log_id)?.after ?? after;
    return {
      logId: row.log_id,
      createdAt: row.created_at,
      requestId: row.request_id,
      modelName: row.model_name,
      tokenId: row.token_id,
      channelId: row.channel_id,
      group: row.group,
      isCosted: row.is_costed === 1,
      subscriptionId: row.subscription_id,
      before: now,
      wanted: isEqual(now, after) ? before : sharesAt(now, priceOf(before)),
      undoneTokenChange: row.token_change,
    };
  });
}

const isEqual = (one: Shares, other: Shares) =>
  one.wallet === other.wallet && one.plan === other.plan && one.suspense === other.suspense;
