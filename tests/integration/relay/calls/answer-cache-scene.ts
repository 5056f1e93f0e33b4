// Callers of every format before an upstream that counts what reaches it, and what a call left in log, ledger and balance.
import { expect } from 'bun:test';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import type { SettingKey } from '#contract/settings.ts';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import type { HitRecord } from '#server/relay/money/log-row.ts';
import type { DatabaseLabel } from '#tests/support/databases.ts';
import { eventually, startRelay, type HarnessOptions, type RelayHarness, type TestToken } from './harness.ts';

export const CHAT = 'gpt-4o';
export const CLAUDE = 'claude-opus-4-5';
export const GEMINI = 'gemini-2.5-flash';
export const EMBEDDING = 'text-embedding-3-small';

interface HitOther {
  hit_ratio?: number;
  answer_cache?: HitRecord;
  usage: Record<string, number>;
  admin_info: { attempts: unknown[] };
}

export interface Reply {
  status: number;
  state: string | null;
  age: string | null;
  key: string;
  requestId: string;
  text: string;
  headers: Headers;
}

const question = (text: string) => [{ role: 'user', content: text }];

/** The same question in each format that is kept. */
export const FORMATS: readonly {
  name: string;
  path: (stream: boolean) => string;
  body: (text: string) => object;
}[] = [
  {
    name: 'chat',
    path: () => '/v1/chat/completions',
    body: (text) => ({ model: CHAT, messages: question(text), max_tokens: 100 }),
  },
  {
    name: 'responses',
    path: () => '/v1/responses',
    body: (text) => ({ model: CHAT, input: text, store: false, max_output_tokens: 100 }),
  },
  {
    name: 'messages',
    path: () => '/v1/messages',
    body: (text) => ({ model: CLAUDE, messages: question(text), max_tokens: 100 }),
  },
  {
    name: 'gemini',
    path: (stream) =>
      `/v1beta/models/${GEMINI}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: (text) => ({ contents: [{ role: 'user', parts: [{ text }] }] }),
  },
  {
    name: 'messages of a chat model',
    path: () => '/v1/messages',
    body: (text) => ({ model: 'chat-only', messages: question(text), max_tokens: 100 }),
  },
];

export async function cacheScene(database: DatabaseLabel, options: HarnessOptions = {}) {
  const relay: RelayHarness = await startRelay({
    database,
    ...options,
    settings: {
      AnswerCache: 'opt_in',
      RetryTimes: '0',
      ModelRatio: JSON.stringify({ 'chat-only': 1, 'm-free': 0, 'm-second': 2, 'm-third': 3 }),
      ...options.settings,
    },
  });
  await relay.channel({ models: [CHAT, 'gpt-4o-mini', EMBEDDING, 'm-free', 'm-second', 'm-third'] });
  await relay.channel({ type: CHANNEL_TYPE.anthropic, models: [CLAUDE] });
  await relay.channel({ type: CHANNEL_TYPE.gemini, models: [GEMINI] });
  await relay.channel({ type: CHANNEL_TYPE.submodel, models: ['chat-only'] });

  const set = async (values: Partial<Record<SettingKey, string>>) => {
    for (const [key, text] of Object.entries(values)) await relay.settings.set(key, text, 0);
  };

  async function send(
    { key }: TestToken,
    path: string,
    body: unknown,
    headers: Record<string, string> = {},
  ): Promise<Reply> {
    const response = await relay.post(path, key, body, headers);
    return {
      status: response.status,
      state: response.headers.get('x-tollgate-cache'),
      age: response.headers.get('x-tollgate-cache-age'),
      key: response.headers.get('x-tollgate-cache-key') ?? '',
      requestId: response.headers.get('x-request-id') ?? '',
      text: await response.text(),
      headers: response.headers,
    };
  }

  return Object.assign(relay, {
    set,
    send,
    /** A key whose answers are kept. */
    keeping: (row: Parameters<RelayHarness['token']>[0] = {}) => relay.token({ answer_cache: 'on', ...row }),
    ask: (token: TestToken, text: string, extra: object = {}, headers: Record<string, string> = {}) =>
      send(token, '/v1/chat/completions', { model: CHAT, messages: question(text), ...extra }, headers),
    /** How many calls have reached the upstream. */
    sent: () => relay.mock.requests.length,
    cache: () => relay.relay.core.answers,
    async rowOf({ requestId }: Pick<Reply, 'requestId'>) {
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
      return { ...row, other: JSON.parse(row.other) as HitOther };
    },
    async entriesOf(userId: number): Promise<number[]> {
      const rows = await relay.store.db
        .selectFrom('ledger')
        .select('amount')
        .where('user_id', '=', userId)
        .where('kind', '=', 'use')
        .orderBy('id')
        .execute();
      return rows.map(({ amount }) => amount);
    },
  });
}

export type CacheScene = Awaited<ReturnType<typeof cacheScene>>;

/** After each test: nothing is held, and the books are right. */
export async function expectBooks(scene: CacheScene): Promise<void> {
  const held = await eventually(
    () => scene.holds(),
    (count) => count === 0,
  );
  expect(held).toBe(0);
  expect(await checkInvariants(scene.store)).toEqual([]);
  // No hold was too small.
  expect(scene.alerts.filter(({ kind }) => kind === 'above_hold' || kind === 'suspense')).toEqual([]);
}
