// The notice of each user whose charges a run has corrected, in the user's language and by the user's ways.
import { sql } from 'kysely';
import { raiseNotice } from '#server/platform/notices/raise.ts';
import type { Store } from '#server/platform/store/store.ts';
import type { Run } from './run.ts';

const NOTICES_PER_TRANSACTION = 100;

interface Corrected {
  user_id: number;
  amount: number;
  days: number;
  first: number;
  last: number;
}

/** Idempotent: the key of a notice names the run and the user. */
export async function notifyUsers({ db }: Store, run: Run): Promise<void> {
  for (let after = 0; ;) {
    const { rows } = await sql<Corrected>`
      select user_id, sum(wallet + plan) as amount, count(distinct day) as days, min(day) as first, max(day) as last
      from rerate_parts where run_id = ${run.id} and state = 'booked' and user_id > ${after}
      group by user_id order by user_id limit ${NOTICES_PER_TRANSACTION}`.execute(db);
    await db.transaction().execute(async (transaction) => {
      for (const { user_id, amount, days, first, last } of rows)
        if (amount !== 0)
          await raiseNotice(transaction, {
            event: 'charges_corrected',
            userId: user_id,
            values: { amount, days, first, last, reason: run.reason, undone: run.kind === 'undo' },
            onceKey: `charges_corrected:${run.id}:${user_id}`,
          });
    });
    const last = rows.at(-1);
    if (last === undefined || rows.length < NOTICES_PER_TRANSACTION) return;
    after = last.user_id;
  }
}
