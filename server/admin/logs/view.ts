// A log row for its reader. For users the fields for operators (channel, attempts, upstream model, cost) are removed here.
import { publicContent } from '#contract/relay/failure-cause.ts';
import { factIn, wordsOf, type FactReader } from '#contract/facts.ts';
import { LOG_TYPE, type LogView } from '#contract/admin/logs.ts';
import type { Row } from '#server/platform/store/schema.ts';

export function logViewOf(row: Row<'logs'>, reader: FactReader, forAdmin: boolean): LogView {
  const stored = forAdmin ? row.content : publicContent(row.content);
  return {
    id: row.id,
    created_at: row.created_at,
    request_id: row.request_id,
    type: row.type,
    user_id: row.user_id,
    username: row.username,
    token_id: row.token_id,
    token_name: row.token_name,
    model_name: row.model_name,
    upstream_model: forAdmin ? row.upstream_model : '',
    channel: forAdmin ? row.channel_id : 0,
    channel_name: forAdmin ? row.channel_name : '',
    group: row.group,
    prompt_tokens: row.prompt_tokens,
    completion_tokens: row.completion_tokens,
    quota: row.quota,
    use_time: row.use_time,
    is_stream: row.is_stream === 1,
    estimated: row.estimated === 1,
    ip: row.ip,
    content: wordsOf(stored, reader),
    code: codeOf(row.type, stored),
    other: forAdmin ? row.other : withoutAdminInfo(row.other),
    ...(forAdmin ? { cost: row.cost } : {}),
  };
}

/** Of a failed call the stored code with its status, by which programs find its cause; else the code of the fact. */
function codeOf(type: number, stored: string): string {
  const code = factIn(stored)?.code ?? '';
  return type === LOG_TYPE.error && !stored.startsWith('{') && code !== '' ? stored : code;
}

/** Text that does not parse is not shown: `admin_info` could not be removed from it. */
export function withoutAdminInfo(other: string): string {
  if (other === '' || other === '{}') return '{}';
  try {
    const value: unknown = JSON.parse(other);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return '{}';
    const { admin_info: _, ...rest } = value as Record<string, unknown>;
    return JSON.stringify(rest);
  } catch {
    return '{}';
  }
}
