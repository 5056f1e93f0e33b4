// A day of ordinary traffic over all endpoints that answer at once (answer-cost-tasks-day.test.ts has the others): no call costs more than its hold, and nothing about the calls changes. The calls are
// random; TEST_SEED repeats them.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { marginQuery } from '#contract/money/margins.ts';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import { marginReport } from '#server/admin/margins/report.ts';
import { eventually, startRelay, type RelayHarness } from '#tests/integration/relay/calls/harness.ts';
import { openRealtime, userText } from '#tests/integration/relay/calls/realtime-caller.ts';
import { behaviourMessage, type Behaviour } from '#mock/upstream/index.ts';
import { seed } from '#tests/support/random.ts';
import { randomSource } from '#tests/support/sequence.ts';

// A database server may have to start first, on a busy machine.
setDefaultTimeout(120_000);

const calls = 120;
const atOnce = 12;
const ample = 1_000_000_000;

for (const database of ['sqlite', 'postgres'] as const) {
  describe(`on ${database}`, () => {
    const random = randomSource(seed);
    const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T;
    let relay: RelayHarness;

    beforeAll(async () => {
      relay = await startRelay({ database });
      await relay.channel();
      await relay.channel({ models: ['o3'] });
      await relay.channel({ models: ['claude-sonnet-4-5'], type: CHANNEL_TYPE.anthropic });
      await relay.channel({ models: ['gemini-2.5-flash'], type: CHANNEL_TYPE.gemini });
    });
    afterAll(async () => {
      expect(await checkInvariants(relay.store)).toEqual([]);
      expect(await relay.holds()).toBe(0);
      await relay[Symbol.asyncDispose]();
    });

    /** An answer of a usual length, whole or streamed, with or without a limit. */
    function textCall(): [path: string, body: object] {
      const behaviour: Behaviour = pick([
        {},
        { outputTokens: 1 + random(900) },
        { reasoning: 'Let me think about it. '.repeat(1 + random(20)) },
      ]);
      const content = `${'Tell me more about the weather. '.repeat(1 + random(60))}${behaviourMessage(behaviour)}`;
      const messages = [{ role: 'user', content }];
      const limit = pick([undefined, 1000, 4000, 32_000]);
      const stream = random(2) === 0;
      const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }];
      switch (random(4)) {
        case 0:
          return [
            '/v1/messages',
            { model: 'claude-sonnet-4-5', max_tokens: limit ?? 8000, messages, stream },
          ];
        case 1:
          return ['/v1/responses', { model: 'o3', input: content, max_output_tokens: limit, stream }];
        case 2:
          return [
            '/v1beta/models/gemini-2.5-flash:generateContent',
            {
              contents: [{ role: 'user', parts: [{ text: content }] }],
              generationConfig: { maxOutputTokens: limit, temperature: 0.5 },
            },
          ];
        default: {
          const wishes = random(4) === 0 ? { tools, tool_choice: 'none' } : {};
          return [
            '/v1/chat/completions',
            { model: 'gpt-4o', max_tokens: limit, messages, stream, ...wishes },
          ];
        }
      }
    }

    function otherCall(): [path: string, body: object] {
      const text = 'A sentence of some length that says nothing. '.repeat(1 + random(30));
      return pick<[string, object]>([
        ['/v1/embeddings', { model: 'text-embedding-3-small', input: [text, text] }],
        ['/v1/moderations', { model: 'text-moderation-stable', input: text }],
        ['/v1/audio/speech', { model: 'tts-1', input: text, voice: 'alloy' }],
        ['/v1/rerank', { model: 'rerank-1', query: 'weather', documents: [text, text] }],
        ['/v1/images/generations', { model: 'dall-e-3', prompt: 'a cat', size: '1024x1024' }],
        ['/v1/images/generations', { model: 'gpt-image-1', prompt: text, n: 1 + random(2) }],
      ]);
    }

    async function realtimeCall(key: string): Promise<void> {
      const caller = await openRealtime(relay.url, key);
      for (let turn = 1; turn <= 1 + random(2); turn += 1) {
        caller.send(userText('How is the weather?'));
        const modalities = pick([['text'], ['audio']]);
        caller.send({ type: 'response.create', response: { output_modalities: modalities } });
        await caller.until('response.done', turn);
      }
      caller.leave();
      await caller.closed;
    }

    test('no call of a day of mixed traffic costs more than its hold: both figures are 0 (M11)', async () => {
      const token = await relay.token({ quota: ample });
      let left = calls;
      const refused: string[] = [];
      const work = async (): Promise<void> => {
        while (left > 0) {
          left -= 1;
          const kind = random(10);
          if (kind === 0) {
            await realtimeCall(token.key);
            continue;
          }
          const [path, body] = kind < 7 ? textCall() : otherCall();
          const answer = await relay.post(path, token.key, body);
          const text = await answer.text();
          if (answer.status !== 200) refused.push(`${path} ${answer.status} ${text}`);
        }
      };
      await Promise.all(Array.from({ length: atOnce }, work));
      expect(refused).toEqual([]);
      await eventually(
        () => relay.holds(),
        (holds) => holds === 0,
      );
      const rows = await relay.logs(token.userId);
      expect(rows.length).toBeGreaterThan(calls / 2);
      const { hold_excess } = await marginReport({ store: relay.store }, marginQuery.parse({}));
      const above = new Set(hold_excess?.newest.map(({ request_id }) => request_id));
      expect(rows.filter(({ request_id }) => above.has(request_id))).toEqual([]);
      expect(hold_excess).toEqual({ calls: 0, paid: 0, unpaid: 0, newest: [] });
      expect(relay.alerts.filter(({ kind }) => kind === 'suspense' || kind === 'above_hold')).toEqual([]);
      // No limit was lowered.
      expect(rows.filter(({ other }) => other.includes('output_limit'))).toEqual([]);
    });

    test('with an ample balance calls run beside each other as before (M11)', async () => {
      relay.mock.reset();
      const token = await relay.token({ quota: 20 * 200_000 });
      const content = behaviourMessage({ headersDelayMilliseconds: 3000 });
      const body = { model: 'gpt-4o', max_tokens: 30_000, messages: [{ role: 'user', content }] };
      const running = Array.from({ length: 20 }, () => relay.post('/v1/chat/completions', token.key, body));
      const open = await eventually(
        () => relay.mock.requests.filter(({ ending }) => ending === 'open').length,
        (count) => count === 20,
      );
      expect(open).toBe(20);
      for (const answer of await Promise.all(running)) {
        expect(answer.status).toBe(200);
        await answer.text();
      }
    });
  });
}
