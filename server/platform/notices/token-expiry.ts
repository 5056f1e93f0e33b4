// Finds tokens that are about to expire. One notice for all the tokens of a user that expire on the same day, so that a batch of
// a hundred tokens makes one message.
import { DAY_SECONDS, unixSeconds } from '#contract/time.ts';
import type { Store } from '#server/platform/store/store.ts';
import { raiseNotice } from './raise.ts';

const ENABLED = 1;
const SHOWN_NAMES = 5;
const USERS_PER_RUN = 1000;

export interface ExpiryOptions {
  store: Store;
  /** 0: nothing is looked for. */
  days: number;
  now?: number;
}

/** A token whose whole life is short says so to its owner when it is made: only a long life has an end that is forgotten. */
export async function noticeExpiringTokens(
  { store, days, now = unixSeconds() }: ExpiryOptions,
  signal: AbortSignal = new AbortController().signal,
): Promise<void> {
  if (days === 0) return;
  const window = days * DAY_SECONDS;
  const rows = await store.db
    .selectFrom('tokens')
    .select(['user_id', 'name', 'expired_time'])
    .where('expired_time', '>', now)
    .where('expired_time', '<=', now + window)
    .where('status', '=', ENABLED)
    .where('deleted_at', 'is', null)
    .where((where) => where('expired_time', '-', where.ref('created_time')), '>', 2 * window)
    .orderBy('expired_time')
    .orderBy('id')
    .limit(100 * USERS_PER_RUN)
    .execute();
  const groups = Map.groupBy(
    rows,
    ({ user_id, expired_time }) => `${user_id}:${Math.floor(expired_time / DAY_SECONDS)}`,
  );
  for (const [key, tokens] of groups) {
    const [first] = tokens;
    if (signal.aborted || first === undefined) return;
    await raiseNotice(store.db, {
      event: 'token_expiring',
      userId: first.user_id,
      values: { token_name: namesOf(tokens.map(({ name }) => name)), expires_at: first.expired_time },
      onceKey: `token_expiring:${key}`,
    });
  }
}

function namesOf(names: readonly string[]): string {
  const shown = names.slice(0, SHOWN_NAMES).join(', ');
  return names.length > SHOWN_NAMES ? `${shown} +${names.length - SHOWN_NAMES}` : shown;
}
