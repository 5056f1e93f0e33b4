// What a relayed call reads and leaves behind: tokens, logs, asynchronous tasks and kept files of their results.
import type { Default, Flag } from './column.ts';

export interface TokensTable {
  id: Default<number>;
  user_id: number;
  name: Default<string>;
  key_digest: string;
  key_sealed: Default<string>;
  key_hint: Default<string>;
  status: Default<number>;
  remain_quota: Default<number>;
  held_quota: Default<number>;
  unlimited_quota: Default<Flag>;
  used_quota: Default<number>;
  created_time: Default<number>;
  accessed_time: Default<number>;
  expired_time: Default<number>;
  model_limits_enabled: Default<Flag>;
  model_limits: Default<string>;
  allow_ips: Default<string>;
  deny_ips: Default<string>;
  group: Default<string>;
  requests_per_minute: Default<number>;
  tokens_per_minute: Default<number>;
  /** Copies of those of its project. */
  project_requests_per_minute: Default<number>;
  project_tokens_per_minute: Default<number>;
  concurrent_calls: Default<number>;
  rate_limit_message: Default<string>;
  day_budget: Default<number>;
  month_budget: Default<number>;
  strict_conversion: Default<Flag>;
  mj_mode: Default<'' | 'fast' | 'relax' | 'turbo'>;
  mj_image_proxy: Default<'' | 'on'>;
  mj_backup_pool: Default<'' | 'off'>;
  /** Whether answers to its calls are kept; blank: as the site or its organization says. */
  answer_cache: Default<'' | 'on' | 'off'>;
  /** 0: as long as the site does. */
  answer_cache_seconds: Default<number>;
  deleted_at: number | null;
  /** Of an organization's token: the person or the service account that has it, and its project. All 0 for a person's own. */
  member_id: Default<number>;
  project_id: Default<number>;
  service_account_id: Default<number>;
}

/** Calls that were refused before any attempt. */
export interface RefusedCallsTable {
  id: Default<number>;
  /** First second of the minute in which the calls arrived. */
  minute: number;
  /** 0 when the caller is not known. */
  user_id: number;
  token_id: number;
  /** The name of the error. */
  code: string;
  group: string;
  model_name: string;
  /** Whose the token was, in an organization; 0 for what it was not. */
  member_id: Default<number>;
  service_account_id: Default<number>;
  project_id: Default<number>;
  /** The address of the last one. */
  ip: Default<string>;
  /** The first request ids, as a comma list. */
  request_ids: Default<string>;
  count: Default<number>;
}

export interface LogsTable {
  id: Default<number>;
  created_at: number;
  request_id: Default<string>;
  type: Default<number>;
  user_id: Default<number>;
  username: Default<string>;
  token_id: Default<number>;
  token_name: Default<string>;
  model_name: Default<string>;
  upstream_model: Default<string>;
  channel_id: Default<number>;
  channel_name: Default<string>;
  group: Default<string>;
  prompt_tokens: Default<number>;
  completion_tokens: Default<number>;
  quota: Default<number>;
  use_time: Default<number>;
  is_stream: Default<Flag>;
  estimated: Default<Flag>;
  ip: Default<string>;
  content: Default<string>;
  other: Default<string>;
  /** What the call cost the operator, in quota units; null: unknown. Never shown to users. */
  cost: number | null;
  /** Of an organization's call: those of its token at that time. */
  member_id: Default<number>;
  project_id: Default<number>;
  service_account_id: Default<number>;
  /** Comma list of the budget counters that its charge counts in. */
  budgets: Default<string>;
  /** What the caller gave, as `key=value, key=value`; only keys that the organization allows. */
  tags: Default<string>;
}

/** One row: log rows from before this time have been deleted. */
export interface LogCleaningTable {
  id: number;
  cleaned_before: Default<number>;
}

export interface UsageHoursTable {
  hour: number;
  user_id: number;
  token_id: number;
  channel_id: number;
  model_name: string;
  count: Default<number>;
  quota: Default<number>;
  prompt_tokens: Default<number>;
  completion_tokens: Default<number>;
  error_count: Default<number>;
  use_time_ms: Default<number>;
  first_token_ms: Default<number>;
}

/** What the calls of organizations are attributed to; a call with tags has a row for each of them beside the one of the call. */
export interface HolderHoursTable {
  user_id: number;
  /** Blank: the whole call. */
  tag_key: string;
  hour: number;
  tag_value: string;
  member_id: number;
  service_account_id: number;
  project_id: number;
  token_id: number;
  model_name: string;
  count: Default<number>;
  quota: Default<number>;
  prompt_tokens: Default<number>;
  completion_tokens: Default<number>;
  error_count: Default<number>;
  use_time_ms: Default<number>;
  first_token_ms: Default<number>;
}

/** Made from `usage_hours` and never the only place of a figure. */
export interface UsageRollupTable {
  /** 0 everything, 1 a user, 2 a channel, 3 a model. */
  scope: number;
  /** The id or the name; blank for everything. */
  key: string;
  hour: number;
  count: number;
  error_count: number;
  quota: number;
  prompt_tokens: number;
  completion_tokens: number;
}

export interface LimitWindowsTable {
  scope: string;
  window_start: number;
  used: Default<number>;
}

/** Asynchronous work of an upstream, such as a drawing. */
export interface TasksTable {
  id: Default<number>;
  /** The hold that pays for it, the same for the whole life of the task. */
  hold_id: string;
  /** `open` until the hold has ended, independent of the task's own status. */
  money: Default<'open' | 'settled' | 'released'>;
  platform: string;
  action: string;
  model: string;
  user_id: number;
  username: Default<string>;
  token_id: Default<number>;
  group: Default<string>;
  channel_id: Default<number>;
  /** The upstream's own id, or ours for a batch; empty until the upstream has said its own. */
  task_id: Default<string>;
  /** What the upstream said to the submission. */
  code: Default<number>;
  status: Default<string>;
  progress: Default<string>;
  prompt: Default<string>;
  prompt_en: Default<string>;
  result_url: Default<string>;
  fail_reason: Default<string>;
  submit_ms: number;
  start_ms: Default<number>;
  finish_ms: Default<number>;
  quota: Default<number>;
  /** JSON: further fields of the task as the platform sent them. */
  properties: Default<string>;
  /** JSON: price and log row of the call, for whichever node ends the task. */
  snapshot: Default<string>;
  /** URL that is called when the task changes. */
  notify_url: Default<string>;
  /** Past it the task has failed. */
  deadline_at: number;
  /** When its upstream is asked next; moving it on claims the task. */
  next_poll_at: number;
  /** Questions in a row that brought no report. */
  poll_failures: Default<number>;
  /** When its caller deleted it; the API no longer shows it. 0: not. */
  removed_at: Default<number>;
  /** Of an organization's call: those of its token at that time. */
  member_id: Default<number>;
  project_id: Default<number>;
}

/** A file at a channel's upstream: a caller's, or the output of a batch. */
export interface FilesTable {
  id: Default<number>;
  /** The id that callers know; the upstream's own may exist at two channels. */
  file_id: string;
  user_id: number;
  token_id: number;
  project_id: Default<number>;
  channel_id: number;
  upstream_id: string;
  purpose: string;
  filename: string;
  bytes: Default<number>;
  created_at: number;
  expires_at: Default<number>;
  /** The batch that must be paid before its output can be read; 0 for a caller's own file. */
  task_id: Default<number>;
  /** The model that its requests name, as the caller calls it. */
  model: Default<string>;
  /** JSON: what was read of a batch's requests (`BatchInput`). */
  batch: Default<string>;
}

export interface MediaTable {
  id: Default<number>;
  task_id: number;
  /** The file within the task; blank: the task has none. */
  name: string;
  /** The name of the copy on the disk or in the storage. */
  key: string;
  state: Default<'wanted' | 'kept' | 'failed' | 'expired'>;
  place: Default<'' | 'disk' | 's3'>;
  type: Default<string>;
  bytes: Default<number>;
  tries: Default<number>;
  next_try_at: Default<number>;
  kept_at: Default<number>;
  error: Default<string>;
}
