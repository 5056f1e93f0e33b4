// Four caller formats × four upstream formats: the caller's official SDK, the gateway, and an upstream that checks as strictly
// as the real one. Answer and cost must equal those of the native call.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { chargeOf } from '#server/money/prices/charge.ts';
import { builtInPrice } from '#server/money/prices/price-list/index.ts';
import { createPriceCache } from '#server/money/prices/price-cache.ts';
import { usageOf } from '#server/money/prices/usage.ts';
import { estimateTokens } from '#server/relay/request/estimate.ts';
import {
  chatEstimate,
  geminiEstimate,
  messagesEstimate,
  responsesEstimate,
} from '#server/relay/request/request-size.ts';
import {
  eventually,
  startRelay,
  type RelayHarness,
  type TestToken,
} from '#tests/integration/relay/calls/harness.ts';
import { behaviourMessage, type Behaviour } from '#mock/upstream/index.ts';
import { PIXEL_PNG } from '#mock/upstream/openai/identity.ts';
import {
  callerFormats,
  driverOf,
  type CallerFormat,
  type Driver,
  type Question,
  type DriverAnswer,
} from './drivers.ts';

interface Upstream {
  format: CallerFormat;
  type: number;
  model: string;
  path: string;
}

/** Each upstream accepts one format only for its model. */
const upstreams: readonly Upstream[] = [
  { format: 'chat', type: CHANNEL_TYPE.submodel, model: 'gpt-4o', path: '/v1/chat/completions' },
  { format: 'responses', type: CHANNEL_TYPE.openAi, model: 'o3-pro', path: '/v1/responses' },
  { format: 'messages', type: CHANNEL_TYPE.anthropic, model: 'claude-opus-4-5', path: '/v1/messages' },
  {
    format: 'gemini',
    type: CHANNEL_TYPE.gemini,
    model: 'gemini-3-pro-preview',
    path: '/v1beta/models/gemini-3-pro-preview',
  },
];

let relay: RelayHarness;
let token: TestToken;
let drivers: Record<CallerFormat, Driver>;

beforeAll(async () => {
  relay = await startRelay();
  for (const { type, model } of upstreams) await relay.channel({ type, models: [model] });
  token = await relay.token();
  const made = callerFormats.map((format) => [format, driverOf(format, relay.url, token.key)] as const);
  drivers = Object.fromEntries(made) as Record<CallerFormat, Driver>;
});
afterAll(() => relay[Symbol.asyncDispose]());

const usage = { inputTokens: 120, outputTokens: 40, reasoningTokens: 0 };

/** The gateway's estimate of the prompt, from the request of each SDK. */
const estimated: Record<CallerFormat, (question: Question) => { promptTokens: number }> = {
  chat: ({ system, text }) =>
    chatEstimate({
      messages: [
        { role: 'system', content: system },
        { role: 'user', content: text },
      ],
    }),
  responses: ({ system, text }) =>
    responsesEstimate({
      instructions: system,
      input: [{ role: 'user', content: [{ type: 'input_text', text }] }],
    }),
  messages: ({ system, text }) =>
    messagesEstimate({ system, messages: [{ role: 'user', content: [{ type: 'text', text }] }] }),
  gemini: ({ system, text }) =>
    geminiEstimate({
      contents: [{ role: 'user', parts: [{ text }] }],
      systemInstruction: { role: 'user', parts: [{ text: system }] },
    }),
};

function ask(model: string, behaviour: Behaviour, rest: Partial<Question> = {}): Question {
  return { model, text: behaviourMessage(behaviour, 'Please answer.'), system: 'You are brief.', ...rest };
}

/** The answer of one call and the cost in its log row. */
async function priced(
  call: () => Promise<DriverAnswer>,
): Promise<{ answer: DriverAnswer; quota: number; path: string }> {
  const before = (await relay.logs(token.userId)).length;
  const answer = await call();
  const rows = await relay.logs(token.userId);
  expect(rows.length).toBe(before + 1);
  const row = rows.at(-1);
  if (row === undefined) throw new Error('no log row');
  expect(row.estimated).toBe(0);
  return { answer, quota: row.quota, path: relay.mock.requests.at(-1)?.path ?? '' };
}

/** The caller's answer through the gateway equals the one the upstream's own SDK gets. */
async function sameAsNative(
  caller: CallerFormat,
  upstream: Upstream,
  call: (driver: Driver) => Promise<DriverAnswer>,
): Promise<DriverAnswer> {
  const native = await priced(() => call(drivers[upstream.format]));
  const converted = await priced(() => call(drivers[caller]));
  expect(converted.path).toStartWith(upstream.path);
  expect(converted.answer).toEqual(native.answer);
  expect(converted.quota).toBe(native.quota);
  expect(converted.quota).toBeGreaterThan(0);
  return converted.answer;
}

async function refusal(call: Promise<unknown>): Promise<{ status: number; message: string }> {
  try {
    await call;
  } catch (error) {
    const { status, message } = error as { status: number; message: string };
    return { status, message };
  }
  throw new Error('the call succeeded');
}

for (const upstream of upstreams) {
  for (const caller of callerFormats) {
    describe(`${caller} → ${upstream.format}`, () => {
      const { model } = upstream;

      test('text', async () => {
        const question = ask(model, { text: 'Hello there, old friend.', usage });
        const answer = await sameAsNative(caller, upstream, (driver) => driver.whole(question));
        expect(answer).toMatchObject({
          text: 'Hello there, old friend.',
          stop: 'stop',
          input: 120,
          output: 40,
        });
      });

      test('stream', async () => {
        const question = ask(model, { text: 'Grüße 你好 🌍 and more words.', usage, sliceBytes: 7 });
        const answer = await sameAsNative(caller, upstream, (driver) => driver.stream(question));
        expect(answer).toMatchObject({ text: 'Grüße 你好 🌍 and more words.', stop: 'stop' });
        expect(answer.output).toBe(40);
      });

      test('tools: the call, its result, and the answer', async () => {
        const behaviour: Behaviour = { usage };
        const question = ask(model, behaviour, { tools: true });
        const native = await drivers[upstream.format].roundTrip(question);
        const converted = await drivers[caller].roundTrip(question);
        expect(converted).toEqual(native);
        expect(converted.first.stop).toBe('tool');
        expect(converted.first.calls[0]).toEqual({ name: 'weather', arguments: { city: 'sample' } });
        expect(converted.second.stop).toBe('stop');
        expect(converted.second.text).toContain('Hello');
      });

      test('parallel tools streamed', async () => {
        const toolCalls = [
          { name: 'weather', arguments: '{"city":"Paris \\"1\\""}' },
          { name: 'now', arguments: '{}' },
          { name: 'weather', arguments: '{"city":"Rome"}' },
        ];
        const question = ask(model, { toolCalls, usage }, { tools: true });
        const answer = await sameAsNative(caller, upstream, (driver) => driver.stream(question));
        expect(answer.stop).toBe('tool');
        expect(answer.calls).toEqual([
          { name: 'weather', arguments: { city: 'Paris "1"' } },
          { name: 'now', arguments: {} },
          { name: 'weather', arguments: { city: 'Rome' } },
        ]);
      });

      test('image', async () => {
        const image = `data:image/png;base64,${PIXEL_PNG}`;
        const question = ask(model, { text: 'A pixel.' }, { image });
        const answer = await drivers[caller].whole(question);
        expect(answer.text).toBe('A pixel.');
        const seen = relay.mock.requests.at(-1);
        expect(JSON.stringify(seen?.body)).toContain(PIXEL_PNG);
        expect(seen?.usage.imageInputTokens).toBe(85);
      });

      test('thinking', async () => {
        const reasoning = 'First this, then that.';
        const thought = { inputTokens: 50, outputTokens: 30, reasoningTokens: 5 };
        const question = ask(model, { reasoning, text: 'So it is.', usage: thought }, { thinks: true });
        const whole = await sameAsNative(caller, upstream, (driver) => driver.whole(question));
        const streamed = await sameAsNative(caller, upstream, (driver) => driver.stream(question));
        for (const answer of [whole, streamed]) {
          expect(answer).toMatchObject({
            reasoning,
            text: 'So it is.',
            order: ['thought', 'text'],
            output: 30,
          });
        }
      });

      test('cached usage', async () => {
        const cached = { inputTokens: 1000, cachedInputTokens: 600, outputTokens: 20, reasoningTokens: 0 };
        const question = ask(model, { text: 'Remembered.', usage: cached });
        const whole = await sameAsNative(caller, upstream, (driver) => driver.whole(question));
        const streamed = await sameAsNative(caller, upstream, (driver) => driver.stream(question));
        for (const answer of [whole, streamed])
          expect(answer).toMatchObject({ input: 1000, cached: 600, output: 20 });
      });

      test('structured output', async () => {
        const schema = {
          type: 'object',
          properties: { answer: { type: 'string' }, score: { type: 'integer' } },
          required: ['answer', 'score'],
          additionalProperties: false,
        };
        const question = ask(model, { usage }, { schema });
        const answer = await sameAsNative(caller, upstream, (driver) => driver.whole(question));
        expect(JSON.parse(answer.text)).toEqual({ answer: 'sample', score: 7 });
      });

      test('error before the stream', async () => {
        const { quota } = await relay.userRow(token.userId);
        const wrong: Behaviour = { status: 400, errorMessage: 'The thing is wrong with your prompt' };
        for (const way of ['whole', 'stream'] as const) {
          const { status, message } = await refusal(drivers[caller][way](ask(model, wrong)));
          expect(status).toBe(400);
          expect(message).toContain('The thing is wrong with your prompt');
        }
        const busy = await refusal(drivers[caller].stream(ask(model, { status: 429 })));
        relay.endCooling();
        expect(busy.status).toBe(429);
        expect(busy.message).not.toContain('organization');
        expect((await relay.userRow(token.userId)).quota).toBe(quota);
        expect(await relay.holds()).toBe(0);
      });

      test('error in the middle of the stream', async () => {
        const question = ask(model, { outputTokens: 40, usage, errorAfterEvents: 12 });
        const { message } = await refusal(drivers[caller].stream(question));
        expect(message).toMatch(/disconnected|are saturated/);
        const row = await relay.lastLog(token.userId);
        expect(JSON.parse(row.other)).toMatchObject({ ending: 'error' });
        expect(row.quota).toBeGreaterThan(0);
        expect(row.completion_tokens).toBeGreaterThan(0);
      });

      test('client abort: the prompt and what was delivered, to the token', async () => {
        const tag = `abort-${caller}-${upstream.format}`;
        const text = `Internationalization 你好世界 of 1234567890 encyclopaedias${', and so on'.repeat(20)}.`;
        const stall = { afterEvents: 12, milliseconds: 60_000 };
        const question = ask(model, { text, stall, tag, usage: { inputTokens: 777, reasoningTokens: 0 } });
        const before = (await relay.logs(token.userId)).length;
        const leave = new AbortController();
        const pieces: string[] = [];
        const onText = (piece: string) => void pieces.push(piece);
        const listening = drivers[caller]
          .stream({ ...question, signal: leave.signal, onText })
          .catch((error: unknown) => error);
        const served = () => relay.mock.requests.find((each) => each.tag === tag);
        await eventually(served, (each) => each?.eventsWritten === stall.afterEvents);
        const written = served()?.outputTokensWritten ?? 0;
        expect(written).toBeGreaterThan(5);
        // The mock sends one token per event, and each upstream event is one event for the caller.
        await eventually(
          () => pieces.length,
          (count) => count === written,
        );
        expect(pieces).toHaveLength(written);
        leave.abort();
        await listening;
        const rows = await eventually(
          () => relay.logs(token.userId),
          (all) => all.length === before + 1,
        );
        const row = rows.at(-1);
        expect(rows).toHaveLength(before + 1);
        expect((await eventually(served, (each) => each?.ending === 'aborted'))?.ending).toBe('aborted');
        expect(JSON.parse(row?.other ?? '{}')).toMatchObject({ ending: 'client_left' });
        // Usage that the upstream reported by then is charged; what it reports only at its end is counted from what was sent.
        const tellsPrompt = upstream.format === 'messages' || upstream.format === 'gemini';
        const prompt = tellsPrompt ? 777 : estimated[caller](question).promptTokens;
        const counted = pieces.reduce((sum, piece) => sum + Math.max(1, estimateTokens(piece)), 0);
        const output = upstream.format === 'gemini' ? written : counted;
        expect([row?.prompt_tokens, row?.completion_tokens]).toEqual([prompt, output]);
        const price = createPriceCache(relay.settings.current, builtInPrice).resolve(model, 'default');
        if (typeof price === 'string') throw new Error(price);
        expect(row?.quota).toBe(chargeOf(price, usageOf({ input: prompt, output })));
        expect(
          await eventually(
            () => relay.holds(),
            (count) => count === 0,
          ),
        ).toBe(0);
      });
    });
  }
}
