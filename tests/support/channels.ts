// Writes a channel into the store as server/admin/channels does, for tests and benches that need an upstream.
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { openStore, type Store } from '#server/platform/store/store.ts';

export interface ChannelWish {
  base_url: string;
  models: readonly string[];
  groups?: readonly string[];
  key?: string;
  name?: string;
  type?: number;
  priority?: number;
  weight?: number;
  /** Further columns of the row. */
  fields?: Record<string, string | number>;
}

/** Returns the channel's id. A running gateway learns of it by the announcement. */
export async function addChannel(store: Store, wish: ChannelWish): Promise<number> {
  const { groups = ['default'], key = 'sk-upstream', priority = 0, weight = 0 } = wish;
  const { id } = await store.db
    .insertInto('channels')
    .values({
      name: wish.name ?? 'mock',
      type: wish.type ?? CHANNEL_TYPE.openAi,
      base_url: wish.base_url,
      models: wish.models.join(','),
      group: groups.join(','),
      status: 1,
      tag: null,
      priority,
      weight,
      ...wish.fields,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  const sealed = store.vault.seal(key, `channels:${id}:key_sealed`);
  await store.db.updateTable('channels').set({ key_sealed: sealed }).where('id', '=', id).execute();
  const abilities = groups.flatMap((group) =>
    wish.models.map((model) => ({
      group,
      model,
      channel_id: id,
      enabled: 1 as const,
      priority,
      weight,
      tag: null,
    })),
  );
  if (abilities.length > 0) await store.db.insertInto('abilities').values(abilities).execute();
  await store.changes.announce('channels');
  return id;
}

/** The same before a gateway's first start: SQLite serves one process at a time. */
export async function connectUpstream(
  place: { dataDir: string; databaseUrl?: string | undefined },
  wish: ChannelWish,
): Promise<void> {
  const writerEntry = new URL('../../server/app/writer.ts', import.meta.url);
  const store = await openStore({ ...place, writerEntry });
  try {
    await addChannel(store, wish);
  } finally {
    await store.close();
  }
}
