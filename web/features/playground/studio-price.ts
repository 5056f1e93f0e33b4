/** The models of each kind of media, and what a request costs before it is sent. */
import {
  picturePieces,
  piecePriceAt,
  pricePerMillion,
  QUOTA_TYPE,
  type PricingEntry,
} from '#contract/money/pricing.ts';
import { MUSIC_MODELS } from '#contract/relay/tasks.ts';
import { modelLimitList, type TokenView } from '#contract/admin/tokens.ts';
import type { PlaygroundMedia } from '#web/ui/media/again.ts';
import type { StudioDraft } from './studio-request.ts';

/** Decimals of a price and of a charge, so that the two can be compared. */
export const PRICE_DIGITS = 4;

const SONGS: readonly string[] = Object.values(MUSIC_MODELS);

function isOfKind({ kind, model_name }: PricingEntry, wanted: PlaygroundMedia): boolean {
  return wanted === 'music' ? SONGS.includes(model_name) : kind === wanted;
}

type Limits = Pick<TokenView, 'model_limits_enabled' | 'model_limits'>;

/** Models of this kind that the token may use in its group. */
export function studioModels(
  list: readonly PricingEntry[],
  kind: PlaygroundMedia,
  group: string,
  token: Limits | undefined,
): string[] {
  const limits = token?.model_limits_enabled ? modelLimitList(token.model_limits) : undefined;
  // A song is wanted more often than lyrics alone.
  const place = ({ model_name }: PricingEntry) => SONGS.indexOf(model_name);
  return list
    .filter((entry) => isOfKind(entry, kind) && entry.enable_groups.includes(group))
    .toSorted((left, right) => place(left) - place(right))
    .map(({ model_name }) => model_name)
    .filter((model) => limits === undefined || limits.includes(model));
}

/** `720p` of `1280x720`; blank when the size is left to the model. */
export function resolutionOf(size: string): string {
  const [width, height] = size.split('x').map(Number);
  return width && height ? `${Math.min(width, height)}p` : '';
}

export type StudioPrice =
  /** Dollars of the request. */
  | { kind: 'whole'; dollars: number }
  | { kind: 'second'; dollars: number }
  /** Known when the answer says what it used. */
  | { kind: 'tokens'; input: number; output: number };

const exact = (dollars: number): number => Number(dollars.toPrecision(12));

export function studioPrice(entry: PricingEntry, ratio: number, draft: StudioDraft): StudioPrice {
  if (entry.quota_type === QUOTA_TYPE.usage) {
    const { input, output } = pricePerMillion(entry, ratio);
    return { kind: 'tokens', input, output };
  }
  const { kind, size, count, seconds } = draft;
  const price = piecePriceAt(entry.model_price, entry.resolution_prices, resolutionOf(size));
  if (kind === 'image')
    return { kind: 'whole', dollars: exact(price * ratio * picturePieces(entry.model_name, count, size)) };
  if (kind === 'music' || entry.price_unit !== 'second')
    return { kind: 'whole', dollars: exact(price * ratio) };
  if (seconds === 0) return { kind: 'second', dollars: exact(price * ratio) };
  return { kind: 'whole', dollars: exact(price * ratio * seconds) };
}
