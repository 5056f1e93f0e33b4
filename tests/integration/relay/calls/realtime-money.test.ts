// What a realtime session is charged: by the upstream's report, or by its input as estimated and its output as delivered,
// compared with the upstream's own count.
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { cappedChargeOf } from '#server/money/prices/charge.ts';
import { usageOf } from '#server/money/prices/usage.ts';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import type { Row } from '#server/platform/store/schema.ts';
import { forEachDatabase } from '#tests/support/databases.ts';
import type { Behaviour, ServedRequest } from '#mock/upstream/index.ts';
import { eventually, startRelay, type RelayHarness, type TestToken } from './harness.ts';
import { openRealtime, patience, silence, userText, type RealtimeCaller } from './realtime-caller.ts';

setDefaultTimeout(60_000);

const balance = 100_000_000;
const never = 600_000;
const text = { type: 'response.create', response: { output_modalities: ['text'] } };
const speech = { type: 'response.create' };
/** What the caller sends with the counts that the estimate must come near to. */
const longText = 'The quick brown fox jumps over the lazy dog while it rains. '.repeat(200);
const instructions = 'Answer every question in one short sentence, and never mention the weather. '.repeat(
  20,
);
const tools = [{ type: 'function', name: 'get_weather', parameters: { type: 'object', properties: {} } }];
const image = { type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'low' };

forEachDatabase((database) => {
  let relay: RelayHarness;
  let token: TestToken;
  beforeEach(async () => {
    relay = await startRelay({ database });
    await relay.channel();
    token = await relay.token({ quota: balance });
  });
  afterEach(() => relay[Symbol.asyncDispose]());

  async function session(behaviour: Behaviour): Promise<RealtimeCaller> {
    relay.mock.behave(behaviour);
    return await openRealtime(relay.url, token.key);
  }

  /** The upstream's own count of the session, once it has noticed the end. */
  async function served(): Promise<ServedRequest> {
    const record = await eventually(
      () => relay.mock.requests[0],
      (each) => each !== undefined && each.ending !== 'open',
      patience,
    );
    if (record === undefined) throw new Error('the upstream served nothing');
    // The mock notices a leaving caller between two pieces.
    await Bun.sleep(50);
    return record;
  }

  async function settledRow(type = 2): Promise<Row<'logs'>> {
    const rows = await eventually(
      () => relay.logs(token.userId),
      (all) => all.length > 0,
      patience,
    );
    expect(rows).toHaveLength(1);
    expect(rows[0]?.type).toBe(type);
    return rows[0] as Row<'logs'>;
  }

  /** Nothing is held, and the balance is what the row says. */
  async function expectBooked(charge: number): Promise<void> {
    expect(
      await eventually(
        () => relay.holds(),
        (holds) => holds === 0,
        patience,
      ),
    ).toBe(0);
    const user = await relay.userRow(token.userId);
    expect(user).toMatchObject({ quota: balance - charge, used_quota: charge, held_quota: 0 });
    expect(await checkInvariants(relay.store)).toEqual([]);
  }

  describe('M2a leaving before response.done is charged the input and what was delivered', () => {
    const pieces = 15;
    test.each([
      ['text, nothing delivered', text, 0, 'close'],
      ['text, 14 of 15 pieces', text, 14, 'close'],
      ['speech, nothing delivered', speech, 0, 'terminate'],
      ['speech, 14 of 15 pieces', speech, 14, 'terminate'],
    ] as const)('%s', async (_what, ask, delivered, how) => {
      const caller = await session({
        outputTokens: pieces,
        stall: { afterEvents: delivered, milliseconds: never },
      });
      caller.send({ type: 'session.update', session: { instructions, tools } });
      caller.send(userText(longText));
      const content = [{ type: 'input_audio', audio: silence(3) }, image];
      caller.send({ type: 'conversation.item.create', item: { type: 'message', role: 'user', content } });
      caller.send({ type: 'input_audio_buffer.append', audio: silence(2) });
      caller.send({ type: 'input_audio_buffer.commit' });
      caller.send(ask);
      await caller.until('response.content_part.added');
      const isSpeech = ask === speech;
      const lastDelta = isSpeech ? 'response.output_audio.delta' : 'response.output_text.delta';
      await caller.until(lastDelta, delivered);
      caller.leave(how);
      const row = await settledRow();
      const { usage } = await served();
      const counts = (JSON.parse(row.other) as { usage: Record<string, number> }).usage;
      // Audio and output agree with the upstream to the token; text and images are estimates.
      expect(counts['audioInput']).toBe(50);
      expect(usage.audioInputTokens).toBe(50);
      expect(counts['audioOutput'] ?? 0).toBe(isSpeech ? delivered * 2 : 0);
      expect(counts['imageInput']).toBe(85);
      expect(counts['output'] ?? 0).toBe(delivered);
      expect(row.completion_tokens).toBe(usage.outputTokens);
      expect(row.prompt_tokens / usage.inputTokens).toBeWithin(0.7, 1.5);
      expect(row.prompt_tokens).toBeGreaterThan(3000);
      const charge =
        2 * (counts['input'] ?? 0) +
        Math.round(2.5 * 85) +
        16 * 50 +
        8 * delivered +
        32 * (counts['audioOutput'] ?? 0);
      expect(Math.abs(row.quota - charge)).toBeLessThanOrEqual(1);
      expect(row).toMatchObject({ estimated: 1, is_stream: 1 });
      expect(JSON.parse(row.other)).toMatchObject({ ws: true, ending: 'client_left' });
      await expectBooked(row.quota);
    });

    test('a second response reads the first one too', async () => {
      const caller = await session({ outputTokens: 400, chunkDelayMilliseconds: 1 });
      caller.send(userText(longText));
      caller.send(text);
      await caller.until('response.done');
      const first = relay.mock.requests[0]?.usage;
      if (first === undefined) throw new Error('no first response');
      caller.send(userText('And now?'));
      caller.send(text);
      await caller.until('response.created', 2);
      caller.leave();
      const row = await settledRow();
      const { usage } = await served();
      // Twice the first input, and the 400 tokens that the first response said.
      expect(row.prompt_tokens).toBeGreaterThan(2 * first.inputTokens + 400);
      expect(row.prompt_tokens / usage.inputTokens).toBeWithin(0.95, 1.05);
      expect(row.completion_tokens).toBeGreaterThanOrEqual(400);
      expect(row.estimated).toBe(1);
      await expectBooked(row.quota);
    });

    test('speech that the upstream detects is counted by its length', async () => {
      const caller = await session({ outputTokens: 5, stall: { afterEvents: 2, milliseconds: never } });
      caller.send({ type: 'session.update', session: { turn_detection: { type: 'server_vad' } } });
      caller.send({ type: 'input_audio_buffer.append', audio: silence(4) });
      await caller.until('response.output_audio.delta', 2);
      caller.leave();
      const row = await settledRow();
      const { usage } = await served();
      const counts = (JSON.parse(row.other) as { usage: Record<string, number> }).usage;
      expect(counts).toMatchObject({ audioInput: 40, audioOutput: 4, output: 2 });
      expect(usage.audioInputTokens).toBe(40);
      await expectBooked(row.quota);
    });

    test('a response that was asked for and has not begun is charged its input', async () => {
      const caller = await session({ firstTokenDelayMilliseconds: never });
      caller.send(userText(longText));
      caller.send(text);
      await caller.until('conversation.item.done');
      await Bun.sleep(100);
      caller.leave();
      const row = await settledRow();
      expect(row.prompt_tokens).toBeGreaterThan(2000);
      expect(row.completion_tokens).toBe(0);
      await expectBooked(row.quota);
    });
  });

  describe('a session without a response costs nothing', () => {
    test.each<[string, (caller: RealtimeCaller) => Promise<void>]>([
      ['nothing was sent', async () => {}],
      [
        'items were sent',
        async (caller) => {
          caller.send(userText(longText));
          await caller.until('conversation.item.done');
        },
      ],
      [
        'the upstream refused',
        async (caller) => {
          caller.send({ type: 'response.create', response: { modalities: 'none' } });
          await caller.until('error');
        },
      ],
    ])('%s', async (_what, use) => {
      const caller = await session({ errorAfterEvents: 0 });
      await use(caller);
      caller.leave();
      await served();
      await expectBooked(0);
      expect(await relay.logs(token.userId)).toEqual([]);
    });
  });

  describe('a report of the upstream is charged', () => {
    test.each(['completed', 'incomplete', 'failed'] as const)('of a %s response', async (ending) => {
      const usage = { inputTokens: 60_000, cachedInputTokens: 20_000, outputTokens: 700 };
      const caller = await session({ ending, usage });
      caller.send(userText(longText));
      caller.send(text);
      await caller.until('response.done');
      caller.leave();
      const row = await settledRow();
      expect(row).toMatchObject({ prompt_tokens: 60_000, completion_tokens: 700, estimated: 0 });
      expect(row.quota).toBe(2 * 40_000 + 0.2 * 20_000 + 8 * 700);
      expect(JSON.parse(row.other)).not.toHaveProperty('ending');
      await expectBooked(row.quota);
    });

    test('the prompts of several responses are no long prompt: their sum is in no tier (M21)', async () => {
      const rules = { 'gpt-realtime': { tiers: [{ above: 100_000, input: 2, output: 2 }] } };
      await relay.settings.set('PriceRules', JSON.stringify(rules), 0);
      const caller = await session({ usage: { inputTokens: 60_000, outputTokens: 700 } });
      caller.send(userText(longText));
      for (let count = 1; count <= 2; count += 1) {
        caller.send(text);
        await caller.until('response.done', count);
      }
      caller.leave();
      const row = await settledRow();
      expect(row).toMatchObject({ prompt_tokens: 120_000, completion_tokens: 1400, estimated: 0 });
      expect(row.quota).toBe(2 * 120_000 + 8 * 1400);
      await expectBooked(row.quota);
    });

    test('only within reason: its limit, and what the conversation can hold (M13)', async () => {
      const caller = await session({ usage: { inputTokens: 4e11, outputTokens: 4e11 } });
      caller.send(userText(longText));
      caller.send({
        type: 'response.create',
        response: { max_output_tokens: 100, output_modalities: ['text'] },
      });
      await caller.until('response.done');
      caller.leave();
      const row = await settledRow();
      const { doubts } = JSON.parse(row.other) as { doubts: { count: string }[] };
      expect(doubts.map(({ count }) => count)).toEqual(['input', 'output']);
      expect(row.prompt_tokens).toBeWithin(100_000, 150_000);
      // 100 and a tenth and 64, or eight times what was delivered.
      expect(row.completion_tokens).toBeWithin(174, 1000);
      await expectBooked(row.quota);
    });

    test('of a response that the caller cancelled', async () => {
      const caller = await session({ outputTokens: 500, stall: { afterEvents: 3, milliseconds: never } });
      caller.send(userText(longText));
      caller.send(speech);
      await caller.until('response.output_audio.delta', 3);
      caller.send({ type: 'response.cancel' });
      await caller.until('response.done');
      caller.leave();
      const row = await settledRow();
      const { usage } = await served();
      expect(row).toMatchObject({
        prompt_tokens: usage.inputTokens,
        completion_tokens: usage.outputTokens,
        estimated: 0,
      });
      await expectBooked(row.quota);
    });

    test('without a report the estimate is charged, but nothing for a failed response without output', async () => {
      const caller = await session({ usageReport: 'missing', outputTokens: 20 });
      caller.send(userText(longText));
      caller.send(text);
      await caller.until('response.done');
      caller.leave();
      const row = await settledRow();
      const { usage } = await served();
      expect(row).toMatchObject({ completion_tokens: 20, estimated: 1 });
      expect(row.prompt_tokens / usage.inputTokens).toBeWithin(0.7, 1.5);
      await expectBooked(row.quota);

      relay.mock.reset();
      const failing = await session({ usageReport: 'missing', outputTokens: 0, ending: 'failed' });
      failing.send(text);
      await failing.until('response.done');
      failing.leave();
      await served();
      await expectBooked(row.quota);
    });
  });

  test('the transcription of the user’s audio is charged at the price of its model', async () => {
    const caller = await session({ usage: { inputTokens: 1000, audioInputTokens: 0, outputTokens: 10 } });
    const input_audio_transcription = { model: 'gpt-4o-transcribe' };
    caller.send({ type: 'session.update', session: { input_audio_transcription } });
    for (let turn = 0; turn < 2; turn += 1) {
      caller.send({ type: 'input_audio_buffer.append', audio: silence(20) });
      caller.send({ type: 'input_audio_buffer.commit' });
    }
    await caller.until('conversation.item.input_audio_transcription.completed', 2);
    caller.send(text);
    await caller.until('response.done');
    caller.leave();
    const row = await settledRow();
    const price = relay.relay.core.prices.resolve('gpt-4o-transcribe', 'default');
    if (typeof price === 'string') throw new Error(price);
    const transcription = cappedChargeOf(price, usageOf({ audioInput: 400, output: 4 }));
    expect(transcription).toBeGreaterThan(400);
    expect(row.quota).toBe(2 * 1000 + 8 * 10 + transcription);
    expect(row.prompt_tokens).toBe(1000);
    expect(JSON.parse(row.other)).toMatchObject({
      surcharges: [{ name: 'transcription gpt-4o-transcribe', count: 1 }],
    });
    await expectBooked(row.quota);
  });

  describe('the upstream dies', () => {
    test('after output: the input and what was delivered is charged', async () => {
      const caller = await session({ outputTokens: 100, resetAfterEvents: 7, chunkDelayMilliseconds: 20 });
      caller.send(userText(longText));
      caller.send(text);
      await caller.closed;
      const row = await settledRow();
      const { usage } = await served();
      // The reset may take the last pieces with it.
      const delivered = caller.count('response.output_text.delta');
      expect(delivered).toBeWithin(1, 8);
      expect(row).toMatchObject({ completion_tokens: delivered, estimated: 1 });
      expect(row.prompt_tokens / usage.inputTokens).toBeWithin(0.7, 1.5);
      expect(JSON.parse(row.other)).toMatchObject({ ending: 'broken' });
      await expectBooked(row.quota);
    });

    test('before output: nothing is charged, and the operator sees the error', async () => {
      const caller = await session({ outputTokens: 100, resetAfterEvents: 0 });
      caller.send(userText(longText));
      caller.send(text);
      await caller.closed;
      const row = await settledRow(5);
      expect(row.content).toBe('stream broken');
      await expectBooked(0);
    });
  });

  describe('the hold grows with the session', () => {
    const holdAmount = async (): Promise<number> => {
      await relay.ledger.writeHolds();
      const rows = await relay.store.db.selectFrom('holds').select('amount').execute();
      return rows[0]?.amount ?? 0;
    };

    test('M2 before a message passes that it does not cover', async () => {
      const caller = await session({ outputTokens: 2000, stall: { afterEvents: 1900, milliseconds: never } });
      const atFirst = await holdAmount();
      expect(atFirst).toBe(8 * 1024);
      caller.send(userText(longText));
      await caller.until('conversation.item.done');
      const withInput = await holdAmount();
      // The input of a response is held before its text is sent.
      expect(withInput).toBeGreaterThan(2 * 2000);
      caller.send(speech);
      await caller.until('response.output_audio.delta', 1900);
      expect(await holdAmount()).toBeGreaterThanOrEqual(1900 * (8 + 2 * 32));
      caller.leave();
      const row = await settledRow();
      expect(row.quota).toBeGreaterThan(1900 * (8 + 2 * 32));
      await expectBooked(row.quota);
    });

    test('and at the end of the balance the session ends, with nothing unpaid', async () => {
      const poor = await relay.token({ quota: 60_000 });
      relay.mock.behave({ outputTokens: 5000, chunkDelayMilliseconds: 1 });
      const caller = await openRealtime(relay.url, poor.key);
      caller.send(speech);
      const { code, reason } = await caller.closed;
      expect({ code, reason }).toEqual({ code: 1008, reason: 'insufficient_quota' });
      expect(caller.events.at(-1)).toMatchObject({
        type: 'error',
        error: { type: 'insufficient_quota', code: 'insufficient_quota' },
      });
      const row = await relay.lastLog(poor.userId);
      const pieces = caller.count('response.output_audio.delta');
      const words = caller.count('response.output_audio_transcript.delta');
      const counts = (JSON.parse(row.other) as { usage: Record<string, number> }).usage;
      // Everything delivered is paid for, and nothing else but the input.
      expect(counts).toMatchObject({ output: words, audioOutput: 2 * pieces });
      expect(pieces).toBeGreaterThan(700);
      expect(row.quota).toBe(2 * row.prompt_tokens + 8 * words + 64 * pieces);
      expect(row.quota).toBeWithin(59_900, 60_001);
      expect(JSON.parse(row.other)).toMatchObject({ ending: 'quota' });
      expect(await relay.userRow(poor.userId)).toMatchObject({ quota: 60_000 - row.quota, held_quota: 0 });
      expect(relay.alerts).toEqual([]);
      expect(await checkInvariants(relay.store)).toEqual([]);
    });

    test('the end of a response is delivered even if its report is more than the balance; the rest is the operator’s loss', async () => {
      const poor = await relay.token({ quota: 60_000 });
      relay.mock.behave({ usage: { inputTokens: 100_000, outputTokens: 10 } });
      const caller = await openRealtime(relay.url, poor.key);
      caller.send(text);
      expect(await caller.closed).toMatchObject({ code: 1008, reason: 'insufficient_quota' });
      expect(caller.count('response.done')).toBe(1);
      const row = await relay.lastLog(poor.userId);
      expect(row).toMatchObject({ prompt_tokens: 100_000, quota: 60_000, estimated: 0 });
      const [unpaid] = relay.alerts.filter(({ kind }) => kind === 'suspense');
      expect(unpaid).toMatchObject({ amount: 2 * 100_000 + 80 - 60_000 });
      expect(await relay.userRow(poor.userId)).toMatchObject({ quota: 0, held_quota: 0 });
    });

    test('events that cost nothing pass without balance', async () => {
      const poor = await relay.token({ quota: 9000 });
      relay.mock.behave({ outputTokens: 1200, stall: { afterEvents: 1100, milliseconds: never } });
      const caller = await openRealtime(relay.url, poor.key);
      caller.send(text);
      await caller.until('response.output_text.delta', 1100);
      // 8,800 units of output and the input: the rest pays for no further response.
      caller.send({ type: 'response.cancel' });
      await caller.until('response.done');
      caller.leave();
      const row = await eventually(
        () => relay.logs(poor.userId),
        (rows) => rows.length > 0,
        patience,
      );
      expect(row).toMatchObject([{ completion_tokens: 1100, estimated: 0 }]);
    });

    const long = longText.repeat(10);
    test.each([
      ['in an item', [userText(long), text]],
      ['in the response', [{ type: 'response.create', response: { instructions: long } }]],
    ])('input that the balance cannot pay is not sent, and costs nothing: %s', async (_where, events) => {
      const poor = await relay.token({ quota: 20_000 });
      const caller = await openRealtime(relay.url, poor.key);
      for (const event of events) caller.send(event);
      expect(await caller.closed).toMatchObject({ code: 1008, reason: 'insufficient_quota' });
      const { usage } = await served();
      expect(usage).toMatchObject({ inputTokens: 0, outputTokens: 0 });
      expect(await relay.userRow(poor.userId)).toMatchObject({ quota: 20_000, held_quota: 0 });
      expect(await relay.holds()).toBe(0);
    });
  });
});
