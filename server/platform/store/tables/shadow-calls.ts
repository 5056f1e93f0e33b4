// Shadow calls (ADR 124).
import type { Default, Flag } from './column.ts';

/** What is compared with what. */
export interface ShadowsTable {
  id: Default<number>;
  name: string;
  enabled: Default<Flag>;
  model: string;
  target_model: string;
  /** The other fields of `ShadowFields` as JSON. */
  rules: string;
  created_at: number;
  updated_at: number;
}

/** What a caller got, and what the copy of the call got. */
export interface ShadowSamplesTable {
  id: Default<number>;
  shadow_id: number;
  request_id: string;
  user_id: number;
  created_at: number;
  group: string;
  is_stream: Default<Flag>;
  model: string;
  channel_id: number;
  first_token_ms: Default<number>;
  time_ms: Default<number>;
  prompt_tokens: Default<number>;
  completion_tokens: Default<number>;
  cost: number | null;
  ending: string;
  copy_model: string;
  copy_channel_id: number;
  copy_first_token_ms: Default<number>;
  copy_time_ms: Default<number>;
  copy_prompt_tokens: Default<number>;
  copy_completion_tokens: Default<number>;
  copy_cost: number | null;
  copy_ending: string;
  /** Sealed: prompt and answers. */
  texts: string;
}

/** What copies cost, by the hour in which they began. */
export interface ShadowHoursTable {
  /** Its first second. */
  hour: number;
  channel_id: number;
  model_name: string;
  /** Of the caller. */
  group: string;
  user_id: number;
  count: Default<number>;
  /** Of those whose cost is known. */
  cost: Default<number>;
  costed_count: Default<number>;
}

/** What the copies of a comparison may have cost on a day of the site: its daily limit is compared with it. */
export interface ShadowDaysTable {
  /** Its date, as the first second of it in UTC. */
  day: number;
  shadow_id: number;
  spent: Default<number>;
}

/** How many copies were made, why others were not, and how many samples there are. */
export interface ShadowCountsTable {
  shadow_id: number;
  /** Places of samples that are taken; the job counts them anew. */
  kept: Default<number>;
  made: Default<number>;
  failed: Default<number>;
  busy: Default<number>;
  no_channel: Default<number>;
  no_price: Default<number>;
  money: Default<number>;
  full: Default<number>;
  too_long: Default<number>;
}
