// Arranges the channels of each priority by the setting ChannelOrder. The result has the shape of the tiers it is made of, one
// tier for each place. select.ts keeps it until a figure changes.
import { drawsOf, isBehind, placesOf, type OrderFigures } from '#contract/relay/channel-order.ts';
import type { ChannelOrder } from '#contract/money/margin-settings.ts';
import type { CostBook } from '#server/money/costs/index.ts';
import { familyName, type Candidate, type Tiers } from './catalog.ts';
import type { ChannelSpeeds } from './channel-speeds.ts';
import { mapModel } from './mapping.ts';

export interface OrderParts {
  order: () => ChannelOrder;
  costs: Pick<CostBook, 'usualCost' | 'version'>;
  speeds: ChannelSpeeds;
}

/** For the calls whose draw is at least `from`. */
interface Variant {
  readonly from: number;
  readonly tiers: Tiers;
  /** The same with channels that are not measured before the others; undefined when there are none. */
  readonly exploring: Tiers | undefined;
}

export interface Arranged {
  readonly order: ChannelOrder;
  readonly costVersion: number;
  readonly speedVersion: number;
  /** By `from`, ascending. */
  readonly variants: readonly Variant[];
}

export function figuresOf(
  { costs, speeds }: OrderParts,
  { channel, weight }: Candidate,
  model: string,
): OrderFigures {
  return {
    weight,
    factor: channel.weightFactor,
    cost: costs.usualCost({
      channelId: channel.id,
      upstreamModel: mapModel(channel.modelMapping, model),
      model: familyName(model),
    }),
    firstToken: speeds.firstToken(channel.id),
  };
}

export function arrange(parts: OrderParts, tiers: Tiers, model: string, current: ChannelOrder): Arranged {
  const factors = tiers.flat().map(({ channel }) => channel.weightFactor);
  // The tiers themselves are in the order of weights.
  const isReady = current === 'weight' && factors.every((factor) => factor === 1);
  return {
    order: current,
    costVersion: parts.costs.version,
    speedVersion: parts.speeds.version,
    variants: isReady
      ? [{ from: 0, tiers, exploring: undefined }]
      : drawsOf(current, factors).map(({ from }) => variantOf(parts, tiers, model, { current, from })),
  };
}

function variantOf(
  parts: OrderParts,
  tiers: Tiers,
  model: string,
  { current, from }: { current: ChannelOrder; from: number },
): Variant {
  const figures = (candidate: Candidate) => figuresOf(parts, candidate, model);
  const places = tiers.map((tier) =>
    placesOf(current, tier, figures, from).map((place) =>
      place.map(({ channel: { channel }, weight }): Candidate => ({ channel, weight })),
    ),
  );
  const isTried = ({ channel }: Candidate) =>
    parts.speeds.firstToken(channel.id) === 0 && !isBehind(current, { factor: channel.weightFactor }, from);
  const isMixed = tiers.some((tier) => tier.some(isTried) && !tier.every(isTried));
  const rank = (place: readonly Candidate[]): number => (place.every(isTried) ? 0 : 1);
  return {
    from,
    tiers: places.flat(),
    exploring:
      current === 'fastest' && isMixed
        ? places.flatMap((tier) => tier.toSorted((left, right) => rank(left) - rank(right)))
        : undefined,
  };
}
