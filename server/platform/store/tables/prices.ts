// Prices with a history.
import type { Default } from './column.ts';

/** Append-only: triggers refuse UPDATE and DELETE. Ids grow in the order in which versions came into force. */
export interface PriceVersionsTable {
  id: Default<number>;
  effective_at: number;
  /** 0: the command line, the configuration file or the start of the server. */
  created_by: Default<number>;
  /** The draft that was published; 0: none. */
  draft_id: Default<number>;
  source: string;
  /** JSON: the price options and their values (contract/money/price-keys.ts). */
  prices: string;
  /** Digest of the built-in price list that prices all other models; empty: not known. */
  list: Default<string>;
  reason: Default<string>;
}

export interface PriceDraftsTable {
  id: Default<number>;
  status: Default<'draft' | 'scheduled' | 'published' | 'withdrawn'>;
  /** The version that was in force when the draft was made or last brought up to date. */
  based_on: number;
  created_at: number;
  updated_at: number;
  /** Grows with each change, so that an operator does not overwrite what another one wrote meanwhile. */
  revision: Default<number>;
  created_by: Default<number>;
  updated_by: Default<number>;
  /** Of a scheduled draft. */
  publish_at: Default<number>;
  /** Of a published draft. */
  version_id: Default<number>;
  prices: string;
  source: Default<string>;
  reason: Default<string>;
  /** Why the last try to publish it at its time failed. */
  error: Default<string>;
}

/** A price of an outside list that differs from ours. */
export interface PriceProposalsTable {
  id: Default<number>;
  status: Default<'open' | 'accepted' | 'refused' | 'replaced'>;
  created_at: number;
  decided_at: Default<number>;
  decided_by: Default<number>;
  /** The draft that took it over; 0: none. */
  draft_id: Default<number>;
  model: string;
  /** The address of the list, or the name of an uploaded file. */
  origin: string;
  shape: string;
  /** JSON of contract/money/listed-price.ts. */
  listed: string;
}
