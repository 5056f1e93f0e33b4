// Two channels in front of the mock upstream, of which the first is tried first, and calls whose first token is late there.
import { expect } from 'bun:test';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import { marginReport } from '#server/admin/margins/report.ts';
import type { HedgeRecord } from '#server/relay/money/log-row.ts';
import type { Behaviour } from '#mock/upstream/index.ts';
import type { Row } from '#server/platform/store/schema.ts';
import type { DatabaseLabel } from '#tests/support/databases.ts';
import { eventually, startRelay, type HarnessOptions, type RelayHarness, type TestToken } from './harness.ts';

/** Quota units for a token of the prompt, and four times as many for one of the answer. */
export const RATIO = 5;
/** Of the channels, in dollars for a million tokens of prompt: 1 and 2 units for a token. */
const COSTS = { first: 2, second: 4 };
/** A first token that is later is hedged. */
export const LATE_MILLISECONDS = 120;
export const SLOW: Behaviour = { headersDelayMilliseconds: 20_000 };

interface Other {
  ending?: string;
  admin_info: {
    attempts: { channel: number; status: number; milliseconds: number; lost?: boolean; error?: string }[];
    hedge?: HedgeRecord;
  };
}

export async function hedgeScene(database: DatabaseLabel, options: HarnessOptions = {}) {
  const relay: RelayHarness = await startRelay({
    database,
    ...options,
    settings: {
      RetryTimes: '0',
      HedgeGroups: 'default',
      HedgeSharePercent: '50',
      HedgeLeastMilliseconds: String(LATE_MILLISECONDS),
      SiteTimeZone: 'UTC',
      ModelRatio: JSON.stringify(
        Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`m${at}`, RATIO])),
      ),
      CompletionRatio: JSON.stringify(
        Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`m${at}`, 4])),
      ),
      ...options.settings,
    },
  });
  let made = 0;
  const buy = (model: string, input: number) => ({
    buy_price: JSON.stringify({
      kind: 'table',
      models: { [model]: { input, output: input } },
      recharge_rate: 1,
      batch_ratio: 1,
    }),
  });

  function earn(): void {
    for (let at = 0; at < 20; at += 1) relay.relay.core.hedges.earn();
  }
  function measure(channelId: number, model: string, milliseconds = 10): void {
    for (let at = 0; at < 20; at += 1) relay.relay.core.firstTokens.note(channelId, model, milliseconds);
  }

  return Object.assign(relay, {
    earn,
    measure,
    /** A model of its own, with two channels that behave so, of which the first has been measured. */
    async pair(
      first: Behaviour,
      second: Behaviour,
      wish: { second?: object; hasNoCost?: boolean; costs?: typeof COSTS } = {},
    ) {
      made += 1;
      const model = `m${made}`;
      const keys = { first: `sk-first-${made}`, second: `sk-second-${made}` };
      const channel = (name: 'first' | 'second', priority: number, fields: object = {}) =>
        relay.channel({
          models: [model],
          name: `${name} ${made}`,
          key: keys[name],
          priority,
          fields: { ...(wish.hasNoCost === true ? {} : buy(model, (wish.costs ?? COSTS)[name])), ...fields },
        });
      const ids = { first: await channel('first', 10), second: await channel('second', 0, wish.second) };
      relay.mock.behave({ when: { key: keys.first }, behaviour: first });
      relay.mock.behave({ when: { key: keys.second }, behaviour: second });
      measure(ids.first, model);
      earn();
      const served = () => relay.mock.requests.filter(({ key }) => Object.values(keys).includes(key));
      return { model, ids, keys, served };
    },
    async rowOf(requestId: string) {
      const row = await eventually(
        () =>
          relay.store.db
            .selectFrom('logs')
            .selectAll()
            .where('request_id', '=', requestId)
            .executeTakeFirst(),
        (found) => found !== undefined,
      );
      if (row === undefined) throw new Error('no log row');
      return { ...row, other: JSON.parse(row.other) as Other };
    },
    ask: (model: string, { key }: TestToken, extra: object = {}, signal?: AbortSignal) =>
      fetch(`${relay.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({
          model,
          messages: [{ role: 'user', content: 'what is the time?' }],
          max_tokens: 100,
          stream: true,
          stream_options: { include_usage: true },
          ...extra,
        }),
        ...(signal === undefined ? {} : { signal }),
      }),
    /** What was booked for attempts that lost. */
    async losses(model: string) {
      await relay.relay.core.hedges.flush();
      return await relay.store.db
        .selectFrom('hedge_hours')
        .select(['channel_id', 'count', 'cost', 'costed_count'])
        .where('model_name', '=', model)
        .where((where) => where.or([where('count', '!=', 0), where('cost', '!=', 0)]))
        .execute();
    },
    async spentToday(): Promise<number> {
      await relay.relay.core.hedges.flush();
      const row = await relay.store.db.selectFrom('hedge_days').select('spent').executeTakeFirst();
      return row?.spent ?? 0;
    },
    margins: (model: string, by: 'channel' | 'day' = 'channel') =>
      marginReport({ store: relay.store }, { by, model }),
  });
}

export type HedgeScene = Awaited<ReturnType<typeof hedgeScene>>;

export const requestIdOf = (response: Response): string => response.headers.get('x-request-id') ?? '';

export const QUOTA = 10_000_000;

export const chargeOf = ({
  prompt_tokens,
  completion_tokens,
}: Pick<Row<'logs'>, 'prompt_tokens' | 'completion_tokens'>) =>
  (prompt_tokens + completion_tokens * 4) * RATIO;

/** A call of a caller of its own, read to its end. */
export async function callOnce(scene: HedgeScene, model: string, extra: object = {}) {
  const token = await scene.token({ quota: QUOTA });
  const response = await scene.ask(model, token, extra);
  return { response, token, text: await response.text() };
}

/** The one charge of the caller's only call, in log, ledger and balance. */
export async function expectOneCharge(scene: HedgeScene, { userId }: TestToken, requestId: string) {
  const row = await scene.rowOf(requestId);
  const entries = await scene.store.db
    .selectFrom('ledger')
    .select(['kind', 'amount'])
    .where('user_id', '=', userId)
    .where('kind', '!=', 'test')
    .execute();
  expect(entries).toEqual([{ kind: 'use', amount: row.quota }]);
  expect(row.quota).toBe(chargeOf(row));
  const user = await eventually(
    () => scene.userRow(userId),
    ({ held_quota }) => held_quota === 0,
  );
  expect(user).toMatchObject({ quota: QUOTA - row.quota, held_quota: 0, used_quota: row.quota });
  return row;
}

/** After each test: nothing is held, and the books are right. */
export async function expectBooks(scene: HedgeScene): Promise<void> {
  const held = await eventually(
    () => scene.holds(),
    (count) => count === 0,
  );
  expect(held).toBe(0);
  expect(await checkInvariants(scene.store)).toEqual([]);
}
