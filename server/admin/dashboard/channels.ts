// Figures of each channel in a span, also of channels without calls. Failed attempts count for their channel, also those
// of calls that another channel answered.
import type { Handler } from '#server/admin/context.ts';
import type { dashboard } from '#contract/admin/dashboard.ts';
import { sql } from 'kysely';
import type { Store } from '#server/platform/store/store.ts';
import { anySpan } from './span.ts';

export function usageOfChannels(store: Store): Handler<typeof dashboard.channels> {
  return async ({ query }) => {
    const { from, to } = anySpan(query);
    const total = (column: string) => sql<number>`cast(sum(${sql.ref(column)}) as bigint)`;
    const used = await store.db
      .selectFrom('usage_hours')
      .select([
        'channel_id as id',
        total('count').as('count'),
        total('error_count').as('error_count'),
        total('quota').as('quota'),
        total('use_time_ms').as('use_time_ms'),
        total('first_token_ms').as('first_token_ms'),
      ])
      .where('hour', '>=', from)
      .where('hour', '<=', to)
      .where('channel_id', '>', 0)
      .groupBy('channel_id')
      .execute();
    const channels = await store.db
      .selectFrom('channels')
      .select(['id', 'name', 'status'])
      .where('deleted_at', 'is', null)
      .execute();
    const attempts = await store.db
      .selectFrom('channel_hours')
      .select(['channel_id', total('failures').as('failures')])
      .where('hour', '>=', from)
      .where('hour', '<=', to)
      .groupBy('channel_id')
      .execute();
    const failures = new Map(attempts.map((row) => [row.channel_id, row.failures]));
    const byId = new Map(used.map((row) => [row.id, row]));
    const nothing = { count: 0, error_count: 0, quota: 0, use_time_ms: 0, first_token_ms: 0 };
    const present = channels.map((channel) => ({ ...nothing, ...byId.get(channel.id), ...channel }));
    const known = new Set(channels.map(({ id }) => id));
    const gone = used.filter(({ id }) => !known.has(id)).map((row) => ({ ...row, name: '', status: 0 }));
    return [...present, ...gone]
      .map((row) => ({ ...row, error_count: Math.max(row.error_count, failures.get(row.id) ?? 0) }))
      .toSorted((left, right) => left.id - right.id);
  };
}
