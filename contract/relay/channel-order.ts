// The order of channels with the same priority. The relay selects by it and the route simulator explains it, so both use this
// code.
import type { ChannelOrder } from '#contract/money/margin-settings.ts';

/** What decides the place of a channel. */
export interface OrderFigures {
  /** At least 0. 0 beside others: a reserve. */
  weight: number;
  /** The part of its calls that the channel keeps, above 0 to 1. Below 1: its answers are not trusted. */
  factor: number;
  /** Of a usual call; null: unknown. */
  cost: number | null;
  /** Milliseconds to the first token, as the median; 0: not measured. */
  firstToken: number;
}

export interface Placed<Channel> {
  channel: Channel;
  /** Its share among the channels of its place, relative to the others. */
  weight: number;
}

/** One way to arrange channels, for the part `share` of the calls: the draws from `from` up to the next arrangement's. */
export interface Draw {
  from: number;
  share: number;
}

/** Part of the calls that `fastest` gives to channels that are not measured, where others are. */
export const EXPLORATION_SHARE = 0.05;
/** The least part of its weight that a dear or slow channel keeps under `balanced`. */
const LEAST_FACTOR = 0.05;

/**
 * Where calls are shared, a factor lowers the share. Where one channel takes every call, a lowered share would change nothing:
 * there the channel comes after the others in the part of the calls that it does not keep.
 */
const isShared = (order: ChannelOrder): boolean => order === 'weight' || order === 'balanced';

/** A call draws a number from 0 to 1. In ascending order of `from`. */
export function drawsOf(order: ChannelOrder, factors: readonly number[]): Draw[] {
  const lowered = isShared(order) ? [] : factors.filter((factor) => factor < 1);
  const bounds = [0, ...new Set(lowered)].toSorted((left, right) => left - right);
  return bounds.map((from, at) => ({ from, share: (bounds[at + 1] ?? 1) - from }));
}

/** The channel comes after the others of its priority in this draw. */
export function isBehind(
  order: ChannelOrder,
  { factor }: Pick<OrderFigures, 'factor'>,
  draw: number,
): boolean {
  return !isShared(order) && factor <= draw;
}

/**
 * The channels of one priority in places: a place is used when no channel of the places before it can be. Channels without a
 * weight come after all that have one.
 */
export function placesOf<Channel>(
  order: ChannelOrder,
  channels: readonly Channel[],
  figuresOf: (channel: Channel) => OrderFigures,
  draw = 0,
): Placed<Channel>[][] {
  const known = channels.map((channel) => ({ channel, ...figuresOf(channel) }));
  const parts = Map.groupBy(
    known,
    (each) => (each.weight === 0 ? 2 : 0) + (isBehind(order, each, draw) ? 1 : 0),
  );
  return [...parts].toSorted(([left], [right]) => left - right).flatMap(([, part]) => inOrder(order, part));
}

type Known<Channel> = OrderFigures & { channel: Channel };

function inOrder<Channel>(order: ChannelOrder, part: readonly Known<Channel>[]): Placed<Channel>[][] {
  if (order === 'weight')
    return [part.map(({ channel, weight, factor }) => ({ channel, weight: shareOf(weight) * factor }))];
  if (order === 'balanced') return [balanced(part)];
  const rank: (figures: OrderFigures) => number = {
    priority: ({ weight }: OrderFigures) => -weight,
    cheapest: ({ cost }: OrderFigures) => cost ?? Number.POSITIVE_INFINITY,
    fastest: ({ firstToken }: OrderFigures) => (firstToken === 0 ? Number.POSITIVE_INFINITY : firstToken),
  }[order];
  const places = Map.groupBy(part, rank);
  return [...places]
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(([, equals]) => equals.map(({ channel, weight }) => ({ channel, weight: shareOf(weight) })));
}

/** Reserves share evenly. */
const shareOf = (weight: number): number => (weight === 0 ? 1 : weight);

/** Twice the price or twice the wait is half the calls. A figure that is not known counts as the mean of the others. */
function balanced<Channel>(part: readonly Known<Channel>[]): Placed<Channel>[] {
  const costs = factors(part.map(({ cost }) => cost));
  const waits = factors(part.map(({ firstToken }) => (firstToken === 0 ? null : firstToken)));
  return part.map(({ channel, weight, factor }, index) => ({
    channel,
    weight: shareOf(weight) * factor * (costs[index] ?? 1) * (waits[index] ?? 1),
  }));
}

/** The least figure has the factor 1, the others the inverse of how many times it they are. */
function factors(figures: readonly (number | null)[]): number[] {
  const known = figures.filter((figure) => figure !== null);
  const least = Math.min(...known);
  const factorOf = (figure: number): number =>
    figure === least ? 1 : Math.max(LEAST_FACTOR, least / figure);
  const mean =
    known.length === 0 ? 1 : known.reduce((sum, figure) => sum + factorOf(figure), 0) / known.length;
  return figures.map((figure) => (figure === null ? mean : factorOf(figure)));
}
