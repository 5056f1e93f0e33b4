// Margin sums like those of a busy relay with thousands of users, and the questions of the margins page about them.
import { sql } from 'kysely';
import { MARGIN_DIMENSIONS, marginQuery, type MarginQuery } from '#contract/money/margins.ts';
import { marginReport } from '#server/admin/margins/report.ts';
import type { Store } from '#server/platform/store/store.ts';
import { DAYS } from './rows.ts';

const DAY_SECONDS = 86_400;
/** Of one day: users with the models and channels they used. With 60 days and 10 M calls, seven calls in each sum. */
const SUMS_PER_DAY = 24_000;
const ROWS_PER_INSERT = 2000;
const CHANNELS = 200;
const MODELS = 60;
const USERS = 5000;

/** Returns how many rows there are. */
export async function seedMargins({ db }: Store, now: number): Promise<number> {
  const today = now - (now % DAY_SECONDS);
  const sums = Array.from({ length: SUMS_PER_DAY }, (_, at) => ({
    day: today,
    channel_id: 1 + ((Math.floor(at / USERS) * 37 + at * 7) % CHANNELS),
    model_name: `model-${(at + Math.floor(at / USERS) * 11) % MODELS}`,
    group: at % 20 === 0 ? 'vip' : 'default',
    user_id: 2 + (at % USERS),
    count: 7,
    quota: 7000 + at,
    cost: 5000 + at,
    costed_count: 7,
    costed_quota: 7000 + at,
  }));
  for (let from = 0; from < sums.length; from += ROWS_PER_INSERT)
    await db
      .insertInto('margin_days')
      .values(sums.slice(from, from + ROWS_PER_INSERT))
      .execute();
  for (let day = 1; day < DAYS; day += 1)
    await sql`insert into margin_days
      select day - ${sql.lit(day * DAY_SECONDS)}, channel_id, model_name, "group", user_id, count, quota, cost,
        costed_count, costed_quota
      from margin_days where day = ${today}`.execute(db);
  await sql`analyze margin_days`.execute(db);
  return DAYS * SUMS_PER_DAY;
}

/** Each with what answers it once. */
export function marginQuestions(store: Store, now: number): [what: string, ask: () => Promise<unknown>][] {
  const from = new Date((now - (DAYS - 1) * DAY_SECONDS) * 1000).toISOString().slice(0, 10);
  const questions: [what: string, query: Partial<MarginQuery>][] = [
    ...MARGIN_DIMENSIONS.map((by): [string, Partial<MarginQuery>] => [`margins of 30 days by ${by}`, { by }]),
    [`margins of ${DAYS} days by channel`, { by: 'channel', from }],
    [`margins of ${DAYS} days by user`, { by: 'user', from }],
    ['margins of a channel by model', { by: 'model', channel: 1 }],
    ['margins of a channel by user', { by: 'user', channel: 1 }],
    ['margins of a model by user', { by: 'user', model: 'model-3' }],
    ['margins of a model of a channel by user', { by: 'user', channel: 8, model: 'model-1' }],
    ['margins of a group by model', { by: 'model', group: 'vip' }],
    ['margins of a user by day', { by: 'day', user: 2 }],
  ];
  return questions.map(([what, query]) => [
    what,
    () => marginReport({ store, now: () => now }, marginQuery.parse(query)),
  ]);
}
