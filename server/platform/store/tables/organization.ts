// Usage and cost reports: the keys that open them, and the sums they are read from.
import type { Default } from './column.ts';

/** A key that reads reports and calls no model. */
export interface AdminKeysTable {
  id: Default<number>;
  /** Who made it. */
  user_id: number;
  name: Default<string>;
  /** `user`: calls of `user_id`, or of the organization; `site`: calls of everyone. */
  scope: Default<'user' | 'site'>;
  /** 0: of no organization. */
  organization_id: Default<number>;
  key_digest: string;
  key_hint: Default<string>;
  created_at: Default<number>;
  /** 0 = never. */
  last_used_at: Default<number>;
}

/** Calls of an hour or a day, added up from log rows. Tokens are counted in one column each. */
export interface UsageCellsTable {
  /** 3600 or 86400. */
  seconds: number;
  start: number;
  user_id: number;
  /** 0 in the playground. */
  token_id: number;
  model_name: string;
  /** Which report counts the call (`UsageKind`). */
  kind: string;
  /** `batch`, `flex` or `priority`; blank: standard. */
  tier: string;
  /** 1: the prompt was longer than 200,000 tokens. */
  long_context: number;
  calls: number;
  input: number;
  cache_read: number;
  cache_write_5m: number;
  cache_write_1h: number;
  image_input: number;
  audio_input: number;
  /** With reasoning, without audio. */
  output: number;
  audio_output: number;
  pieces: number;
  web_searches: number;
}

/** The cells of organizations once more by whose call each was; 0 for the member or the service account that it was not. */
export interface HolderCellsTable {
  user_id: number;
  seconds: number;
  start: number;
  member_id: number;
  service_account_id: number;
  project_id: number;
  token_id: number;
  model_name: string;
  kind: string;
  tier: string;
  long_context: number;
  calls: number;
  input: number;
  cache_read: number;
  cache_write_5m: number;
  cache_write_1h: number;
  image_input: number;
  audio_input: number;
  output: number;
  audio_output: number;
  pieces: number;
  web_searches: number;
}

/** Charges of days that are over, summed from `usage_hours`. */
export interface CostDaysTable {
  /** Its first second, UTC. */
  day: number;
  user_id: number;
  token_id: number;
  model_name: string;
  quota: number;
}

/** Which days of `cost_days` hold all charges; any other is read from `usage_hours`. */
export interface CostDaysSummedTable {
  day: number;
  /** Grows with each attempt to sum it. */
  claims: Default<number>;
  /** What `margin_summed.changes` of the day was before it was summed: a charge that comes later changes that. */
  changes: Default<number>;
  is_summed: Default<0 | 1>;
}

export interface UsagePositionsTable {
  /**
   * `cells`, `holder_cells`: the last log row in `usage_cells`, in `holder_cells`; `dividends`: the last ledger row in `dividend_spend`; `rollup`, `costs`: the first
   * second that is not in `usage_rollup`, in `cost_days`; `measured`: the last log row in `measured_cells`; `refusals`: the first
   * second whose refused calls are not in it; `cache`: the last log row in `cache_cells`.
   */
  name: string;
  position: Default<number>;
}
