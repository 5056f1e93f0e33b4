// The log page in a real browser against the real application: rows of every kind, written as the relay writes them.
import { ROLE } from '#contract/access.ts';
import { LOG_TYPE } from '#contract/admin/logs.ts';
import type { NewRow } from '#server/platform/store/schema.ts';
import type { Actor, TestApplication } from '#tests/support/application.ts';
import { visit, type Visit, type VisitOptions } from '#tests/support/browser.ts';

export const WIDE = { width: 1440, height: 900 };

export interface LogStage extends Visit {
  actor: Actor;
}

export const nowSeconds = () => Math.floor(Date.now() / 1000);

/** The details that the relay stores with a call priced by tokens. */
export function callDetails(change: Record<string, unknown> = {}): string {
  return JSON.stringify({
    model_ratio: 1.25,
    model_price: -1,
    completion_ratio: 6,
    cache_ratio: 0.1,
    cache_creation_ratio: 1.25,
    cache_creation_1h_ratio: 2,
    image_ratio: 1,
    audio_ratio: 1,
    audio_completion_ratio: 1,
    reasoning_ratio: 6,
    group_ratio: 0.9,
    quota_per_unit: 500_000,
    price_source: 'operator',
    frt: 6210,
    path: '/v1/chat/completions',
    usage: { input: 6144, cacheRead: 12_288, output: 2146 },
    admin_info: {
      use_channel: ['12', '7', '31'],
      attempts: [
        { channel: 12, status: 429, milliseconds: 420, error: 'status 429: Limit 500, used 500' },
        { channel: 7, status: 0, milliseconds: 4300, error: 'timeout' },
        { channel: 31, status: 200, milliseconds: 1400 },
      ],
    },
    ...change,
  });
}

export type Line = Partial<NewRow<'logs'>>;

/** A call with retries whose charge is (6144 + 12288 × 0.1 + 2146 × 6) × 1.25 × 0.9 = 22780. */
export const RETRIED: Line = {
  type: LOG_TYPE.consumption,
  token_name: 'agent-runner',
  model_name: 'gpt-5.4',
  upstream_model: 'gpt-5.4-2026-03',
  channel_id: 31,
  channel_name: 'openai-backup-b',
  group: 'vip',
  prompt_tokens: 18_432,
  completion_tokens: 2146,
  quota: 22_780,
  use_time: 12,
  is_stream: 1,
  ip: '203.0.113.24',
  request_id: 'req_7Hq2mD9xVb41Kt',
  other: callDetails(),
};

export const PLAIN: Line = {
  type: LOG_TYPE.consumption,
  token_name: 'prod-web',
  model_name: 'gpt-5.4-mini',
  channel_id: 7,
  channel_name: 'openai-main',
  group: 'default',
  prompt_tokens: 1204,
  completion_tokens: 318,
  quota: 740,
  use_time: 3,
  is_stream: 1,
  request_id: 'req_plain',
  other: callDetails({
    frt: 410,
    usage: { input: 1204, output: 318 },
    admin_info: { use_channel: ['7'], attempts: [{ channel: 7, status: 200, milliseconds: 400 }] },
  }),
};

export const FAILED: Line = {
  type: LOG_TYPE.error,
  token_name: 'default',
  model_name: 'deepseek-v4-pro',
  channel_id: 12,
  channel_name: 'azure-eastus2',
  group: 'default',
  use_time: 30,
  is_stream: 1,
  request_id: 'req_failed',
  content: 'status 429 rate_limit_exceeded',
  other: JSON.stringify({
    path: '/v1/chat/completions',
    admin_info: {
      use_channel: ['12'],
      attempts: [{ channel: 12, status: 429, milliseconds: 420, error: 'status 429: slow down' }],
    },
  }),
};

export const TOP_UP: Line = {
  type: LOG_TYPE.topUp,
  content: '通过兑换码充值 ＄20.000000 额度',
  quota: 10_000_000,
  other: '{}',
};

const HOUR_SECONDS = 3600;

/** Rows of one user, newest first, a minute apart unless they have a time; with their hourly figures. */
export async function writeLogs(
  application: TestApplication,
  user: { id: number; username: string },
  lines: readonly Line[],
): Promise<number[]> {
  const ids: number[] = [];
  const now = nowSeconds();
  for (const [index, line] of [...lines.entries()].toReversed()) {
    const createdAt = line.created_at ?? now - 90 - index * 60;
    const { id } = await application.store.db
      .insertInto('logs')
      .values({ user_id: user.id, username: user.username, ...line, created_at: createdAt })
      .returning('id')
      .executeTakeFirstOrThrow();
    ids.unshift(id);
    if (line.type !== LOG_TYPE.consumption && line.type !== LOG_TYPE.error) continue;
    const isError = line.type === LOG_TYPE.error;
    await application.store.db
      .insertInto('usage_hours')
      .values({
        hour: createdAt - (createdAt % HOUR_SECONDS),
        user_id: user.id,
        token_id: line.token_id ?? 0,
        channel_id: line.channel_id ?? 0,
        model_name: line.model_name ?? '',
        count: isError ? 0 : 1,
        error_count: isError ? 1 : 0,
        quota: line.quota ?? 0,
      })
      .onConflict((conflict) =>
        conflict
          .columns(['hour', 'user_id', 'token_id', 'channel_id', 'model_name'])
          .doUpdateSet((builder) => ({
            count: builder.eb(builder.ref('usage_hours.count'), '+', isError ? 0 : 1),
            error_count: builder.eb(builder.ref('usage_hours.error_count'), '+', isError ? 1 : 0),
          })),
      )
      .execute();
  }
  return ids;
}

export interface LogPageOptions extends VisitOptions {
  role?: 'user' | 'admin';
  lines?: readonly Line[];
  path?: string | ((username: string) => string);
}

/** A new user with these rows, on the log page. */
export async function logPage(
  application: TestApplication,
  { role = 'user', lines = [], path = '/log', ...options }: LogPageOptions = {},
): Promise<LogStage> {
  const actor = await application.actor({ role: ROLE[role] });
  await writeLogs(application, actor, lines);
  const opened = await visit(application, {
    as: actor,
    viewport: WIDE,
    language: 'en',
    permissions: ['clipboard-read', 'clipboard-write'],
    ...options,
  });
  await opened.page.goto(typeof path === 'string' ? path : path(actor.username));
  await opened.page.getByRole('heading', { level: 1 }).waitFor({ state: 'attached' });
  return { ...opened, actor };
}
