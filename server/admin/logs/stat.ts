// The badges: sums of the filter, and requests and tokens of the last minute, whatever the time range.
import { MINUTE_SECONDS } from '#contract/time.ts';
import type { Handler } from '#server/admin/context.ts';
import { nowSeconds } from '#server/admin/clock.ts';
import { LOG_TYPE, type logs, type LogStat } from '#contract/admin/logs.ts';
import { sql } from 'kysely';
import { rowCondition } from './conditions.ts';
import type { LogReading } from './reading.ts';
import { countRefused } from './refused.ts';
import { ownerOf, scopeOf } from './resolve-scope.ts';
import type { Scope } from './scope.ts';

export function statOfLogs(reading: LogReading, whose: 'all' | 'self'): Handler<typeof logs.stat> {
  return async ({ query }, context) => {
    const { dependencies } = reading;
    const asked = await scopeOf(dependencies, query, ownerOf(context, whose));
    const { type } = asked;
    const isAll = type === LOG_TYPE.all;
    const hasCharges = isAll || type === LOG_TYPE.consumption;
    const [{ hours, isExact }, minute, refused] = await Promise.all([
      reading.figures(asked),
      hasCharges ? lastMinute(reading, asked) : { rpm: 0, tpm: 0 },
      isAll || type === LOG_TYPE.refused ? countRefused(dependencies, asked) : { calls: 0 },
    ]);
    const stat = { quota: 0, count: 0, error_count: 0, prompt_tokens: 0, completion_tokens: 0 };
    for (const hour of hours) {
      if (isAll || type === LOG_TYPE.error) stat.error_count += hour.errors;
      if (!hasCharges) continue;
      stat.quota += hour.quota;
      stat.count += hour.consumed;
      stat.prompt_tokens += hour.promptTokens;
      stat.completion_tokens += hour.completionTokens;
    }
    return { ...stat, ...minute, refused_count: refused.calls, exact: isExact };
  };
}

async function lastMinute({ dependencies }: LogReading, scope: Scope): Promise<Pick<LogStat, 'rpm' | 'tpm'>> {
  const now = nowSeconds(dependencies);
  const condition = rowCondition({
    ...scope,
    type: LOG_TYPE.consumption,
    from: now - MINUTE_SECONDS,
    to: now + MINUTE_SECONDS,
  });
  const { rows } = await sql<{ rpm: number; tpm: number }>`
    select count(*) as rpm, cast(coalesce(sum(prompt_tokens + completion_tokens), 0) as bigint) as tpm
    from logs where ${condition}`.execute(dependencies.store.db);
  return rows[0] ?? { rpm: 0, tpm: 0 };
}
