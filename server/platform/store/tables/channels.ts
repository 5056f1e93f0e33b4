// Channels, the models that they serve, and their attempts by the hour.
import type { Default, Flag } from './column.ts';

export interface ChannelsTable {
  id: Default<number>;
  name: Default<string>;
  type: Default<number>;
  key_sealed: Default<string>;
  key_digest: Default<string>;
  key_hint: Default<string>;
  base_url: Default<string>;
  other: Default<string>;
  models: Default<string>;
  group: Default<string>;
  model_mapping: Default<string>;
  tag: string | null;
  priority: Default<number>;
  weight: Default<number>;
  setting: Default<string>;
  openai_organization: Default<string>;
  test_model: Default<string>;
  auto_ban: Default<Flag>;
  status_code_mapping: Default<string>;
  status: Default<number>;
  response_time: Default<number>;
  used_quota: Default<number>;
  balance: Default<number>;
  balance_updated_time: Default<number>;
  test_time: Default<number>;
  created_time: Default<number>;
  other_info: Default<string>;
  /** A comma list of formats. */
  refused_formats: Default<string>;
  /** JSON (server/relay/channel-choice/lessons.ts). */
  lessons: Default<string>;
  param_override: Default<string>;
  header_override: Default<string>;
  max_concurrency: Default<number>;
  /** 0: none. */
  supplier_id: Default<number>;
  /** JSON (contract/money/channel-costs.ts); empty: that of the supplier. */
  buy_price: Default<string>;
  deleted_at: number | null;
}

/** Attempts of a channel in one hour. */
export interface ChannelHoursTable {
  channel_id: number;
  hour: number;
  attempts: Default<number>;
  /** Attempts that failed, broken streams included. */
  failures: Default<number>;
  /** Streams that the upstream broke off after their first event. */
  broken: Default<number>;
  /** Streams by the class of their time to the first token (contract/relay/channel-health.ts). */
  first_0: Default<number>;
  first_1: Default<number>;
  first_2: Default<number>;
  first_3: Default<number>;
  first_4: Default<number>;
  first_5: Default<number>;
  first_6: Default<number>;
  first_7: Default<number>;
  first_8: Default<number>;
  first_9: Default<number>;
  first_10: Default<number>;
  first_11: Default<number>;
  first_12: Default<number>;
  first_13: Default<number>;
}

/** The last failed attempt of a channel, in the upstream's words. */
export interface ChannelErrorsTable {
  channel_id: number;
  at: number;
  request_id: Default<string>;
  words: Default<string>;
}

export interface AbilitiesTable {
  group: string;
  model: string;
  channel_id: number;
  enabled: Default<Flag>;
  priority: Default<number>;
  weight: Default<number>;
  tag: string | null;
}

/** A name that callers use for one of several models. */
export interface VirtualModelsTable {
  id: Default<number>;
  name: string;
  description: Default<string>;
  enabled: Default<Flag>;
  price: Default<'answered' | 'own'>;
  body_model: Default<'asked' | 'answered'>;
  replaces_model: Default<Flag>;
  hedge: Default<Flag>;
  /** `VirtualTarget[]` as JSON. */
  targets: string;
  created_at: number;
  updated_at: number;
}
