// What is exported of a log row. The columns of ClickHouse are made from this list, so a new one is added here only.
import type { Row } from '#server/platform/store/schema.ts';

/** Name and ClickHouse type. */
export const COLUMNS = {
  id: 'UInt64',
  created_at: "DateTime('UTC')",
  request_id: 'String',
  type: 'UInt8',
  user_id: 'UInt64',
  username: 'String',
  token_id: 'UInt64',
  token_name: 'String',
  model_name: 'LowCardinality(String)',
  upstream_model: 'LowCardinality(String)',
  channel_id: 'UInt64',
  channel_name: 'LowCardinality(String)',
  group: 'LowCardinality(String)',
  prompt_tokens: 'UInt64',
  completion_tokens: 'UInt64',
  quota: 'Int64',
  use_time: 'UInt64',
  is_stream: 'UInt8',
  estimated: 'UInt8',
  ip: 'String',
  content: 'String',
  other: 'String',
  cost: 'Nullable(Int64)',
  member_id: 'UInt64',
  project_id: 'UInt64',
  service_account_id: 'UInt64',
  budgets: 'String',
  tags: 'String',
} as const satisfies Record<keyof Row<'logs'>, string>;

export type LogRow = Row<'logs'>;

export interface Batch {
  rows: readonly LogRow[];
  /** The same for the same rows: receivers that know it drop a repetition as a whole. */
  name: string;
}

export const batchOf = (rows: readonly LogRow[]): Batch => ({
  rows,
  name: `${rows[0]?.id ?? 0}-${rows.at(-1)?.id ?? 0}`,
});

/** One JSON object a line. */
export const linesOf = (rows: readonly LogRow[]): string =>
  rows.map((row) => `${JSON.stringify(row)}\n`).join('');
