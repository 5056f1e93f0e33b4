// What nouns ask of the margins of the last days of the site; server/admin/margins answers, joined in server/app.
import type { MarginQuery, MarginReport } from '#contract/money/margins.ts';

export interface LastDays {
  days: number;
  /** The last of them is so many days before the day of `at`; 0 unless given. */
  back?: number;
  /** Now, in unix seconds: no call is later. */
  at: number;
}

export type RecentQuery = Omit<MarginQuery, 'from' | 'to' | 'days'> & LastDays;
export type RecentMargins = (query: RecentQuery) => Promise<MarginReport>;

/** A model of a channel: calls whose cost is known. */
export interface OfferMargin {
  channelId: number;
  model: string;
  revenue: number;
  cost: number;
}

export type OfferMargins = (lastDays: LastDays) => Promise<OfferMargin[]>;
