// An answer never costs more than its hold: upstreams that use all they were asked for, balances from one unit to a million,
// many calls at once. The mock counts what it served: no more than was paid, plus one slice for each stream.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import {
  eventually,
  startRelay,
  type RelayHarness,
  type TestToken,
} from '#tests/integration/relay/calls/harness.ts';
import { behaviourMessage, type Behaviour } from '#mock/upstream/index.ts';

// A database server may have to start first, on a busy machine.
setDefaultTimeout(120_000);

/** Units per token: input and output of each model. */
const rates: Readonly<Record<string, [input: number, output: number]>> = {
  'gpt-4o': [1.25, 5],
  o3: [1, 4],
  'claude-sonnet-4-5': [1.5, 7.5],
  'gemini-2.5-flash': [0.15, 1.25],
};
/** The first slice of a stream and its last steps. */
const sliceTokens = 1024 + 512;
const atOnce = 20;

for (const database of ['sqlite', 'postgres'] as const) {
  describe(`on ${database}`, () => {
    let relay: RelayHarness;

    beforeAll(async () => {
      relay = await startRelay({
        database,
        settings: { PreConsumedQuota: '0', ModelLimits: '{"*":{"speed":2000}}' },
      });
      await relay.channel({ models: ['gpt-4o', 'o3'] });
      await relay.channel({ models: ['claude-sonnet-4-5'], type: CHANNEL_TYPE.anthropic });
      await relay.channel({ models: ['gemini-2.5-flash'], type: CHANNEL_TYPE.gemini });
    });

    afterAll(async () => {
      expect(await checkInvariants(relay.store)).toEqual([]);
      expect(await relay.holds()).toBe(0);
      await relay[Symbol.asyncDispose]();
    });

    /** What the mock served since the last call of this, in units. */
    function takeWorth(): number {
      let worth = 0;
      for (const { model, usage, outputTokensWritten, ending, status } of relay.mock.requests) {
        const [input = 0, output = 0] = rates[model] ?? [];
        if (status !== 200) continue;
        const tokens = ending === 'complete' ? usage.outputTokens : outputTokensWritten;
        worth += usage.inputTokens * input + tokens * output;
      }
      relay.mock.reset();
      return worth;
    }

    async function paidBy({ userId }: TestToken): Promise<number> {
      const { used_quota, quota, held_quota } = await eventually(
        () => relay.userRow(userId),
        (row) => row.held_quota === 0,
      );
      expect(quota).toBeGreaterThanOrEqual(0);
      expect(held_quota).toBe(0);
      return used_quota;
    }

    /** The body of a call in the format of the path, with this limit, answered with this behaviour. */
    function callOf(path: string, limit: number | undefined, behaviour: Behaviour, stream: boolean) {
      const content = behaviourMessage(behaviour);
      const messages = [{ role: 'user', content }];
      const withStream = stream ? { stream: true } : {};
      switch (path) {
        case '/v1/messages':
          return { model: 'claude-sonnet-4-5', max_tokens: limit ?? 64_000, messages, ...withStream };
        case '/v1/responses':
          return { model: 'o3', input: content, max_output_tokens: limit, ...withStream };
        case '/v1beta/models/gemini-2.5-flash:generateContent':
          return {
            contents: [{ role: 'user', parts: [{ text: content }] }],
            generationConfig: { maxOutputTokens: limit, temperature: 0.5 },
          };
        default:
          return { model: 'gpt-4o', max_tokens: limit, messages, ...withStream };
      }
    }

    const wholePaths = [
      '/v1/chat/completions',
      '/v1/responses',
      '/v1/messages',
      '/v1beta/models/gemini-2.5-flash:generateContent',
    ];

    for (const path of wholePaths)
      test(`whole answers of ${path} are worth what was paid, whatever the balance (M11)`, async () => {
        for (const quota of [1, 300, 12_600, 1_000_000]) {
          relay.mock.reset();
          const token = await relay.token({ quota });
          const body = callOf(path, 100_000, { fillsLimit: true }, false);
          const answers = await Promise.all(
            Array.from({ length: atOnce }, () => relay.post(path, token.key, body)),
          );
          const texts = await Promise.all(answers.map((answer) => answer.text()));
          const paid = await paidBy(token);
          expect(takeWorth()).toBeLessThanOrEqual(paid + atOnce);
          expect(paid).toBeLessThanOrEqual(quota);
          for (const [index, { status }] of answers.entries()) {
            expect([200, 403]).toContain(status);
            if (status === 403)
              expect(texts[index]).toMatch(/this call needs \$[\d.]+, and \$[\d.]+ is left/);
          }
        }
        expect(relay.alerts.filter(({ kind }) => kind === 'suspense')).toEqual([]);
      });

    test('the limit sent upstream is what the balance pays, in the header and the log row; an ample balance changes nothing (M11)', async () => {
      for (const path of wholePaths) {
        relay.mock.reset();
        const small = await relay.token({ quota: 10_000 });
        const lowered = await relay.post(path, small.key, callOf(path, 50_000, {}, false));
        expect(await lowered.text()).not.toContain('insufficient');
        const limit = Number(lowered.headers.get('x-tollgate-output-limit'));
        expect(limit).toBeGreaterThan(256);
        expect(limit).toBeLessThan(10_000);
        expect(JSON.stringify(relay.mock.requests[0]?.body)).toMatch(
          new RegExp(`"(?:max_tokens|max_completion_tokens|max_output_tokens|maxOutputTokens)":${limit}\\b`),
        );
        const row = await relay.lastLog(small.userId);
        expect(JSON.parse(row.other)).toMatchObject({ output_limit: limit });

        relay.mock.reset();
        const ample = await relay.token({ quota: 1_000_000_000 });
        const body = callOf(path, 50_000, {}, false);
        const same = await relay.post(path, ample.key, body);
        await same.text();
        expect(same.headers.get('x-tollgate-output-limit')).toBeNull();
        expect(relay.mock.requests[0]?.body).toMatchObject(JSON.parse(JSON.stringify(body)));
      }
    });

    test('a call without a limit is asked for what the balance pays, in the field that its model takes (M11)', async () => {
      for (const [model, field] of [
        ['gpt-4o', 'max_tokens'],
        ['o3', 'max_completion_tokens'],
      ] as const) {
        relay.mock.reset();
        const token = await relay.token({ quota: 10_000 });
        const body = { ...callOf('/v1/chat/completions', undefined, {}, false), model };
        const answer = await relay.post('/v1/chat/completions', token.key, body);
        await answer.text();
        expect(answer.status).toBe(200);
        const sent = relay.mock.requests[0]?.body as Record<string, unknown>;
        expect(String(sent[field])).toBe(answer.headers.get('x-tollgate-output-limit') ?? '');
      }
    });

    test('a thinking budget above what the balance pays is refused, not sent to be refused upstream (M11)', async () => {
      const body = {
        ...callOf('/v1/messages', 32_000, {}, false),
        thinking: { type: 'enabled', budget_tokens: 16_000 },
      };
      // The least limit costs 121,920.
      for (const quota of [20_000, 60_000, 120_000]) {
        relay.mock.reset();
        const token = await relay.token({ quota });
        const answer = await relay.post('/v1/messages', token.key, body);
        expect((await answer.text()).includes('this call needs $')).toBe(true);
        expect(answer.status).toBe(403);
        expect(relay.mock.requests).toEqual([]);
      }
    });

    test('a token and a budget lower the limit as the balance does (M11)', async () => {
      const path = '/v1/chat/completions';
      const limits = [
        { unlimited_quota: 0 as const, remain_quota: 10_000 },
        { day_budget: 10_000 },
        { month_budget: 10_000 },
      ];
      for (const row of limits) {
        const token = await relay.token(row);
        const answer = await relay.post(path, token.key, callOf(path, 50_000, {}, false));
        await answer.text();
        expect(answer.status).toBe(200);
        const limit = Number(answer.headers.get('x-tollgate-output-limit'));
        expect(limit).toBeGreaterThan(1500);
        expect(limit).toBeLessThanOrEqual(2000);
      }
    });

    test('visible streams end when the balance does, and are worth what was paid and a slice (M11)', async () => {
      const path = '/v1/chat/completions';
      for (const quota of [1, 300, 12_600, 100_000]) {
        relay.mock.reset();
        const token = await relay.token({ quota });
        const behaviour = { outputTokens: 6000, chunkDelayMilliseconds: 0 };
        const body = callOf(path, 6000, behaviour, true);
        const answers = await Promise.all(
          Array.from({ length: atOnce }, () => relay.post(path, token.key, body)),
        );
        await Promise.all(answers.map((answer) => answer.text()));
        const paid = await paidBy(token);
        const slices = answers.filter(({ status }) => status === 200).length * sliceTokens * 5;
        expect(takeWorth()).toBeLessThanOrEqual(paid + slices);
        expect(paid).toBeLessThanOrEqual(quota);
      }
    });

    test('the hold of a silent stream grows with time, so that hidden reasoning is paid for (M11)', async () => {
      relay.mock.reset();
      const token = await relay.token({ quota: 1_000_000 });
      // Silent for 2.5 seconds; the model's top speed is 2,000 tokens a second.
      const behaviour = {
        headersDelayMilliseconds: 2500,
        usage: { outputTokens: 4000, reasoningTokens: 3985 },
      };
      const body = { ...callOf('/v1/chat/completions', undefined, behaviour, true), model: 'o3' };
      const answer = relay.post('/v1/chat/completions', token.key, body);
      const held = await eventually(
        async () => {
          await relay.ledger.writeHolds();
          return (await relay.userRow(token.userId)).held_quota;
        },
        (amount) => amount >= 4000 * 4,
      );
      expect(held).toBeGreaterThanOrEqual(4000 * 4);
      await (await answer).text();
      const paid = await paidBy(token);
      expect(takeWorth()).toBeLessThanOrEqual(paid + 1);
      expect((await relay.lastLog(token.userId)).completion_tokens).toBe(4000);
    });

    test('silent streams whose holds cannot grow end cleanly, and what they may have used is charged (M11)', async () => {
      relay.mock.reset();
      const token = await relay.token({ quota: 40_000 });
      const body = {
        ...callOf('/v1/chat/completions', 100_000, { headersDelayMilliseconds: 5000 }, true),
        model: 'o3',
      };
      const answers = await Promise.all(
        Array.from({ length: 4 }, () => relay.post('/v1/chat/completions', token.key, body)),
      );
      const texts = await Promise.all(answers.map((answer) => answer.text()));
      const ended = answers.filter(({ status }) => status === 403);
      expect(ended.length).toBeGreaterThan(0);
      expect(texts.filter((text) => text.includes('insufficient_quota'))).toHaveLength(ended.length);
      const paid = await paidBy(token);
      const rows = await relay.logs(token.userId);
      expect(rows).toHaveLength(4);
      expect(rows.reduce((sum, row) => sum + row.quota, 0)).toBe(paid);
      const quotaRows = rows.filter((row) => row.other.includes('"ending":"quota"'));
      expect(quotaRows).toHaveLength(ended.length);
      for (const row of quotaRows) {
        expect(row.estimated).toBe(1);
        expect(row.quota).toBeGreaterThan(0);
      }
      const endings = relay.mock.requests.map(({ ending }) => ending);
      expect(endings.filter((ending) => ending === 'aborted')).toHaveLength(ended.length);
    });

    test('a stream that falls silent after its first words ends cleanly too (M11)', async () => {
      relay.mock.reset();
      const token = await relay.token({ quota: 20_000 });
      const behaviour = { outputTokens: 50, stall: { afterEvents: 5, milliseconds: 60_000 } };
      const body = callOf('/v1/chat/completions', 100_000, behaviour, true);
      const answer = await relay.post('/v1/chat/completions', token.key, body);
      expect(answer.status).toBe(200);
      const text = await answer.text();
      expect(text.includes('insufficient_quota')).toBe(true);
      const paid = await paidBy(token);
      expect(paid).toBeGreaterThan(0);
      expect(paid).toBeLessThan(1000);
    });

    test('a caller who leaves a silent model pays for what was delivered, not for thoughts by the clock', async () => {
      relay.mock.reset();
      const token = await relay.token({ quota: 1_000_000 });
      const behaviour = { outputTokens: 50, stall: { afterEvents: 5, milliseconds: 60_000 } };
      const body = { ...callOf('/v1/chat/completions', undefined, behaviour, true), model: 'o3' };
      const answer = await relay.post('/v1/chat/completions', token.key, body);
      const reader = answer.body?.getReader();
      await reader?.read();
      // The hold has grown for what the model may have thought meanwhile.
      await eventually(
        async () => {
          await relay.ledger.writeHolds();
          return (await relay.userRow(token.userId)).held_quota;
        },
        (amount) => amount >= 2000 * 4,
      );
      await reader?.cancel();
      const [row] = await eventually(
        () => relay.logs(token.userId),
        (all) => all.length === 1,
      );
      expect(JSON.parse(row?.other ?? '{}')).toMatchObject({ ending: 'client_left' });
      expect(row?.completion_tokens).toBeLessThan(20);
    });

    test('agents that ask for 32,000 to 64,000 tokens work with a dollar left, several at once (M11)', async () => {
      const token = await relay.token({ quota: 500_000 });
      const calls = [32_000, 48_000, 64_000, 64_000].map(async (limit) => {
        const body = callOf('/v1/messages', limit, { outputTokens: 400 }, true);
        const answer = await relay.post('/v1/messages', token.key, body);
        return { status: answer.status, text: await answer.text() };
      });
      for (const { status, text } of await Promise.all(calls)) {
        expect(status).toBe(200);
        expect(text).toContain('message_stop');
        expect(text).not.toContain('insufficient');
      }
    });
  });
}
