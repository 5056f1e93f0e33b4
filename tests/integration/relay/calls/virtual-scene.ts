// Virtual models in front of the mock upstream: each test makes models of its own, so that no channel of another one is used.
import type { TargetConditions } from '#contract/relay/virtual-models.ts';
import { FALLBACK_KINDS, type FallbackKind } from '#contract/relay/virtual-reasons.ts';
import type { DatabaseLabel } from '#tests/support/databases.ts';
import { behaviourKey, type Behaviour } from '#mock/upstream/index.ts';
import { eventually, startRelay, type RelayHarness, type TestToken } from './harness.ts';

export interface Target {
  model: string;
  when?: TargetConditions;
  on?: readonly FallbackKind[];
  firstTokenSeconds?: number;
}

/** Ratios of the prices: quota units for a token of the prompt, of which a token of the answer costs four times as much. */
export const PRICES = { cheap: 1, plain: 2, dear: 20, fast: 3 };

/** What an answer costs, by its log row. */
export const costOf = (
  ratio: number,
  { prompt_tokens, completion_tokens }: { prompt_tokens: number; completion_tokens: number },
) => Math.round((prompt_tokens + completion_tokens * 4) * ratio);

interface VirtualOther {
  asked_model?: string;
  answered_model?: string;
  admin_info: { attempts: { model?: string; status: number }[]; route?: { model: string; why: string }[] };
}

export async function virtualScene(database: DatabaseLabel) {
  const names = Object.entries(PRICES).flatMap(([name, ratio]) =>
    Array.from({ length: 200 }, (_, at) => [`${name}${at}`, ratio] as const),
  );
  const relay: RelayHarness = await startRelay({
    database,
    settings: {
      RetryTimes: '0',
      ModelRatio: JSON.stringify(Object.fromEntries(names)),
      CompletionRatio: JSON.stringify(Object.fromEntries(names.map(([name]) => [name, 4]))),
      SiteTimeZone: 'UTC',
    },
  });
  const token: TestToken = await relay.token();
  let made = 0;
  return {
    relay,
    token,
    models() {
      made += 1;
      return { cheap: `cheap${made}`, plain: `plain${made}`, dear: `dear${made}`, fast: `fast${made}` };
    },
    channel: (model: string, behaviour: Behaviour = {}, wish: object = {}) =>
      relay.channel({ models: [model], key: behaviourKey('sk-up', behaviour), ...wish }),
    async virtual(
      name: string,
      targets: readonly Target[],
      columns: { price?: 'own'; body_model?: 'answered' } = {},
    ): Promise<void> {
      const saved = targets.map(({ model, when = {}, on = FALLBACK_KINDS, firstTokenSeconds }) => ({
        model,
        when,
        fall_back_on: on,
        first_token_seconds: firstTokenSeconds,
      }));
      await relay.store.db
        .insertInto('virtual_models')
        .values({ name, targets: JSON.stringify(saved), created_at: 1, updated_at: 1, ...columns })
        .execute();
      await relay.store.changes.announce('virtual_models');
    },
    chat: (model: string, extra: object = {}, key = token.key, headers: Record<string, string> = {}) =>
      relay.post(
        '/v1/chat/completions',
        key,
        { model, messages: [{ role: 'user', content: 'hi' }], max_tokens: 100, ...extra },
        headers,
      ),
    async rowOf(response: Response) {
      const id = response.headers.get('x-request-id') ?? '';
      const row = await eventually(
        () => relay.store.db.selectFrom('logs').selectAll().where('request_id', '=', id).executeTakeFirst(),
        (found) => found !== undefined,
      );
      if (row === undefined) throw new Error('no log row');
      const other = JSON.parse(row.other) as VirtualOther;
      return { ...row, other, route: other.admin_info.route?.map(({ model, why }) => `${model} ${why}`) };
    },
  };
}

export type VirtualScene = Awaited<ReturnType<typeof virtualScene>>;

export const answeredBy = (response: Response) => response.headers.get('x-tollgate-model');
