// Drawing settings of a token. Read on each submission, without a cache: a change takes effect at once on every node.
import { DRAWING_SPEEDS, type DrawingSpeed } from '#contract/relay/drawing.ts';
import type { Store } from '#server/platform/store/store.ts';

export interface TokenSettings {
  /** Default for submissions without a speed. */
  speed: DrawingSpeed | undefined;
  /** Images are served from our own URL, also when the site setting is off. */
  isForwarded: boolean;
  /** Another channel may be tried when the first one fails. */
  mayRetry: boolean;
}

export async function tokenSettingsOf({ db }: Store, tokenId: number): Promise<TokenSettings> {
  const token = await db
    .selectFrom('tokens')
    .select(['mj_mode', 'mj_image_proxy', 'mj_backup_pool'])
    .where('id', '=', tokenId)
    .executeTakeFirst();
  return {
    speed: DRAWING_SPEEDS.find((speed) => speed === token?.mj_mode),
    isForwarded: token?.mj_image_proxy === 'on',
    mayRetry: token?.mj_backup_pool !== 'off',
  };
}
