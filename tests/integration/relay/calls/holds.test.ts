// What a running call holds, and that every end of a call gives it back.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import { behaviourMessage } from '#mock/upstream/index.ts';
import { eventually, startRelay, type RelayHarness } from './harness.ts';

let relay: RelayHarness;

beforeAll(async () => {
  relay = await startRelay({ settings: { PreConsumedQuota: '0' } });
  await relay.channel();
});

afterAll(async () => {
  expect(await checkInvariants(relay.store)).toEqual([]);
  await relay[Symbol.asyncDispose]();
});

/** What a call holds while its upstream has not answered. */
async function heldBy(request: object): Promise<number> {
  const token = await relay.token();
  const body = {
    model: 'gpt-4o',
    messages: [{ role: 'user', content: behaviourMessage({ headersDelayMilliseconds: 1500 }) }],
    ...request,
  };
  const answer = relay.post('/v1/chat/completions', token.key, body);
  const held = await eventually(
    async () => {
      await relay.ledger.writeHolds();
      return (await relay.userRow(token.userId)).held_quota;
    },
    (amount) => amount > 0,
  );
  await (await answer).text();
  expect((await relay.userRow(token.userId)).held_quota).toBe(0);
  return held;
}

test('a call holds its prompt and as much output as it may produce, of each choice', async () => {
  const [none, one, four] = await Promise.all([
    heldBy({ max_tokens: 1 }),
    heldBy({ max_tokens: 1001 }),
    heldBy({ max_tokens: 1001, n: 4 }),
  ]);
  expect(one).toBeGreaterThan(none);
  const output = one - none;
  // The field `n` is a few tokens of the prompt at most.
  expect(four - none).toBeGreaterThanOrEqual(output * 4);
  expect(four - none).toBeLessThan(output * 4 + 100);
});

test('a call that ends with an exception after its hold was taken gives the hold back', async () => {
  const token = await relay.token();
  // The upstream speaks another format that cannot express this request: refused when the body is made.
  await relay.channel({
    name: 'other',
    models: ['claude-sonnet-4-5'],
    type: CHANNEL_TYPE.anthropic,
    priority: 5,
  });
  const body = { model: 'claude-sonnet-4-5', logprobs: true, messages: [{ role: 'user', content: 'hi' }] };
  const answer = await relay.post('/v1/chat/completions', token.key, body, { 'X-Tollgate-Strict': '1' });
  await answer.text();
  expect(answer.status).toBe(400);
  await relay.ledger.writeHolds();
  expect(await relay.userRow(token.userId)).toMatchObject({ held_quota: 0, used_quota: 0 });
  expect(relay.ledger.openCalls).toBe(0);
});

test('a stream that extends its hold several times holds no more than it needs, so its balance suffices', async () => {
  const outputTokens = 4000;
  const run = async (quota: number) => {
    const token = await relay.token({ quota });
    const content = behaviourMessage({ outputTokens, chunkDelayMilliseconds: 0 });
    const body = { model: 'gpt-4o', stream: true, messages: [{ role: 'user', content }] };
    const text = await (await relay.post('/v1/chat/completions', token.key, body)).text();
    return { text, row: await relay.lastLog(token.userId) };
  };
  const rich = await run(100_000_000);
  expect(rich.row.completion_tokens).toBe(outputTokens);
  // A tenth more than the stream costs is enough for the last steps.
  const exact = await run(Math.ceil(rich.row.quota * 1.1));
  expect(exact.text).not.toContain('insufficient_quota');
  expect(exact.row).toMatchObject({ completion_tokens: outputTokens, quota: rich.row.quota });
});
