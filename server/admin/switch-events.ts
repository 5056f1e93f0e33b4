// When channels switched themselves off and on again, from the notices that were raised for it.
import type { ThingEvent } from '#contract/admin/thing-parts.ts';
import type { Store } from '#server/platform/store/store.ts';

/** Notices of all channels that are read, the newest. */
const MOST_NOTICES = 300;

interface Details {
  channel_id?: number;
  channel_name?: string;
  reason?: string;
}

export async function switchEvents({ db }: Store, channels: readonly number[]): Promise<ThingEvent[]> {
  const rows = await db
    .selectFrom('notices')
    .select(['created_at', 'event', 'details'])
    .where('event', 'in', ['channel_disabled', 'channel_enabled'])
    .orderBy('id', 'desc')
    .limit(MOST_NOTICES)
    .execute();
  const wanted = new Set(channels);
  return rows.flatMap(({ created_at, event, details }): ThingEvent[] => {
    const { channel_id = 0, channel_name = '', reason = '' } = JSON.parse(details) as Details;
    if (!wanted.has(channel_id)) return [];
    const channel = { id: channel_id, name: channel_name };
    return [{ kind: event === 'channel_disabled' ? 'off' : 'on', at: created_at, reason, channel }];
  });
}
