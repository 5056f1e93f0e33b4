// Usage reported by an upstream is not trusted: impossible counts neither break the answer nor make it free.
import { describe, expect, test } from 'bun:test';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import { startRelay, type RelayHarness } from '#tests/integration/relay/calls/harness.ts';
import { forEachDatabase } from '#tests/support/databases.ts';
import { behaviourMessage, type Behaviour } from '#mock/upstream/index.ts';

interface Case {
  what: string;
  usage: NonNullable<Behaviour['usage']>;
}

const impossible: Case[] = [
  // The sum is still a finite number: the mock writes it as total_tokens.
  { what: '8e307 tokens', usage: { inputTokens: 8e307, outputTokens: 8e307 } },
  { what: '1e308 tokens of output', usage: { inputTokens: 10, outputTokens: 1e308 } },
  { what: '2^53 − 1 tokens', usage: { inputTokens: 2 ** 53 - 1, outputTokens: 2 ** 53 - 1 } },
  { what: 'negative tokens', usage: { inputTokens: -50, outputTokens: -7 } },
  { what: 'a negative prompt', usage: { inputTokens: -50, outputTokens: 1 } },
  { what: 'a negative output', usage: { inputTokens: 1, outputTokens: -50 } },
  {
    what: 'a negative part of the prompt',
    usage: { inputTokens: 1, outputTokens: 1, cachedInputTokens: -9 },
  },
  { what: 'no numbers', usage: { inputTokens: Number.NaN, outputTokens: Number.NaN } },
];

async function call(relay: RelayHarness, key: string, stream: boolean, behaviour: Behaviour): Promise<void> {
  const response = await relay.post('/v1/chat/completions', key, {
    model: 'gpt-4o',
    stream,
    messages: [{ role: 'user', content: behaviourMessage({ text: 'Hello there.', ...behaviour }) }],
  });
  const text = await response.text();
  expect(response.status).toBe(200);
  expect(text).toContain(stream ? '[DONE]' : 'Hello');
}

const charges = (relay: RelayHarness, userId: number) =>
  relay.store.db
    .selectFrom('ledger')
    .select(['kind', 'amount'])
    .where('user_id', '=', userId)
    .where('kind', 'in', ['use', 'suspense'])
    .orderBy('kind', 'desc')
    .execute();

forEachDatabase((label) => {
  for (const stream of [false, true]) {
    const answers = stream ? 'streams' : 'whole answers';
    describe(`S16 M9 ${answers} with impossible usage`, () => {
      test('impossible counts: the answer is delivered and charged by the local count', async () => {
        await using relay = await startRelay({ database: label });
        await relay.channel();
        const plain = await relay.token({ quota: 1_000_000 });
        await call(relay, plain.key, stream, { usageReport: 'missing' });
        const [expected] = await charges(relay, plain.userId);
        expect(expected?.amount).toBeGreaterThan(20);
        for (const { what, usage } of impossible) {
          const token = await relay.token({ quota: 1_000_000 });
          await call(relay, token.key, stream, { usage });
          const entries = await charges(relay, token.userId);
          expect({ what, kinds: entries.map(({ kind }) => kind) }).toEqual({ what, kinds: ['use'] });
          // The prompts differ by the text of the behaviour.
          const difference = Math.abs((entries[0]?.amount ?? 0) - (expected?.amount ?? 0));
          expect({ what, isLocalCount: difference < 100 }).toEqual({ what, isLocalCount: true });
          expect(await relay.lastLog(token.userId)).toMatchObject({ estimated: 1 });
        }
        expect(await relay.holds()).toBe(0);
        expect(await checkInvariants(relay.store)).toEqual([]);
      });

      test('a charge above 2^53: the balance is charged, the rest is booked to suspense', async () => {
        const ModelRatio = JSON.stringify({ 'gpt-4o': 1_000_000_000 });
        const GroupRatio = '{"default":10}';
        // A prompt of a million tokens is believed of a model that holds so much.
        const ModelLimits = '{"gpt-4o":{"context":1000000}}';
        const settings = { ModelRatio, GroupRatio, ModelLimits };
        await using relay = await startRelay({ database: label, settings });
        await relay.channel();
        const quota = 10 ** 15;
        const token = await relay.token({ quota });
        await call(relay, token.key, stream, { usage: { inputTokens: 1_000_000, outputTokens: 5 } });
        expect(await charges(relay, token.userId)).toEqual([
          { kind: 'use', amount: quota },
          { kind: 'suspense', amount: Number.MAX_SAFE_INTEGER - quota },
        ]);
        expect(await relay.userRow(token.userId)).toMatchObject({
          quota: 0,
          held_quota: 0,
          used_quota: quota,
        });
        expect(relay.alerts).toMatchObject([
          { kind: 'suspense', userId: token.userId },
          { kind: 'above_hold', userId: token.userId },
        ]);
        expect(await relay.holds()).toBe(0);
        expect(await checkInvariants(relay.store)).toEqual([]);
      });
    });
  }
});
