// What all codes are worth, by state, and the newest batches with how much of each was redeemed.
import { sql } from 'kysely';
import {
  REDEMPTION_BATCHES_SHOWN,
  type RedemptionBatch,
  type RedemptionOverview,
  type RedemptionState,
} from '#contract/money/redemptions.ts';
import { nowSeconds } from '#server/admin/clock.ts';
import type { RedemptionDependencies } from './dependencies.ts';
import { stateExpression } from './list.ts';

const total = (expression: ReturnType<typeof sql>) =>
  sql<number>`cast(coalesce(sum(${expression}), 0) as bigint)`;

export function codesOverview(dependencies: RedemptionDependencies) {
  const { db } = dependencies.store;
  return async (): Promise<RedemptionOverview> => {
    const now = nowSeconds(dependencies);
    const [sums, batches] = await Promise.all([sumsByState(now), newestBatches(now)]);
    const sumOf = (state: RedemptionState) => {
      const { codes = 0, quota = 0 } = sums.find((row) => row.state === state) ?? {};
      return { codes, quota };
    };
    return {
      outstanding: sumOf('unused'),
      disabled: sumOf('disabled'),
      redeemed: sumOf('used'),
      expired: sumOf('expired'),
      batches,
    };
  };

  function sumsByState(now: number) {
    const state = stateExpression(now);
    return db
      .selectFrom('redemptions')
      .select((builder) => [
        state.as('state'),
        builder.fn.countAll<number>().as('codes'),
        total(sql.ref('quota')).as('quota'),
      ])
      .where('deleted_at', 'is', null)
      .groupBy(state)
      .execute();
  }

  function newestBatches(now: number): Promise<RedemptionBatch[]> {
    const state = stateExpression(now);
    return db
      .selectFrom('redemptions')
      .select((builder) => [
        'batch',
        builder.fn.min<string>('name').as('name'),
        builder.fn.min<number>('created_time').as('created_time'),
        builder.fn.countAll<number>().as('total'),
        total(sql`case when ${state} = 'used' then 1 else 0 end`).as('used'),
        total(sql`case when ${state} = 'unused' then quota else 0 end`).as('open_quota'),
      ])
      .where('deleted_at', 'is', null)
      .groupBy('batch')
      .orderBy((builder) => builder.fn.max('id'), 'desc')
      .limit(REDEMPTION_BATCHES_SHOWN)
      .execute();
  }
}
