// Arranges the channels of each priority by the setting ChannelOrder. The result has the shape of the tiers it is made of, one
// tier for each place, and is kept until a figure changes: a call looks it up and computes nothing.
import {
  drawsOf,
  EXPLORATION_SHARE,
  isBehind,
  placesOf,
  type OrderFigures,
} from '#contract/relay/channel-order.ts';
import type { ChannelOrder } from '#contract/money/margin-settings.ts';
import type { CostBook } from '#server/money/costs/index.ts';
import { familyName, type Candidate, type Tiers } from './catalog.ts';
import type { ChannelSpeeds } from './channel-speeds.ts';
import { mapModel } from './mapping.ts';

export interface ChannelOrders {
  /** The tiers in the order of the setting. `random` decides which arrangement this call gets, where there are several. */
  of(tiers: Tiers, model: string, random?: () => number): Tiers;
  figures(candidate: Candidate, model: string): OrderFigures;
  /** Reads old figures again. */
  refresh(): Promise<void>;
}

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

interface Arranged {
  readonly order: ChannelOrder;
  readonly costVersion: number;
  readonly speedVersion: number;
  /** By `from`, ascending. */
  readonly variants: readonly Variant[];
}

export function createChannelOrders({ order, costs, speeds }: OrderParts): ChannelOrders {
  const known = new WeakMap<Tiers, Arranged>();

  function figures({ channel, weight }: Candidate, model: string): OrderFigures {
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

  function arrange(tiers: Tiers, model: string, current: ChannelOrder): Arranged {
    const factors = tiers.flat().map(({ channel }) => channel.weightFactor);
    // The tiers themselves are in the order of weights.
    const isReady = current === 'weight' && factors.every((factor) => factor === 1);
    return {
      order: current,
      costVersion: costs.version,
      speedVersion: speeds.version,
      variants: isReady
        ? [{ from: 0, tiers, exploring: undefined }]
        : drawsOf(current, factors).map(({ from }) => variantOf(tiers, model, current, from)),
    };
  }

  function variantOf(tiers: Tiers, model: string, current: ChannelOrder, from: number): Variant {
    const figuresOf = (candidate: Candidate) => figures(candidate, model);
    const places = tiers.map((tier) =>
      placesOf(current, tier, figuresOf, from).map((place) =>
        place.map(({ channel: { channel }, weight }): Candidate => ({ channel, weight })),
      ),
    );
    const isTried = ({ channel }: Candidate) =>
      speeds.firstToken(channel.id) === 0 && !isBehind(current, { factor: channel.weightFactor }, from);
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

  return {
    figures,
    refresh: () => speeds.refresh(),
    of(tiers, model, random = Math.random) {
      const current = order();
      if (current === 'fastest' || current === 'balanced') void speeds.refresh();
      let arranged = known.get(tiers);
      if (
        arranged === undefined ||
        arranged.order !== current ||
        arranged.costVersion !== costs.version ||
        arranged.speedVersion !== speeds.version
      ) {
        arranged = arrange(tiers, model, current);
        known.set(tiers, arranged);
      }
      const { variants } = arranged;
      const draw = variants.length === 1 ? 0 : random();
      const variant = variants.findLast(({ from }) => from <= draw);
      if (variant === undefined) return tiers;
      if (variant.exploring !== undefined && random() < EXPLORATION_SHARE) return variant.exploring;
      return variant.tiers;
    },
  };
}
