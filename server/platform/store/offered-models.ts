// The models that enabled channels offer, and the groups they are offered in.
import type { Store } from './store.ts';

const CHANNEL_ENABLED = 1;

export function readOfferedModels({ db }: Store): Promise<{ model: string; group: string }[]> {
  return db
    .selectFrom('abilities')
    .innerJoin('channels', 'channels.id', 'abilities.channel_id')
    .select(['abilities.model', 'abilities.group'])
    .distinct()
    .where('abilities.enabled', '=', 1)
    .where('channels.status', '=', CHANNEL_ENABLED)
    .where('channels.deleted_at', 'is', null)
    .execute();
}
