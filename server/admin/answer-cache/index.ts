// Cached answers for their owners and for operators: figures from the hourly sums, and removal on every node.
import { sql } from 'kysely';
import type { answerCache } from '#contract/relay/answer-cache.ts';
import { HOUR_SECONDS } from '#contract/time.ts';
import { accountOf, type Handlers } from '#server/admin/context.ts';
import type { AnswerCache } from '#server/relay/answer-cache/cache.ts';
import type { Store } from '#server/platform/store/store.ts';

interface AnswerCacheDependencies {
  readonly store: Store;
  readonly answers: Pick<AnswerCache, 'purge' | 'state'>;
}

interface Span {
  readonly start_timestamp: number;
  readonly end_timestamp: number;
}

export function createAnswerCacheHandlers({
  store,
  answers,
}: AnswerCacheDependencies): Handlers<typeof answerCache> {
  return {
    async all({ query }) {
      const { entries, bytes, evicted } = answers.state;
      return { ...(await figuresOf(store, query, undefined)), entries, bytes, evicted };
    },
    async self({ query }, context) {
      return await figuresOf(store, query, accountOf(context).id);
    },
    async purge({ body }, context) {
      const removed = await answers.purge(body);
      await context.auditEvent('answer_cache.purge', 'answer_cache', body);
      return { removed };
    },
    async purgeSelf({ body }, context) {
      const { id } = accountOf(context);
      const removed = await answers.purge({ ...body, user_id: id });
      await context.auditEvent('answer_cache.purge', `user:${id}`, body);
      return { removed };
    },
  };
}

const total = (column: string) => sql<number>`cast(coalesce(sum(${sql.ref(column)}), 0) as bigint)`;

/** `userId` undefined: of everybody. */
async function figuresOf(
  { db }: Store,
  { start_timestamp: from, end_timestamp }: Span,
  userId: number | undefined,
) {
  let query = db
    .selectFrom('answer_cache_hours')
    .select([total('hits').as('hits'), total('misses').as('misses'), total('saved').as('saved')])
    .where('hour', '>=', from - (from % HOUR_SECONDS))
    .where('hour', '<=', end_timestamp);
  if (userId !== undefined) query = query.where('user_id', '=', userId);
  return await query.executeTakeFirstOrThrow();
}
