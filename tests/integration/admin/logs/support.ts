// A store with users, tokens, calls and events, and the log handlers, called with input that has passed the contract's
// schemas, as the HTTP layer does.
import { ROLE } from '#contract/access.ts';
import type { RequestContext } from '#server/admin/context.ts';
import type { AnyEndpoint, Input, Output } from '#contract/endpoint.ts';
import { LOG_TYPE, logs } from '#contract/admin/logs.ts';
import { createLogHandlers, type LogDependencies } from '#server/admin/logs/index.ts';
import { endedTasks } from '#server/relay/tasks/index.ts';
import type { NewRow } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';

type LogCalls = typeof logs;
type Name = keyof LogCalls;

/** 2026-11-13 17:42 UTC. */
export const SCENE_TIME = 1_794_591_720;
const HOUR_SECONDS = 3600;

export interface Audited {
  action: string;
  target: string;
  before: unknown;
  after: unknown;
}

export interface LogScene {
  store: Store;
  dependencies: LogDependencies;
  clock: { now: number };
  audited: Audited[];
  /** Calls as an administrator, or as this user. */
  call<N extends Name>(name: N, query?: unknown, userId?: number): Promise<Output<LogCalls[N]>>;
  user(username: string): Promise<number>;
  token(userId: number, name: string): Promise<number>;
  /** Rows with the hourly figures that the ledger would have written. */
  write(rows: readonly LogLine[]): Promise<number[]>;
}

export type LogLine = Partial<NewRow<'logs'>> & { created_at: number; user_id: number };

/** On a busy machine a time limit must not shorten an answer or make its total inexact. */
const PATIENT = { searchLimitMilliseconds: Number.POSITIVE_INFINITY, countWaitMilliseconds: 60_000 };

/** `directRows: 0` makes every query use the plan for a large table. */
export function logScene(
  store: Store,
  options: Pick<LogDependencies, 'directRows' | 'searchLimitMilliseconds' | 'countWaitMilliseconds'> = {},
): LogScene {
  const clock = { now: SCENE_TIME };
  const audited: Audited[] = [];
  const dependencies: LogDependencies = {
    store,
    settings: {
      current: {
        GroupRatio: { default: 1, vip: 0.9 },
        UserUsableGroups: { default: '默认分组' },
        LogConsumeEnabled: true,
        QuotaPerUnit: 500_000,
        DisplayInCurrencyEnabled: true,
      },
    },
    endedTasks: endedTasks(store),
    now: () => clock.now,
    ...PATIENT,
    ...options,
  };
  const handlers = createLogHandlers(dependencies);

  function contextOf(userId: number | undefined): RequestContext {
    const role = userId === undefined ? ROLE.root : ROLE.user;
    return {
      user: { id: userId ?? 1, username: 'reader', role, group: 'default' },
      audit: async (_: unknown, action: string, target: string, before?: unknown, after?: unknown) => {
        audited.push({ action, target, before, after });
      },
      auditEvent: async (action: string, target: string, after?: unknown) => {
        audited.push({ action, target, before: undefined, after });
      },
    } as unknown as RequestContext;
  }

  return {
    store,
    dependencies,
    clock,
    audited,
    async call<N extends Name>(name: N, query: unknown = {}, userId?: number) {
      const endpoint: AnyEndpoint = logs[name];
      const input = { params: undefined, query: endpoint.query.parse(query), body: undefined };
      const handler = handlers[name] as (
        input: Input<LogCalls[N]>,
        context: RequestContext,
      ) => Promise<Output<LogCalls[N]>>;
      return await handler(input as Input<LogCalls[N]>, contextOf(userId));
    },
    async user(username) {
      const { id } = await store.db
        .insertInto('users')
        .values({ username, aff_code: username, access_token_digest: null, deleted_at: null })
        .returning('id')
        .executeTakeFirstOrThrow();
      return id;
    },
    async token(userId, name) {
      const { id } = await store.db
        .insertInto('tokens')
        .values({ user_id: userId, name, key_digest: `digest-${name}-${userId}`, deleted_at: null })
        .returning('id')
        .executeTakeFirstOrThrow();
      return id;
    },
    async write(rows) {
      const ids: number[] = [];
      for (const row of rows) {
        const line = { type: LOG_TYPE.consumption, group: 'default', model_name: 'gpt-5.4', ...row };
        const { id } = await store.db
          .insertInto('logs')
          .values(line)
          .returning('id')
          .executeTakeFirstOrThrow();
        ids.push(id);
        if (line.type === LOG_TYPE.consumption || line.type === LOG_TYPE.error) await count(store, line);
      }
      return ids;
    },
  };
}

async function count(store: Store, line: LogLine & { type: number; model_name: string }): Promise<void> {
  const isError = line.type === LOG_TYPE.error;
  const figures = {
    count: isError ? 0 : 1,
    error_count: isError ? 1 : 0,
    quota: isError ? 0 : (line.quota ?? 0),
    prompt_tokens: isError ? 0 : (line.prompt_tokens ?? 0),
    completion_tokens: isError ? 0 : (line.completion_tokens ?? 0),
  };
  await store.db
    .insertInto('usage_hours')
    .values({
      hour: line.created_at - (line.created_at % HOUR_SECONDS),
      user_id: line.user_id,
      token_id: line.token_id ?? 0,
      channel_id: line.channel_id ?? 0,
      model_name: line.model_name,
      ...figures,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['hour', 'user_id', 'token_id', 'channel_id', 'model_name'])
        .doUpdateSet((builder) => ({
          count: builder.eb(builder.ref('usage_hours.count'), '+', figures.count),
          error_count: builder.eb(builder.ref('usage_hours.error_count'), '+', figures.error_count),
          quota: builder.eb(builder.ref('usage_hours.quota'), '+', figures.quota),
          prompt_tokens: builder.eb(builder.ref('usage_hours.prompt_tokens'), '+', figures.prompt_tokens),
          completion_tokens: builder.eb(
            builder.ref('usage_hours.completion_tokens'),
            '+',
            figures.completion_tokens,
          ),
        })),
    )
    .execute();
}
