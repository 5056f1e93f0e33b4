// Shows where the relay would send a call: tiers, weights and the resulting probabilities, and for every other channel the
// first reason why it is excluded.
import type { Handler } from '#server/features/context.ts';
import { CHANNEL_STATUS, channelOtherInfo, type ChannelRoute } from '#contract/channel-fields.ts';
import type { channels } from '#contract/channels.ts';
import { providerOf } from '#server/providers/index.ts';
import { spokenFormat } from '#server/providers/probe.ts';
import type { Row } from '#server/store/schema.ts';
import { splitList } from './abilities.ts';
import type { ChannelDependencies } from './dependencies.ts';
import { formatOfModel } from './model-kind.ts';
import { providerChannel } from './upstream.ts';

type Other = ChannelRoute['others'][number];

export function simulateRoute(dependencies: ChannelDependencies): Handler<typeof channels.route> {
  return async ({ query }) => {
    const { db } = dependencies.store;
    const [rows, abilities] = await Promise.all([
      db.selectFrom('channels').selectAll().where('deleted_at', 'is', null).orderBy('id').execute(),
      db
        .selectFrom('abilities')
        .selectAll()
        .where('group', '=', query.group)
        .where('model', '=', query.model)
        .where('enabled', '=', 1)
        .execute(),
    ]);
    const byChannel = new Map(abilities.map((ability) => [ability.channel_id, ability]));
    const candidates: ChannelRoute['candidates'] = [];
    const others: Other[] = [];
    for (const row of rows) {
      const reason = reasonAgainst(row, query, byChannel.has(row.id));
      const { id, name, type } = row;
      if (reason !== undefined) {
        const detail =
          reason === 'auto_disabled' ? (channelOtherInfo(row.other_info).status_reason ?? '') : '';
        others.push({ id, name, type, reason, detail });
        continue;
      }
      const ability = byChannel.get(id);
      candidates.push({
        id,
        name,
        type,
        tier: 0,
        priority: ability?.priority ?? row.priority,
        weight: Math.max(0, ability?.weight ?? row.weight),
        odds: 0,
        cooling: (dependencies.coolingSeconds?.(id) ?? 0) > 0,
        upstream_model: dependencies.upstreamModel(row.model_mapping, query.model),
      });
    }
    return { candidates: withOdds(candidates), others };
  };
}

function reasonAgainst(
  row: Row<'channels'>,
  { group, model }: { group: string; model: string },
  hasAbility: boolean,
): Other['reason'] | undefined {
  if (!splitList(row.models).includes(model)) return 'no_model';
  if (!splitList(row.group).includes(group)) return 'no_group';
  if (row.status === CHANNEL_STATUS.autoDisabled) return 'auto_disabled';
  if (row.status !== CHANNEL_STATUS.enabled) return 'disabled';
  const provider = providerOf(row.type);
  if (!provider) return 'type_not_ready';
  const channel = providerChannel({ ...row, key: '' });
  if (spokenFormat(provider, channel, formatOfModel(model), model) === undefined) return 'other_format';
  return hasAbility ? undefined : 'inconsistent';
}

/** A weight of 0 beside others is a reserve; if all are 0 they share evenly. Channels that cool down are skipped. */
function withOdds(candidates: ChannelRoute['candidates']): ChannelRoute['candidates'] {
  const priorities = [...new Set(candidates.map(({ priority }) => priority))].sort(
    (left, right) => right - left,
  );
  const sums = new Map<number, { weight: number; count: number }>();
  for (const { priority, weight, cooling } of candidates) {
    if (cooling) continue;
    const before = sums.get(priority) ?? { weight: 0, count: 0 };
    sums.set(priority, { weight: before.weight + weight, count: before.count + 1 });
  }
  return candidates
    .map((candidate) => {
      const sum = sums.get(candidate.priority) ?? { weight: 0, count: 1 };
      const share = sum.weight === 0 ? 1 / sum.count : candidate.weight / sum.weight;
      const odds = candidate.cooling ? 0 : share;
      return { ...candidate, tier: priorities.indexOf(candidate.priority) + 1, odds };
    })
    .sort((left, right) => left.tier - right.tier || right.odds - left.odds || left.id - right.id);
}
