// The log rows that the tests of the usage and cost reports read.
import type { LogLine } from './support.ts';

export const HOUR = 3600;
export const DAY = 86_400;
export const now = Math.floor(Date.now() / 1000);
/** The first second of the first day with calls. */
export const first = now - (now % DAY) - 5 * DAY;

type Usage = Record<string, number>;
interface Given extends Partial<LogLine> {
  path?: string;
  usage?: Usage;
  more?: Record<string, unknown>;
}

const INPUT = ['input', 'cacheRead', 'cacheWrite5m', 'cacheWrite1h', 'imageInput', 'audioInput'];
const sumOf = (usage: Usage, names: readonly string[]) =>
  names.reduce((sum, name) => sum + (usage[name] ?? 0), 0);

/** A row as the relay writes it. */
export function call(
  user_id: number,
  at: number,
  { path = '/v1/chat/completions', usage = {}, more = {}, ...row }: Given = {},
): LogLine {
  return {
    user_id,
    created_at: first + at,
    prompt_tokens: sumOf(usage, INPUT),
    completion_tokens: sumOf(usage, ['output', 'reasoning', 'audioOutput']),
    other: JSON.stringify({ model_ratio: 1, ...more, path, usage, admin_info: { attempts: [] } }),
    ...row,
  };
}

type PerUser = Readonly<Record<'alice' | 'bob', number>>;

export function organizationCalls(users: PerUser, tokens: PerUser): LogLine[] {
  const of = { model_name: 'gpt-5', token_id: tokens.alice };
  return [
    call(users.alice, HOUR, {
      ...of,
      usage: { input: 600, cacheRead: 300, audioInput: 100, output: 150, reasoning: 30, audioOutput: 20 },
      quota: 5000,
    }),
    call(users.alice, HOUR + 61, { ...of, usage: { input: 7, output: 3 }, quota: 11 }),
    call(users.alice, 2 * HOUR, {
      model_name: 'claude',
      path: '/v1/messages',
      usage: { input: 199_950, cacheWrite5m: 50, cacheWrite1h: 20, output: 9 },
      quota: 700,
      more: {
        service_tier: 'priority',
        surcharges: [{ name: 'web_search', count: 3, dollarsEach: 0.01 }],
      },
    }),
    call(users.alice, DAY + 5, {
      ...of,
      path: '/v1/batches',
      usage: { input: 40, output: 4 },
      more: { batch_ratio: 0.5 },
      quota: 20,
    }),
    call(users.alice, DAY + 6, {
      ...of,
      path: '/v1/embeddings',
      model_name: 'embed',
      usage: { input: 17 },
      quota: 2,
    }),
    call(users.alice, DAY + 7, { ...of, path: '/v1/moderations', model_name: 'mod', usage: { input: 5 } }),
    call(users.alice, DAY + 8, {
      ...of,
      path: '/v1/images/generations',
      model_name: 'pic',
      more: { pieces: 3 },
      quota: 60,
    }),
    call(users.alice, DAY + 9, { ...of, path: '/v1/images/edits', model_name: 'pic', quota: 20 }),
    call(users.alice, DAY + 10, {
      ...of,
      path: '/v1/audio/speech',
      model_name: 'tts-1',
      usage: { input: 44 },
    }),
    call(users.alice, DAY + 11, {
      ...of,
      path: '/v1/audio/transcriptions',
      model_name: 'whisper-1',
      usage: { input: 1000 },
    }),
    call(users.alice, DAY + 12, {
      ...of,
      path: '/v1/rerank',
      model_name: 'rank',
      usage: { input: 1 },
      quota: 1,
    }),
    // Rows that are not JSON, or hold what PostgreSQL's JSON refuses, are counted like any other.
    call(users.bob, HOUR + 2, {
      model_name: 'gpt-5',
      token_id: tokens.bob,
      other: '',
      prompt_tokens: 10,
      completion_tokens: 2,
      quota: 100,
    }),
    call(users.bob, HOUR + 3, {
      model_name: 'gpt-5',
      token_id: tokens.bob,
      other: '{"usage":{"cacheRead":4},"path":"/v1/responses","ending":"\\u0000\\"cacheRead\\":99"}',
      prompt_tokens: 10,
      completion_tokens: 2,
      quota: 100,
    }),
    call(users.bob, HOUR + 4, {
      model_name: 'gpt-5',
      token_id: tokens.bob,
      other: 'no json',
      prompt_tokens: 1,
      completion_tokens: 1,
      quota: 1,
    }),
    call(users.bob, HOUR + 5, { model_name: 'gpt-5', token_id: tokens.bob, type: 5, quota: 0 }),
  ];
}
