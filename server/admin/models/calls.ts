// The calls of a model by the posts of a window, from the hourly figures.
import { sql } from 'kysely';
import type { ThingCalls } from '#contract/admin/thing-parts.ts';
import type { WindowSpan } from '#contract/thing-window.ts';
import { postsOf, speedOf } from '#server/admin/channel-calls.ts';
import type { Store } from '#server/platform/store/store.ts';

interface HourRow {
  hour: number;
  answered: number;
  failed: number;
  tokens: number;
  time: number;
  waited: number;
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const outcomeOf = (rows: readonly HourRow[]) => ({
  answered: sum(rows.map(({ answered }) => answered)),
  failed: sum(rows.map(({ failed }) => failed)),
});
/** The mean: the hourly figures of models have no classes. */
const firstTokenOf = (rows: readonly HourRow[]): number => {
  const { answered } = outcomeOf(rows);
  return answered === 0 ? 0 : Math.round(sum(rows.map(({ waited }) => waited)) / answered);
};

export async function callsOfModel(
  { db }: Store,
  model: string,
  span: WindowSpan,
): Promise<{ calls: ThingCalls; failedHours: number[] }> {
  const { start, end, step } = span;
  const { rows } = await sql<HourRow>`
    select hour, cast(sum(count) as bigint) as answered, cast(sum(error_count) as bigint) as failed,
      cast(sum(completion_tokens) as bigint) as tokens, cast(sum(use_time_ms) as bigint) as time,
      cast(sum(first_token_ms) as bigint) as waited
    from usage_hours where model_name = ${model} and hour >= ${start - (end - start)} and hour < ${end}
    group by hour order by hour desc`.execute(db);
  const now = rows.filter(({ hour }) => hour >= start);
  const all = outcomeOf(now);
  return {
    calls: {
      ...all,
      failed_calls: all.failed,
      before: outcomeOf(rows.filter(({ hour }) => hour < start)),
      first_token: firstTokenOf(now),
      speed: speedOf(now),
      posts: postsOf(span, (at) => {
        const within = now.filter(({ hour }) => hour >= at && hour < at + step);
        return { at, ...outcomeOf(within), first_token: firstTokenOf(within) };
      }),
    },
    failedHours: now.filter(({ failed }) => failed > 0).map(({ hour }) => hour),
  };
}
