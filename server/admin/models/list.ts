// Every model that a channel names or that was called in the last days, with its calls, refusals and money.
import { sql } from 'kysely';
import { MOST_LISTED_MODELS, type ModelRow, type modelPages } from '#contract/admin/models.ts';
import type { ThingMoney } from '#contract/admin/thing-parts.ts';
import { CHANNEL_STATUS } from '#contract/relay/channel-fields.ts';
import { windowSpan } from '#contract/thing-window.ts';
import { nowSeconds } from '#server/admin/clock.ts';
import type { Handler } from '#server/admin/context.ts';
import { moneyDaysOf, thingMoneyOf } from '#server/admin/thing-money.ts';
import { unitPriceOf } from '#server/admin/unit-price.ts';
import type { ModelDependencies } from './dependencies.ts';

export const NOTHING: ThingMoney = {
  used: 0,
  cost: 0,
  fees: 0,
  margin: 0,
  unknown: 0,
  calls: 0,
  unknown_calls: 0,
  cache: null,
};

interface Offer {
  model: string;
  group: string;
  channel_id: number;
  status: number;
}

export function listModels(dependencies: ModelDependencies): Handler<typeof modelPages.list> {
  return async () => {
    const { db } = dependencies.store;
    const now = nowSeconds(dependencies);
    const { start, end } = windowSpan('24h', now);
    const [offers, called, refused, report] = await Promise.all([
      sql<Offer>`select abilities.model, abilities."group", abilities.channel_id, channels.status
        from abilities join channels on channels.id = abilities.channel_id
        where channels.deleted_at is null`.execute(db),
      sql<{ model: string; answered: number; failed: number }>`
        select model_name as model, cast(sum(count) as bigint) as answered, cast(sum(error_count) as bigint) as failed
        from usage_hours where hour >= ${start} and hour < ${end} and model_name <> '' group by model_name`.execute(
        db,
      ),
      sql<{ model: string; count: number }>`
        select model_name as model, cast(sum(count) as bigint) as count
        from refused_calls where minute >= ${start} group by model_name`.execute(db),
      dependencies.margins({ by: 'model', days: moneyDaysOf('24h'), at: now }),
    ]);
    const offersOf = Map.groupBy(offers.rows, ({ model }) => model);
    const calledOf = new Map(called.rows.map((row) => [row.model, row]));
    const refusedOf = new Map(refused.rows.map((row) => [row.model, row.count]));
    const moneyOf = new Map(report.rows.map((row) => [row.key, thingMoneyOf(row)]));
    // A name that only refused calls have was chosen by callers and is no model of the site.
    const names = new Set([...offersOf.keys(), ...calledOf.keys(), ...moneyOf.keys()]);
    names.delete('');
    const rows = [...names].map((model): ModelRow => {
      const own = offersOf.get(model) ?? [];
      const enabled = own.filter(({ status }) => status === CHANNEL_STATUS.enabled);
      const groups = [...new Set((enabled.length > 0 ? enabled : own).map(({ group }) => group))].sort();
      const { answered = 0, failed = 0 } = calledOf.get(model) ?? {};
      return {
        model,
        channels: new Set(enabled.map(({ channel_id }) => channel_id)).size,
        all_channels: new Set(own.map(({ channel_id }) => channel_id)).size,
        groups,
        price: unitPriceOf(dependencies.priceOf(model, groups[0] ?? 'default')),
        answered,
        failed,
        refused: refusedOf.get(model) ?? 0,
        money: moneyOf.get(model) ?? NOTHING,
      };
    });
    const callsOf = ({ answered, failed, refused: stopped }: ModelRow) => answered + failed + stopped;
    return {
      now,
      rows: rows
        .toSorted((left, right) => callsOf(right) - callsOf(left) || (left.model < right.model ? -1 : 1))
        .slice(0, MOST_LISTED_MODELS),
      total: rows.length,
    };
  };
}
