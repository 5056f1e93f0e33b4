// A channel as administrators read it: without its key, with the health of its last day.
import { nowSeconds } from '#server/features/clock.ts';
import type { ChannelView } from '#contract/channel-fields.ts';
import { sql } from 'kysely';
import type { Row } from '#server/store/schema.ts';
import type { ChannelDependencies } from './dependencies.ts';

const HOURS = 24;
const HOUR_SECONDS = 3600;

export async function channelViews(
  dependencies: ChannelDependencies,
  rows: readonly Row<'channels'>[],
): Promise<ChannelView[]> {
  const health = await healthOf(
    dependencies,
    rows.map((row) => row.id),
  );
  return rows.map((row) => {
    const { key_sealed: _sealed, key_digest: _digest, deleted_at: _deleted, ...shown } = row;
    return { ...shown, health: health(row.id) };
  });
}

export async function oneChannelView(
  dependencies: ChannelDependencies,
  row: Row<'channels'>,
): Promise<ChannelView> {
  const [view] = await channelViews(dependencies, [row]);
  if (!view) throw new Error('one row gives one view');
  return view;
}

/** A channel in an audit row: without its key. */
export function auditedChannel(row: Row<'channels'>): Record<string, unknown> {
  const { key_digest: _digest, key_sealed: _sealed, ...rest } = row;
  return rest;
}

async function healthOf(dependencies: ChannelDependencies, ids: readonly number[]) {
  const thisHour = Math.floor(nowSeconds(dependencies) / HOUR_SECONDS) * HOUR_SECONDS;
  const firstHour = thisHour - (HOURS - 1) * HOUR_SECONDS;
  const sums =
    ids.length === 0
      ? []
      : await dependencies.store.db
          .selectFrom('usage_hours')
          .select([
            'channel_id',
            'hour',
            sql<number>`cast(sum(count) as bigint)`.as('calls'),
            sql<number>`cast(sum(error_count) as bigint)`.as('errors'),
          ])
          .where('channel_id', 'in', ids)
          .where('hour', '>=', firstHour)
          .groupBy(['channel_id', 'hour'])
          .execute();
  return (channelId: number) => {
    const hours = Array.from({ length: HOURS }, () => ({ calls: 0, errors: 0 }));
    for (const { channel_id, hour, calls, errors } of sums) {
      if (channel_id === channelId) hours[(hour - firstHour) / HOUR_SECONDS] = { calls, errors };
    }
    return hours;
  };
}
