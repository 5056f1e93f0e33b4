// Facts of the log that hardly change, kept for a minute. On PostgreSQL a statement over the whole log is planned for every
// day's partition, which takes longer than running it.
import { sql } from 'kysely';
import { all, timeCondition } from './conditions.ts';
import { directRows, type LogDependencies } from './dependencies.ts';
import type { HourFigures } from './hour-figures.ts';
import type { Scope } from './scope.ts';

export interface LogBounds {
  /** So few rows that counting them directly is cheap. */
  isSmall(scope: Scope): Promise<boolean>;
  /** Seconds of the oldest row; undefined for an empty log. */
  oldest(): Promise<number | undefined>;
  /** The figures of a part of a past hour, whose rows no longer change. */
  cutHour(scope: Scope, count: () => Promise<HourFigures[]>): Promise<HourFigures[]>;
}

const LIFE_MILLISECONDS = 60_000;
const MOST_RANGES = 1000;

export function createLogBounds(dependencies: LogDependencies): LogBounds {
  const { db } = dependencies.store;
  /** By the beginning of a range and its user: whether there are few rows, until when that is known, and the end of the range. */
  const sizes = new Map<string, { isSmall: boolean; to: number; until: number }>();
  const cutHours = new Map<string, { figures: HourFigures[]; until: number }>();
  let first: { at: number | undefined; until: number } | undefined;

  async function hasFew({ from, to, userId }: Scope): Promise<boolean> {
    const most = directRows(dependencies);
    const conditions = [timeCondition(from, to)];
    if (userId !== undefined) conditions.push(sql`user_id = ${userId}`);
    const { rows } = await sql<{ found: number }>`select count(*) as found from (
      select 1 from logs where ${all(conditions)} limit ${most + 1}) some_rows`.execute(db);
    return (rows[0]?.found ?? 0) <= most;
  }

  return {
    async isSmall(scope) {
      if (scope.requestId !== undefined) return true;
      const key = `${scope.from} ${scope.userId ?? ''}`;
      const known = sizes.get(key);
      // A longer range has more rows, a shorter one fewer.
      const isKnown = known && (known.isSmall ? known.to >= scope.to : known.to <= scope.to);
      if (isKnown && known.until > performance.now()) return known.isSmall;
      const isSmall = await hasFew(scope);
      if (sizes.size >= MOST_RANGES) sizes.clear();
      sizes.set(key, { isSmall, to: scope.to, until: performance.now() + LIFE_MILLISECONDS });
      return isSmall;
    },
    async oldest() {
      if (first && first.until > performance.now()) return first.at;
      const row = await db
        .selectFrom('logs')
        .select('created_at')
        .orderBy('created_at')
        .limit(1)
        .executeTakeFirst();
      first = { at: row?.created_at, until: performance.now() + LIFE_MILLISECONDS };
      return first.at;
    },
    async cutHour(scope, count) {
      const key = JSON.stringify(scope);
      const known = cutHours.get(key);
      if (known && known.until > performance.now()) return known.figures;
      const figures = await count();
      if (cutHours.size >= MOST_RANGES) cutHours.clear();
      cutHours.set(key, { figures, until: performance.now() + LIFE_MILLISECONDS });
      return figures;
    },
  };
}
