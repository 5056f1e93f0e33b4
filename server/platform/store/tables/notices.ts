// Notices: what happened, the destinations each receiver chose, and one delivery for each destination.
import type { Default, Flag } from './column.ts';

export interface NoticesTable {
  id: Default<number>;
  created_at: number;
  event: string;
  /** 0: the operators. */
  user_id: number;
  /** JSON: the values that the text of the event names. */
  details: string;
  /** A second notice with the same key is not stored. */
  once_key: string | null;
  /** 0: not yet divided into deliveries. */
  dispatched_at: number;
}

export interface NoticeDestinationsTable {
  id: Default<number>;
  /** 0: the operators. */
  user_id: number;
  created_at: number;
  kind: string;
  name: Default<string>;
  /** Sealed JSON: also addresses, because those of several services contain their secret. */
  config: string;
  /** JSON list of the events that this destination delivers. */
  events: string;
  language: Default<string>;
  is_enabled: Default<Flag>;
}

export interface NoticeDeliveriesTable {
  id: Default<number>;
  created_at: number;
  notice_id: number;
  /** 0: the mail that is sent while the receiver has chosen nothing. */
  way_id: number;
  user_id: number;
  kind: string;
  way_name: Default<string>;
  /** `mailed`: a row of `mails` has the state. */
  status: Default<string>;
  tries: Default<number>;
  next_try_at: Default<number>;
  sent_at: Default<number>;
  mail_id: number | null;
  error: Default<string>;
}
