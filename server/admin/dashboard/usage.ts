// Usage by model and hour, of one user or summed over all users.
import { accountOf, type Handler } from '#server/admin/context.ts';
import type { dashboard, UsageRow } from '#contract/admin/dashboard.ts';
import { sql } from 'kysely';
import type { Store } from '#server/platform/store/store.ts';
import { hoursTable, ownerIn, ownsHour, type FigureOwner } from './owner.ts';
import { anySpan, ownSpan, type Span } from './span.ts';
import { userNamed } from './find-user.ts';

type Sums = Omit<UsageRow, 'token_used' | 'user_id' | 'username'>;

const total = (column: string) => sql<number>`cast(sum(${sql.ref(column)}) as bigint)`;

/** `owner` undefined: all users. */
async function sumByHour(store: Store, { from, to }: Span, owner: FigureOwner | undefined): Promise<Sums[]> {
  let query = store.db
    .selectFrom(hoursTable(owner))
    .select([
      'model_name',
      'hour as created_at',
      total('count').as('count'),
      total('quota').as('quota'),
      total('prompt_tokens').as('prompt_tokens'),
      total('completion_tokens').as('completion_tokens'),
      total('error_count').as('error_count'),
      total('use_time_ms').as('use_time_ms'),
      total('first_token_ms').as('first_token_ms'),
    ])
    .where('hour', '>=', from)
    .where('hour', '<=', to)
    .groupBy(['model_name', 'hour'])
    // A late settlement takes back what recovery had counted elsewhere, and leaves a row of nothing there.
    .having(sql<boolean>`sum(count) <> 0 or sum(error_count) <> 0 or sum(quota) <> 0`)
    .orderBy('hour')
    .orderBy('model_name');
  if (owner !== undefined) query = query.where(ownsHour(owner));
  return await query.execute();
}

function withUser(rows: readonly Sums[], user: { id: number; username: string } | undefined): UsageRow[] {
  return rows.map((row) => ({
    ...row,
    token_used: row.prompt_tokens + row.completion_tokens,
    user_id: user?.id ?? 0,
    username: user?.username ?? '',
  }));
}

export function usageOfSelf(store: Store): Handler<typeof dashboard.self> {
  return async ({ query }, context) => {
    return withUser(await sumByHour(store, ownSpan(query), ownerIn(context)), accountOf(context));
  };
}

export function usageOfAll(store: Store): Handler<typeof dashboard.all> {
  return async ({ query }) => {
    const span = anySpan(query);
    if (query.username === '') return withUser(await sumByHour(store, span, undefined), undefined);
    const user = await userNamed(store, query.username);
    return user ? withUser(await sumByHour(store, span, { userId: user.id }), user) : [];
  };
}
