// Imported bills of suppliers that name one of these channels, as events of a page.
import type { ThingEvent } from '#contract/admin/thing-parts.ts';
import type { BillView } from '#contract/suppliers/supplier-bills.ts';
import type { Store } from '#server/platform/store/store.ts';

const MOST_BILLS = 100;

export async function billEvents({ db }: Store, channels: readonly number[]): Promise<ThingEvent[]> {
  const rows = await db
    .selectFrom('supplier_bills')
    .select(['id', 'created_at', 'name', 'channel_ids', 'totals'])
    .orderBy('id', 'desc')
    .limit(MOST_BILLS)
    .execute();
  return rows
    .filter(({ channel_ids }) => (JSON.parse(channel_ids) as number[]).some((id) => channels.includes(id)))
    .map(({ id, created_at, name, totals }): ThingEvent => {
      const { billed, recorded, has } = JSON.parse(totals) as Pick<BillView, 'billed' | 'recorded' | 'has'>;
      return {
        kind: 'bill',
        at: created_at,
        id,
        name,
        billed: billed.cost,
        recorded: recorded.cost,
        has_cost: has.cost,
      };
    });
}
