// Accounting of every unit: what each endpoint charges, that a log row suffices to recompute it, and that no amount is
// lost, doubled or left held.
import { describe, expect, test } from 'bun:test';
import { toFile } from 'openai';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import type { Row } from '#server/platform/store/schema.ts';
import { forEachDatabase } from '#tests/support/databases.ts';
import { faultSeen } from '#tests/support/fault-report.ts';
import { behaviourMessage, type Behaviour } from '#mock/upstream/index.ts';
import { wav } from '#tests/support/audio.ts';
import { startRunClock } from '#tests/support/run-clock.ts';
import { eventually, startRelay, type RelayHarness, type TestToken } from './harness.ts';

async function withRelay(
  options: Parameters<typeof startRelay>[0],
  body: (relay: RelayHarness) => Promise<void>,
): Promise<void> {
  const relay = await startRelay(options);
  try {
    await relay.channel();
    await body(relay);
    expect(await relay.holds()).toBe(0);
    expect(await checkInvariants(relay.store)).toEqual([]);
  } finally {
    await relay[Symbol.asyncDispose]();
  }
}

interface Other {
  model_ratio: number;
  model_price: number;
  completion_ratio: number;
  cache_ratio: number;
  cache_creation_ratio: number;
  cache_creation_1h_ratio: number;
  image_ratio: number;
  audio_ratio: number;
  audio_completion_ratio: number;
  reasoning_ratio: number;
  group_ratio: number;
  quota_per_unit: number;
  pieces?: number;
  usage: Partial<Record<string, number>>;
}

/** Recomputes the charge from the row alone. */
function recompute(row: Row<'logs'>): number {
  const other = JSON.parse(row.other) as Other;
  if (other.model_price >= 0) {
    return Math.round(other.model_price * other.quota_per_unit * other.group_ratio * (other.pieces ?? 1));
  }
  const count = (name: string) => other.usage[name] ?? 0;
  const weighted =
    count('input') +
    count('cacheRead') * other.cache_ratio +
    count('cacheWrite5m') * other.cache_creation_ratio +
    count('cacheWrite1h') * other.cache_creation_1h_ratio +
    count('imageInput') * other.image_ratio +
    count('audioInput') * other.audio_ratio +
    count('output') * other.completion_ratio +
    count('reasoning') * other.reasoning_ratio +
    count('audioOutput') * other.audio_ratio * other.audio_completion_ratio;
  const quota = weighted * other.model_ratio * other.group_ratio;
  const rounded = Math.floor(Number(quota.toFixed(6)) + 0.5);
  return rounded === 0 && quota > 0 ? 1 : rounded;
}

const ask = (behaviour: Behaviour | string, extra: object = {}) => ({
  model: 'gpt-4o',
  messages: [{ role: 'user' as const, content: behaviourMessage(behaviour) }],
  ...extra,
});

describe('what a call costs', () => {
  test('each endpoint leaves one row from which its charge can be recomputed', async () => {
    await withRelay({ settings: { GroupRatio: '{"default":1.7}' } }, async (relay) => {
      const token = await relay.token();
      const sdk = relay.sdk(token);
      const usage = {
        inputTokens: 1000,
        cachedInputTokens: 400,
        audioInputTokens: 30,
        outputTokens: 333,
        reasoningTokens: 111,
        audioOutputTokens: 7,
      };
      await sdk.chat.completions.create(ask({ usage }));
      await (await relay.post('/v1/chat/completions', token.key, ask({ usage }, { stream: true }))).text();
      await sdk.embeddings.create({ model: 'text-embedding-3-small', input: 'one two three' });
      await sdk.moderations.create({ input: 'x' });
      await sdk.images.generate({
        model: 'dall-e-3',
        prompt: 'a cat',
        n: 1,
        quality: 'hd',
        size: '1792x1024',
      });
      await sdk.images.generate({ model: 'dall-e-2', prompt: 'a cat', n: 3, size: '256x256' });
      await sdk.images.generate({ model: 'gpt-image-1', prompt: 'a cat' });
      await sdk.audio.speech.create({ model: 'tts-1', voice: 'alloy', input: 'Hello there 🌍' });
      const file = await toFile(wav(90), 'speech.wav');
      await sdk.audio.transcriptions.create({ model: 'whisper-1', file, response_format: 'text' });
      await sdk.audio.transcriptions.create({
        model: 'gpt-4o-transcribe',
        file: await toFile(wav(3), 's.wav'),
      });
      await sdk.responses.create({ model: 'gpt-4o', input: behaviourMessage({ usage }) });
      await sdk.post('/rerank', { body: { model: 'rerank-1', query: 'cat', documents: ['dog', 'cat'] } });
      const rows = await eventually(
        () => relay.logs(token.userId),
        (all) => all.length >= 12,
      );
      expect(rows).toHaveLength(12);
      for (const row of rows)
        expect({ path: other(row).path, quota: row.quota }).toEqual({
          path: other(row).path,
          quota: recompute(row),
        });
      const total = rows.reduce((sum, row) => sum + row.quota, 0);
      const user = await relay.userRow(token.userId);
      expect(user).toMatchObject({ used_quota: total, quota: 100_000_000 - total, request_count: 12 });
      const hours = await relay.store.db.selectFrom('usage_hours').selectAll().execute();
      expect(hours.reduce((sum, hour) => sum + hour.quota, 0)).toBe(total);
    });
  });

  test('pictures: number, size and quality; characters of speech; minutes of a recording', async () => {
    await withRelay({}, async (relay) => {
      const token = await relay.token();
      const sdk = relay.sdk(token);
      const cost = async (call: () => Promise<unknown>) => {
        await call();
        return (await relay.lastLog(token.userId)).quota;
      };
      const dallE3 = 0.04 * 500_000;
      const picture = (extra: object) => () =>
        sdk.images.generate({ prompt: 'x', model: 'dall-e-3', ...extra });
      expect(await cost(picture({}))).toBe(dallE3);
      expect(await cost(picture({ n: 3 }))).toBe(dallE3 * 3);
      expect(await cost(picture({ quality: 'hd' }))).toBe(dallE3 * 2);
      expect(await cost(picture({ size: '1024x1792', quality: 'hd' }))).toBe(dallE3 * 3);
      const speech = () =>
        sdk.audio.speech.create({ model: 'tts-1', voice: 'alloy', input: 'a'.repeat(200) });
      expect(await cost(speech)).toBe(200 * 7.5);
      const minutes = async () =>
        sdk.audio.transcriptions.create({
          model: 'whisper-1',
          file: await toFile(wav(90), 'a.wav'),
          response_format: 'text',
        });
      expect(await cost(minutes)).toBe(1500 * 3);
    });
  });

  test('REL-3.90 REL-3.91 REL-3.92 REL-3.93 REL-3.94 REL-3.101 REL-3.102 the row has the fields from which the console explains the charge', async () => {
    await withRelay({}, async (relay) => {
      const token = await relay.token({ name: 'my token' });
      await (
        await relay.post(
          '/v1/chat/completions',
          token.key,
          ask({}, { stream: true, reasoning_effort: 'high' }),
        )
      ).text();
      const row = await relay.lastLog(token.userId);
      expect(row).toMatchObject({
        type: 2,
        token_name: 'my token',
        token_id: token.id,
        model_name: 'gpt-4o',
        channel_name: 'mock',
        group: 'default',
        is_stream: 1,
        ip: '127.0.0.1',
      });
      expect(row.request_id).not.toBe('');
      const explained = other(row);
      expect(row.use_time).toBe(Math.round(explained.use_ms / 1000));
      expect(explained).toMatchObject({
        model_ratio: 1.25,
        model_price: -1,
        completion_ratio: 4,
        group_ratio: 1,
        reasoning_effort: 'high',
        admin_info: { use_channel: [String(row.channel_id)] },
      });
      expect(explained.frt).toBeGreaterThanOrEqual(0);
    });
  });

  test('REL-3.95 REL-3.96 REL-3.97 REL-3.98 REL-3.99 REL-3.100 a realtime call separates text from audio', async () => {
    await withRelay({}, async (relay) => {
      const token = await relay.token();
      const socket = new WebSocket(`${relay.url.replace('http', 'ws')}/v1/realtime?model=gpt-realtime`, [
        'realtime',
        `openai-insecure-api-key.${token.key}`,
      ]);
      const done = Promise.withResolvers<void>();
      let responses = 0;
      socket.addEventListener('message', (event: MessageEvent) => {
        const { type } = JSON.parse(String(event.data)) as { type: string };
        if (type === 'session.created') socket.send('{"type":"response.create"}');
        if (type !== 'response.done') return;
        responses += 1;
        if (responses === 2) done.resolve();
        else socket.send('{"type":"response.create"}');
      });
      socket.addEventListener('close', () => done.reject(new Error('closed early')));
      await done.promise;
      socket.close();
      const rows = await eventually(
        () => relay.logs(token.userId),
        (all) => all.length === 1,
      );
      const [row] = rows;
      if (row === undefined) throw new Error('no row');
      const [served] = relay.mock.requests;
      expect(row.prompt_tokens).toBe(served?.usage.inputTokens ?? -1);
      expect(row.completion_tokens).toBe(served?.usage.outputTokens ?? -1);
      expect(row.quota).toBe(recompute(row));
      expect(other(row)).toMatchObject({
        ws: true,
        audio: true,
        audio_output: served?.usage.audioOutputTokens,
      });
      expect(other(row)).toHaveProperty('text_input');
      expect(other(row)).toHaveProperty('text_output');
      expect(other(row)).toHaveProperty('audio_input');
    });
  });

  test('without consumption logs calls are charged the same', async () => {
    await withRelay({ settings: { LogConsumeEnabled: 'false' } }, async (relay) => {
      const token = await relay.token();
      await relay.sdk(token).chat.completions.create(ask({}));
      expect(await relay.logs(token.userId)).toEqual([]);
      expect((await relay.userRow(token.userId)).used_quota).toBeGreaterThan(0);
    });
  });

  test('cost and balance are sent to a caller who asks, whole and streamed', async () => {
    await withRelay({}, async (relay) => {
      const token = await relay.token();
      const report = { 'X-Tollgate-Report': '1' };
      const whole = await relay.post('/v1/chat/completions', token.key, ask({}), report);
      await whole.text();
      const { quota } = await relay.lastLog(token.userId);
      expect(whole.headers.get('x-tollgate-cost')).toBe(String(quota));
      expect(whole.headers.get('x-tollgate-balance')).toBe(String(100_000_000 - quota));
      const text = await (
        await relay.post('/v1/chat/completions', token.key, ask({}, { stream: true }), report)
      ).text();
      expect(text).toContain(`: tollgate cost=${quota} balance=${100_000_000 - quota * 2}\n\ndata: [DONE]`);
      const silent = await relay.post('/v1/chat/completions', token.key, ask({}));
      expect(silent.headers.get('x-tollgate-cost')).toBeNull();
    });
  });

  test('an answer without usage is counted locally and marked, never free', async () => {
    await withRelay({}, async (relay) => {
      const token = await relay.token();
      await relay.sdk(token).chat.completions.create(ask({ usageReport: 'missing' }));
      const row = await relay.lastLog(token.userId);
      expect(row.estimated).toBe(1);
      expect(row.completion_tokens).toBeGreaterThan(10);
      expect(row.quota).toBe(recompute(row));
    });
  });
});

describe('balance', () => {
  forEachDatabase((database) => {
    test('M1 many calls at once, balance for ten: at most ten are sent, no negative balance, the upstream’s count equals the ledger’s', async () => {
      await withRelay({ database }, async (relay) => {
        // 1,000 output tokens at ratio 1.25 × 4 make 5,000 units, plus the prompt.
        const userId = await relay.user({ quota: 5_060 * 10 });
        const tokens = [await relay.token({ user_id: userId }), await relay.token({ user_id: userId })];
        const body = ask({ outputTokens: 1000, headersDelayMilliseconds: 50 }, { max_tokens: 1000 });
        const answers = await Promise.all(
          Array.from({ length: 100 }, (_, index) =>
            relay.post('/v1/chat/completions', tokens[index % 2]?.key ?? '', body).then(async (response) => {
              await response.text();
              return response.status;
            }),
          ),
        );
        const admitted = answers.filter((status) => status === 200).length;
        expect(admitted).toBeGreaterThan(0);
        expect(admitted).toBeLessThanOrEqual(10);
        expect(answers.filter((status) => status === 403)).toHaveLength(100 - admitted);
        const user = await relay.userRow(userId);
        expect(user.quota).toBeGreaterThanOrEqual(0);
        expect(user.held_quota).toBe(0);
        const { totals } = relay.mock.books;
        expect(totals.requests).toBe(admitted);
        expect(user.used_quota).toBe(admitted * Math.round((totals.inputTokens / admitted) * 1.25 + 5000));
      });
    }, 60_000);
  });

  test('a stream that exceeds its hold extends it; one that cannot ends with insufficient_quota and is charged', async () => {
    await withRelay({}, async (relay) => {
      const rich = await relay.token();
      const text = await (
        await relay.post('/v1/chat/completions', rich.key, ask({ outputTokens: 6000 }, { stream: true }))
      ).text();
      expect(text).toEndWith('data: [DONE]\n\n');
      expect((await relay.lastLog(rich.userId)).completion_tokens).toBe(6000);

      // Enough for the first slice, not for the whole answer.
      const poor = await relay.token({ quota: 12_000 });
      const cut = await (
        await relay.post('/v1/chat/completions', poor.key, ask({ outputTokens: 6000 }, { stream: true }))
      ).text();
      expect(cut).toContain('"code":"insufficient_quota"');
      expect(cut).not.toContain('[DONE]');
      const row = await relay.lastLog(poor.userId);
      expect(row.quota).toBeLessThanOrEqual(12_000);
      expect(row.completion_tokens).toBeGreaterThan(1000);
      expect((await relay.userRow(poor.userId)).quota).toBe(12_000 - row.quota);
    });
  });

  test('M12 a price change during a call does not affect its charge', async () => {
    await withRelay({}, async (relay) => {
      const token = await relay.token();
      const running = relay.post('/v1/chat/completions', token.key, ask({ headersDelayMilliseconds: 2000 }));
      await eventually(
        () => relay.mock.requests.length,
        (count) => count === 1,
      );
      await relay.settings.set('ModelRatio', '{"gpt-4o":100,"rerank-1":1}', 0);
      await (await running).text();
      const row = await relay.lastLog(token.userId);
      expect(other(row).model_ratio).toBe(1.25);
      expect(row.quota).toBe(recompute(row));
      await (await relay.post('/v1/chat/completions', token.key, ask({}))).text();
      expect(other(await relay.lastLog(token.userId)).model_ratio).toBe(100);
    });
  });

  describe('M23 A5 a caller that is revoked in mid-stream gets no more, and pays for what was delivered (plan M23)', () => {
    type Revoke = (relay: RelayHarness, token: TestToken) => Promise<unknown>;
    const set =
      (table: 'tokens' | 'users', values: object): Revoke =>
      async (relay, token) => {
        const id = table === 'tokens' ? token.id : token.userId;
        await relay.store.db.updateTable(table).set(values).where('id', '=', id).execute();
        await relay.store.changes.announce(table);
      };
    test.each<[string, Revoke, string]>([
      ['a token deleted', set('tokens', { deleted_at: 1 }), 'token_disabled'],
      ['a token disabled', set('tokens', { status: 2 }), 'token_disabled'],
      ['a user banned', set('users', { status: 2 }), 'user_disabled'],
      ['a user deleted', set('users', { deleted_at: 1 }), 'user_disabled'],
    ])('%s', async (what, revoke, code) => {
      await withRelay({}, async (relay) => {
        const token = await relay.token();
        const endless = ask({ outputTokens: 5000, chunkDelayMilliseconds: 20 }, { stream: true });
        const response = await relay.post('/v1/chat/completions', token.key, endless);
        await eventually(
          () => relay.mock.requests[0]?.outputTokensWritten ?? 0,
          (tokens) => tokens > 3,
        );
        using clock = startRunClock();
        const revokedAt = Date.now();
        await revoke(relay, token);
        const text = await response.text();
        expect(clock.between(revokedAt, Date.now())).toBeLessThan(5000);
        expect(text).toContain(`"code":"${code}"`);
        expect(text).not.toContain('[DONE]');
        const row = await relay.lastLog(token.userId);
        expect(row.completion_tokens).toBeGreaterThan(0);
        expect(row.completion_tokens).toBeLessThan(5000);
        expect(other(row)).toMatchObject({ ending: 'revoked' });
        faultSeen('M23', `${what} in the middle of a stream`);
        expect((await relay.userRow(token.userId)).held_quota).toBe(0);
      });
    });
  });

  test('a refused call is not charged and leaves an error row with its path for the operator', async () => {
    await withRelay({}, async (relay) => {
      const token = await relay.token();
      expect((await relay.post('/v1/chat/completions', token.key, ask('500'))).status).toBe(500);
      const row = await relay.lastLog(token.userId);
      expect(row).toMatchObject({ type: 5, quota: 0, content: expect.stringContaining('status 500') });
      expect(other(row).admin_info.use_channel).toHaveLength(1);
      expect((await relay.userRow(token.userId)).quota).toBe(100_000_000);
    });
  });
});

function other(row: Row<'logs'>) {
  return JSON.parse(row.other) as Other & {
    path: string;
    frt: number;
    use_ms: number;
    admin_info: { use_channel: string[] };
  };
}
