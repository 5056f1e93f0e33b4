// Which items a person does not want to see. A snooze names the mark of the item, so it ends when the fact changes.
import { unixSeconds } from '#contract/time.ts';
import type { Store } from '#server/platform/store/store.ts';

const KEEP_SECONDS = 90 * 86_400;

/** Item id → mark. */
export async function snoozesOf({ db }: Store, userId: number): Promise<Map<string, string>> {
  const rows = await db
    .selectFrom('attention_snoozes')
    .select(['item', 'mark'])
    .where('user_id', '=', userId)
    .execute();
  return new Map(rows.map(({ item, mark }) => [item, mark]));
}

export async function writeSnooze(
  { db }: Store,
  { userId, item, mark, now }: { userId: number; item: string; mark: string; now: number },
): Promise<void> {
  await db
    .insertInto('attention_snoozes')
    .values({ user_id: userId, item, mark, created_at: now })
    .onConflict((conflict) => conflict.columns(['user_id', 'item']).doUpdateSet({ mark, created_at: now }))
    .execute();
}

export async function removeSnooze({ db }: Store, userId: number, item: string): Promise<void> {
  await db.deleteFrom('attention_snoozes').where('user_id', '=', userId).where('item', '=', item).execute();
}

/** A fact that is still there after so long is shown again. */
export async function removeOldSnoozes({ db }: Store): Promise<void> {
  const before = unixSeconds() - KEEP_SECONDS;
  await db.deleteFrom('attention_snoozes').where('created_at', '<', before).execute();
}
