// The columns of a log row that the caller of the ledger fills, with their defaults, in the order both databases bind them.
import type { LogRow } from './operations.ts';

export const LOG_COLUMNS = [
  'type',
  'user_id',
  'username',
  'token_id',
  'token_name',
  'model_name',
  'upstream_model',
  'channel_id',
  'channel_name',
  'group',
  'prompt_tokens',
  'completion_tokens',
  'use_time',
  'is_stream',
  'estimated',
  'ip',
  'content',
  'other',
  // After those that lines of an older spool have, which are read by their place.
  'member_id',
  'project_id',
  'service_account_id',
  'budgets',
  'tags',
] as const satisfies readonly (keyof LogRow)[];

/** In the order of `LOG_COLUMNS`. */
export function logValues(row: LogRow, other = row.other ?? ''): (string | number)[] {
  return [
    row.type ?? 2,
    row.user_id ?? 0,
    row.username ?? '',
    row.token_id ?? 0,
    row.token_name ?? '',
    row.model_name ?? '',
    row.upstream_model ?? '',
    row.channel_id ?? 0,
    row.channel_name ?? '',
    row.group ?? '',
    row.prompt_tokens ?? 0,
    row.completion_tokens ?? 0,
    row.use_time ?? 0,
    row.is_stream ?? 0,
    row.estimated ?? 0,
    row.ip ?? '',
    row.content ?? '',
    other,
    row.member_id ?? 0,
    row.project_id ?? 0,
    row.service_account_id ?? 0,
    row.budgets ?? '',
    row.tags ?? '',
  ];
}

/** The row of these values, with another text in `other`. Written out: a loop over the names costs several times as much. */
export const logRowOf = (values: readonly (string | number)[], other: string): LogRow =>
  ({
    type: values[0],
    user_id: values[1],
    username: values[2],
    token_id: values[3],
    token_name: values[4],
    model_name: values[5],
    upstream_model: values[6],
    channel_id: values[7],
    channel_name: values[8],
    group: values[9],
    prompt_tokens: values[10],
    completion_tokens: values[11],
    use_time: values[12],
    is_stream: values[13],
    estimated: values[14],
    ip: values[15],
    content: values[16],
    other,
    member_id: values[18],
    project_id: values[19],
    service_account_id: values[20],
    budgets: values[21],
    tags: values[22],
  }) as LogRow;
