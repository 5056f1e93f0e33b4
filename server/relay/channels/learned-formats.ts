// Remembers which formats an upstream refused, so that later calls are converted at once. Kept in the channel's row for
// every node; a test of the channel or a new address learns anew.
import type { Log } from '#contract/context.ts';
import type { Format } from '#server/providers/provider.ts';
import { refusedIn } from '#server/providers/spoken.ts';
import type { Store } from '#server/store/store.ts';
import type { Channel } from './catalog.ts';
import { spokenFormat } from './spoken-format.ts';

export interface LearnedFormats {
  /** The upstream refused the format and answered in another. */
  refused(channel: Channel, format: Format): void;
}

export function createLearnedFormats(store: Store, log: Log): LearnedFormats {
  const running = new Set<number>();
  return {
    refused(channel, format) {
      if (running.has(channel.id)) return;
      running.add(channel.id);
      remember(store, channel.id, format)
        .catch((error: unknown) =>
          log.error('a refused format could not be stored', { channel_id: channel.id, format, error }),
        )
        .finally(() => running.delete(channel.id));
      log.info('an upstream refused a format; calls are converted from now on', {
        channel_id: channel.id,
        format,
      });
    },
  };
}

async function remember(store: Store, id: number, format: Format): Promise<void> {
  await store.db.transaction().execute(async (transaction) => {
    const row = await transaction
      .selectFrom('channels')
      .select('refused_formats')
      .where('id', '=', id)
      .executeTakeFirst();
    if (row === undefined) return;
    const refused_formats = [...new Set([...refusedIn(row.refused_formats), format])].join(',');
    await transaction.updateTable('channels').set({ refused_formats }).where('id', '=', id).execute();
  });
  await store.changes.announce('channels', String(id));
}

/** The channel without a format; undefined when the call could not be converted to another. */
export function withoutFormat(
  channel: Channel,
  refused: Format,
  wanted: { format: Format; model: string },
): Channel | undefined {
  const rest = { ...channel, refusedFormats: new Set([...channel.refusedFormats, refused]) };
  const spoken = spokenFormat(rest, wanted.format, wanted.model);
  return spoken === undefined || spoken === refused ? undefined : rest;
}
