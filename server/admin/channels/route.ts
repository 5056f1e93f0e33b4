// Shows where the relay would send a call: tiers, places inside them with the figures that decide them, the resulting
// probabilities, and for every other channel the first reason why it is excluded.
import type { Handler } from '#server/admin/context.ts';
import { CHANNEL_STATUS, channelOtherInfo, type ChannelRoute } from '#contract/relay/channel-fields.ts';
import {
  drawsOf,
  EXPLORATION_SHARE,
  isBehind,
  placesOf,
  type Placed,
} from '#contract/relay/channel-order.ts';
import type { channels } from '#contract/relay/channels.ts';
import type { ChannelOrder } from '#contract/money/margin-settings.ts';
import { providerOf } from '#server/models/providers/index.ts';
import { spokenFormat } from '#server/models/providers/probe.ts';
import type { Row } from '#server/platform/store/schema.ts';
import type { Pause } from '#server/relay/channel-choice/breaker.ts';
import { splitList } from '#server/relay/channel-choice/abilities.ts';
import type { ChannelDependencies } from './dependencies.ts';
import { formatOfModel } from '#server/models/providers/model-kind.ts';
import { providerChannel } from './upstream.ts';

type Other = ChannelRoute['others'][number];
type Candidate = ChannelRoute['candidates'][number];

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
      const standing = dependencies.standingOf?.(id, query.model);
      const figures = await dependencies.orderFigures?.(id, query.model);
      candidates.push({
        id,
        name,
        type,
        tier: 0,
        place: 0,
        cost: dollarsOf(dependencies, figures?.cost ?? null),
        first_token: figures?.firstToken ?? 0,
        priority: ability?.priority ?? row.priority,
        weight: Math.max(0, ability?.weight ?? row.weight),
        weight_factor: figures?.factor ?? 1,
        odds: 0,
        cooling: standing?.pause !== undefined,
        pause: pauseOf(standing?.pause),
        at_limit: standing?.isEmpty ?? false,
        limit_share: standing?.share ?? 1,
        upstream_model: dependencies.upstreamModel(row.model_mapping, query.model),
      });
    }
    const { ChannelOrder: order } = dependencies.settings.current;
    const exploration = order === 'fastest' ? EXPLORATION_SHARE : 0;
    return { order, exploration, candidates: withOdds(order, candidates), others };
  };
}

const pauseOf = (pause: Pause | undefined): Candidate['pause'] =>
  pause === undefined
    ? null
    : { cause: pause.cause, is_whole: pause.model === '', seconds: Math.ceil(pause.seconds) };

const dollarsOf = ({ settings }: ChannelDependencies, units: number | null): number | null =>
  units === null ? null : units / settings.current.QuotaPerUnit;

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

/**
 * The places of each tier, and the chance of each channel to be the first. Channels that are paused or at a limit are skipped.
 * Shown are the places that most calls see.
 */
function withOdds(order: ChannelOrder, candidates: readonly Candidate[]): Candidate[] {
  const byPriority = Map.groupBy(candidates, ({ priority }) => priority);
  const tiers = [...byPriority].toSorted(([left], [right]) => right - left);
  return tiers.flatMap(([, tier], index) => {
    const figuresOf = ({ weight, weight_factor, cost, first_token }: Candidate) => ({
      weight,
      factor: weight_factor,
      cost,
      firstToken: first_token,
    });
    const draws = drawsOf(
      order,
      tier.map(({ weight_factor }) => weight_factor),
    );
    const oddsOf = new Map<number, number>();
    for (const { from, share } of draws) {
      const odds = firstOdds(order, placesOf(order, tier, figuresOf, from), from);
      for (const [id, chance] of odds) oddsOf.set(id, (oddsOf.get(id) ?? 0) + share * chance);
    }
    const [usual] = draws.toSorted((left, right) => right.share - left.share);
    return placesOf(order, tier, figuresOf, usual?.from).flatMap((place, at) =>
      place
        .map(({ channel }) => ({
          ...channel,
          tier: index + 1,
          place: at + 1,
          odds: oddsOf.get(channel.id) ?? 0,
        }))
        .toSorted((left, right) => right.odds - left.odds || left.id - right.id),
    );
  });
}

function firstOdds(
  order: ChannelOrder,
  placed: readonly Placed<Candidate>[][],
  draw: number,
): Map<number, number> {
  const usable = placed
    .map((place) => place.filter(({ channel }) => !channel.cooling && !channel.at_limit))
    .filter((place) => place.length > 0);
  const first = shares(usable[0] ?? []);
  const isTried = (place: Placed<Candidate>[]) =>
    place.every(
      ({ channel: { first_token, weight_factor } }) =>
        first_token === 0 && !isBehind(order, { factor: weight_factor }, draw),
    );
  const tried = usable.find(isTried);
  if (order !== 'fastest' || tried === undefined || usable.every(isTried)) return first;
  const odds = new Map([...first].map(([id, share]) => [id, share * (1 - EXPLORATION_SHARE)]));
  for (const [id, share] of shares(tried)) odds.set(id, (odds.get(id) ?? 0) + share * EXPLORATION_SHARE);
  return odds;
}

/** Without weights, all share evenly. */
function shares(place: readonly Placed<Candidate>[]): Map<number, number> {
  const weightOf = ({ channel, weight }: Placed<Candidate>): number => weight * channel.limit_share;
  const sum = place.reduce((total, each) => total + weightOf(each), 0);
  return new Map(place.map((each) => [each.channel.id, sum === 0 ? 1 / place.length : weightOf(each) / sum]));
}
