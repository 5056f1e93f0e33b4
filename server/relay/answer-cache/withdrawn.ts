// Removes the answers of API keys that are deleted or disabled, of accounts that may not call, and of those that cache answers no longer.
import type { Settings } from '#contract/settings.ts';
import { TOKEN_STATUS } from '#contract/admin/tokens.ts';
import type { Store } from '#server/platform/store/store.ts';
import { ACTIVE_USER } from '#server/relay/caller/load-token.ts';
import { asksForCache } from '#server/relay/caller/cache-policy.ts';
import type { AnswerStore } from './store.ts';

/** Databases bound the number of values in one question. */
const MOST_IDS = 500;

export async function removeWithdrawn(
  store: Store,
  mode: Settings['AnswerCache'],
  answers: AnswerStore,
): Promise<void> {
  const ids = [...new Set(Array.from(answers.all(), ({ tokenId }) => tokenId))];
  const good = new Set<number>();
  for (let at = 0; at < ids.length; at += MOST_IDS)
    for (const id of await goodTokens(store, mode, ids.slice(at, at + MOST_IDS))) good.add(id);
  const asked = new Set(ids);
  // What came meanwhile is of calls that began after the change.
  answers.removeWhere(({ tokenId }) => asked.has(tokenId) && !good.has(tokenId));
}

async function goodTokens({ db }: Store, mode: Settings['AnswerCache'], ids: readonly number[]) {
  const rows = await db
    .selectFrom('tokens')
    .innerJoin('users', 'users.id', 'tokens.user_id')
    .leftJoin('organizations', 'organizations.id', 'tokens.user_id')
    .leftJoin('users as members', 'members.id', 'tokens.member_id')
    .select([
      'tokens.id',
      'tokens.answer_cache',
      'tokens.member_id',
      'members.status as member_status',
      'members.deleted_at as member_deleted_at',
      'organizations.answer_cache as organization_cache',
    ])
    .where('tokens.id', 'in', ids)
    .where('tokens.status', '<>', TOKEN_STATUS.disabled)
    .where('tokens.deleted_at', 'is', null)
    .where('users.status', '=', ACTIVE_USER)
    .where('users.deleted_at', 'is', null)
    .execute();
  return rows
    .filter(
      ({ member_id, member_status, member_deleted_at }) =>
        member_id === 0 || (member_status === ACTIVE_USER && member_deleted_at === null),
    )
    .filter(({ answer_cache, organization_cache }) =>
      asksForCache(mode, answer_cache, organization_cache === 1),
    )
    .map(({ id }) => id);
}
