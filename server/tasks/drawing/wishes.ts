// What the owner of a token wants of its drawings. Read for each submission: a drawing takes a minute, a row a moment, and a
// change counts at once on every node.
import { DRAWING_SPEEDS, type DrawingSpeed } from '#contract/drawing.ts';
import type { Store } from '#server/store/store.ts';

export interface Wishes {
  /** For submissions that name no speed themselves. */
  speed: DrawingSpeed | undefined;
  /** Pictures come from our address, even where the site does not ask for that. */
  isForwarded: boolean;
  /** Another channel may draw when the first has no room. */
  mayMove: boolean;
}

export async function wishesOf({ db }: Store, tokenId: number): Promise<Wishes> {
  const token = await db
    .selectFrom('tokens')
    .select(['mj_mode', 'mj_image_proxy', 'mj_backup_pool'])
    .where('id', '=', tokenId)
    .executeTakeFirst();
  return {
    speed: DRAWING_SPEEDS.find((speed) => speed === token?.mj_mode),
    isForwarded: token?.mj_image_proxy === 'on',
    mayMove: token?.mj_backup_pool !== 'off',
  };
}
