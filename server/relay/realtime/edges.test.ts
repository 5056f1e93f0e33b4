// The edges of a realtime session's money: exact holds, odd events, reports of every kind.
import { describe, expect, test } from 'bun:test';
import type { Ledger } from '#server/money/ledger/ledger.ts';
import type { PriceSnapshot } from '#server/money/prices/price.ts';
import { usageOf } from '#server/money/prices/usage.ts';
import { Hold } from '#server/relay/money/hold.ts';
import type { BilledCall } from '#server/relay/money/settlement.ts';
import type { Pricing } from '#server/relay/money/admission.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import { BelievedReports, transcriptionBounds } from './believed-reports.ts';
import { SessionMeter } from './meter.ts';
import { hasOutput, heldLimit, outstanding, transcript, type OpenResponse } from './responses.ts';
import { SessionHold, type HoldServices } from './session-hold.ts';
import { transcriptionPrices } from './transcription.ts';
import { Transcriptions } from './transcriptions.ts';

/** One unit for each token. */
const price: PriceSnapshot = {
  version: 1,
  model: 'm',
  group: 'default',
  groupRatio: 1,
  quotaPerUnit: 500_000,
  source: 'operator',
  kind: 'ratio',
  modelRatio: 1,
  completionRatio: 1,
  cacheRatio: 1,
  cacheWriteRatio: 1,
  cacheWrite1hRatio: 1,
  imageRatio: 1,
  audioRatio: 1,
  audioCompletionRatio: 1,
  reasoningRatio: 1,
};

/** A hold of 100 that may grow to `most`. */
function sessionUpTo(most: number) {
  const asked: number[] = [];
  const ended: unknown[] = [];
  const ledger = {
    extend: async (_call: unknown, more: number) => {
      asked.push(more);
      return hold.amount + more <= most;
    },
    settle: async (_call: unknown, outcome: unknown) => void ended.push(outcome),
  } as unknown as Ledger;
  const hold: Hold = new Hold(ledger, { requestId: 'r' }, 100);
  const services = {
    ledger,
    settings: { current: { LogConsumeEnabled: false } },
    usageAlerts: { doubted: () => {} },
    health: { answered: () => {} },
  } as unknown as HoldServices;
  const record = { caller: { group: 'default' }, channelId: 7, model: 'm', attempts: [] };
  const call = { price, hold, record, startedAt: performance.now() } as unknown as BilledCall;
  return { hold, asked, ended, session: new SessionHold(services, call) };
}

const sized = (tokens: number) => usageOf({ input: 100, output: tokens });

describe('the hold of a session', () => {
  test('that covers a response to the unit is not asked to grow, one unit less is', async () => {
    const { session, asked } = sessionUpTo(10_000);
    expect(session.coverResponse(0, sized, true)).toBe(0);
    expect(await session.coverResponse(1, sized, true)).toBe(1);
    expect(session.coverResponse(1, sized, true)).toBe(1);
    expect(asked).toEqual([1]);
  });

  test('is not asked again for what grew meanwhile', async () => {
    const { session, asked } = sessionUpTo(100_000);
    const [one, other] = [session.cover(usageOf({ input: 2000 })), session.cover(usageOf({ input: 500 }))];
    expect([await one, await other]).toEqual(['covered', 'covered']);
    expect(asked).toEqual([2000 + 1024 - 100]);
  });

  test('tries each half of a limit once, rounded down, and never more than the limit', async () => {
    const tried = async (limit: number) => {
      const { session, asked } = sessionUpTo(100);
      expect(await session.coverResponse(limit, sized, true)).toBe('refused');
      return asked;
    };
    expect(await tried(1001)).toEqual([1001, 500, 250, 128]);
    expect(await tried(256)).toEqual([256, 128]);
    expect(await tried(258)).toEqual([258, 129, 128]);
    expect(await tried(1002)).toEqual([1002, 501, 250, 128]);
    expect(await tried(128)).toEqual([128]);
    expect(await tried(100)).toEqual([100]);
  });

  test('that was refused a response grows for nothing else', async () => {
    const { session, asked } = sessionUpTo(110);
    expect(await session.coverResponse(1000, sized, false)).toBe('refused');
    expect(await session.cover(usageOf({ input: 105 }))).toBe('refused');
    expect(await session.coverWhole(usageOf({ input: 105 }))).toBe(false);
    expect(asked).toEqual([1000]);
  });

  test('is settled with what was used, estimated or not', async () => {
    const { session, ended } = sessionUpTo(100);
    const usage = usageOf({ input: 30, output: 12 });
    await session.end({ usage, isEstimated: true, isEmpty: false, doubts: [] }, 'closed', false);
    expect(ended).toMatchObject([{ charge: 42, promptTokens: 30, completionTokens: 12 }]);
  });
});

describe('reports', () => {
  const bounds = { input: 10_000, output: 10_000, answer: 10_000, searches: 0 };
  const prompt = (usage: unknown) => new BelievedReports().read(usage, bounds);

  test('of a length are tokens of its seconds, each begun one whole', () => {
    const tokens = (seconds: unknown) => {
      const usage = prompt({ type: 'duration', seconds });
      return [usage?.input, usage?.output];
    };
    expect([tokens(60), tokens(61), tokens(0.2), tokens(3)]).toEqual([
      [1000, 0],
      [1017, 0],
      [17, 0],
      [50, 0],
    ]);
    expect([tokens(0), tokens(-5), tokens('60'), tokens(undefined)]).toEqual([
      [0, 0],
      [0, 0],
      [0, 0],
      [0, 0],
    ]);
  });

  test('that are missing say nothing; impossible ones are noted and not believed', () => {
    const reports = new BelievedReports();
    expect([reports.read(null, bounds), reports.read('x', bounds), reports.doubts]).toEqual([
      undefined,
      undefined,
      [],
    ]);
    expect(reports.read({ input_tokens: 5, output_tokens: 2 ** 53 }, bounds)).toBeUndefined();
    expect(reports.doubts).toEqual([{ count: 'report' }]);
    for (let count = 0; count < 30; count += 1) reports.read({ input_tokens: -1, output_tokens: 1 }, bounds);
    expect(reports.doubts.length).toBeLessThanOrEqual(20);
  });

  test('of one answer count once, those of another kind with the same id apart', () => {
    const reports = new BelievedReports();
    const first = ['response', 'response', 'transcription', 'transcription'].map((kind) =>
      reports.isFirst(kind, 'a'),
    );
    expect(first).toEqual([true, false, true, false]);
    expect([reports.isFirst('response', ''), reports.isFirst('response', '')]).toEqual([true, true]);
    expect(reports.isFirst('response', 7)).toBe(true);
    expect(reports.doubts).toEqual([{ count: 'answers', reported: 4, charged: 2 }]);
  });

  test('of transcriptions are believed as far as was heard and is not charged yet', () => {
    const all = transcriptionBounds(100, 0);
    expect(transcriptionBounds(100, 40)).toEqual({
      input: all.input - 40,
      output: all.input - 40,
      answer: all.input - 40,
      searches: 0,
    });
    expect(transcriptionBounds(100, all.input + 1).input).toBe(0);
  });
});

describe('events', () => {
  const terms = {
    priceOf: (name: string) => ({ name, count: 1, dollarsEach: 1 }),
    largestTokens: 4000,
    dearest: { spoken: 'audioOutput', written: 'output' },
  } as const;
  const audio = 'A'.repeat(64_000);
  const committed = (meter: SessionMeter, item_id: string) => {
    meter.readCaller({ type: 'input_audio_buffer.append', audio });
    meter.readUpstream({ type: 'input_audio_buffer.committed', item_id });
  };
  const report = { input_tokens: 10, output_tokens: 2 };

  test('of the caller lead to a larger charge, except audio that waits and what the upstream ignores', () => {
    const meter = new SessionMeter(terms);
    const leads = (event: Record<string, unknown>) => meter.readCaller(event);
    expect(
      [
        'session.update',
        'transcription_session.update',
        'conversation.item.create',
        'input_audio_buffer.commit',
        'response.create',
      ].map((type) => leads({ type })),
    ).toEqual([true, true, true, true, true]);
    expect(
      ['input_audio_buffer.append', 'input_audio_buffer.clear', 'response.cancel', 5].map((type) =>
        leads({ type }),
      ),
    ).toEqual([false, false, false, false]);
  });

  test('without a type, an id or text change nothing and end nothing', () => {
    const meter = new SessionMeter(terms);
    for (const event of [
      {},
      { type: null },
      { type: 'response.output_text.delta', response_id: 'a' },
      { type: 'response.done' },
    ])
      meter.readUpstream(event);
    expect(meter.usage()).toMatchObject({ isEmpty: true, isEstimated: false });
    meter.readUpstream({ type: 'response.created', response: {} });
    meter.readUpstream({ type: 'response.output_text.delta', delta: 'word' });
    expect(meter.isRunning).toBe(true);
    meter.readUpstream({ type: 'response.done', response: { usage: report } });
    expect([meter.isRunning, meter.usage().usage.input, meter.usage().isEstimated]).toEqual([
      false,
      10,
      false,
    ]);
  });

  test('of a transcription beside the conversation are charged although no response was made', () => {
    const meter = new SessionMeter(terms);
    meter.readUpstream({
      type: 'session.created',
      session: { input_audio_transcription: { model: 'scribe' } },
    });
    committed(meter, 'a');
    expect(meter.mostUsage().surcharges).toHaveLength(1);
    const completed = { type: 'conversation.item.input_audio_transcription.completed', item_id: 'a' };
    meter.readUpstream({ ...completed, usage: report });
    expect(meter.usage()).toMatchObject({ isEmpty: false });
    expect(meter.usage().usage.otherModels).toMatchObject([
      { model: 'scribe', usage: { input: 10, output: 2 } },
    ]);
    expect(meter.mostUsage().surcharges).toHaveLength(1);
    // A response with the same id has its own report.
    meter.readUpstream({ type: 'response.done', response: { id: 'a', usage: report } });
    expect(meter.usage().usage.input).toBe(10);
  });

  test('that were not delivered take back their own content alone, and once', () => {
    const meter = new SessionMeter(terms);
    meter.readUpstream({ type: 'response.created', response: { id: 'a' } });
    const spoken = { type: 'response.output_audio.delta', response_id: 'a', delta: audio };
    meter.readUpstream(spoken);
    const before = meter.usage().usage;
    expect(before.audioOutput).toBeGreaterThan(0);
    meter.readUpstream({ ...spoken, type: 'response.output_text.delta', delta: 'one two three' });
    expect(meter.usage().usage.output).toBeGreaterThan(before.output);
    meter.takeBackPiece();
    expect(meter.usage().usage).toEqual(before);
    meter.takeBackPiece();
    expect(meter.usage().usage).toEqual(before);
    meter.readUpstream(spoken);
    meter.readUpstream({ type: 'rate_limits.updated' });
    meter.takeBackPiece();
    expect(meter.usage().usage.audioOutput).toBe(2 * before.audioOutput);
  });
});

describe('a response', () => {
  const asked = { isCovered: false, outputLimit: 1000, dearest: 'output' } as OpenResponse;

  test('has output with a token of text or a character of audio', () => {
    const has = (output: number, audioLength: number) => hasOutput({ ...asked, output, audioLength });
    expect([has(0, 0), has(1, 0), has(0, 1)]).toEqual([false, true, true]);
  });

  test('is held whole, or so far ahead of what was delivered, up to its limit', () => {
    const whole = { ...asked, isCovered: true };
    expect([heldLimit(whole, 5), heldLimit(asked, 5), heldLimit(asked, 990)]).toEqual([1000, 133, 1000]);
    expect([outstanding(whole, 5), outstanding(asked, 5), outstanding(whole, 1200)]).toEqual([
      ['output', 995],
      ['output', 128],
      ['output', 0],
    ]);
  });

  test('to audio is its text: apart from the conversation, and held as long as the audio', () => {
    const dearest = { spoken: 'audioOutput', written: 'output' } as const;
    const terms = { priceOf: () => ({ name: '', count: 0, dollarsEach: 0 }), largestTokens: 1, dearest };
    expect(transcript(terms, 30)).toEqual({
      input: usageOf({ audioInput: 30 }),
      conversation: usageOf({ audioInput: 30 }),
      outputLimit: 30,
      dearest: 'output',
      isCovered: true,
      isApart: true,
    });
  });
});

describe('a transcription beside the conversation', () => {
  test('costs as much as the session where its model has no price, and fails where that cannot be read', () => {
    const failing = (error: Error) =>
      ({
        prices: {
          resolve: () => {
            throw error;
          },
        },
      }) as unknown as Pricing;
    const priced = (error: Error) => transcriptionPrices(failing(error), price, 'default');
    const unknown = priced(new RelayError('no_price', { model: 'scribe' }));
    expect(unknown('scribe', usageOf({ input: 500 }))).toEqual({
      name: 'transcription scribe',
      count: 1,
      dollarsEach: 0.001,
    });
    expect(() => priced(new Error('broken'))('scribe', usageOf({ input: 500 }))).toThrow('broken');
  });

  test('can cost its tokens or its length, whichever is dearer, until it ends', () => {
    const of = (perText: number, perAudio: number) => {
      const running = new Transcriptions((name, { input, audioInput }) => ({
        name,
        count: 1,
        dollarsEach: input * perText + audioInput * perAudio,
      }));
      running.begin('a', 'scribe', 601);
      return running;
    };
    // 601 tokens are 61 seconds, and these 1017 tokens of text.
    expect(of(1, 1).possible).toEqual([{ name: 'scribe', count: 1, dollarsEach: 1017 }]);
    expect(of(1, 2).possible).toEqual([{ name: 'scribe', count: 1, dollarsEach: 1202 }]);
    const ended = of(1, 1);
    ended.end(undefined);
    ended.end('b');
    expect(ended.possible).toHaveLength(1);
    ended.end('a');
    expect(ended.possible).toEqual([]);
    ended.add('scribe', usageOf({ input: 3, output: 1 }));
    ended.add('scribe', usageOf({ input: 4, audioInput: 5 }));
    expect([ended.reportedTokens, ended.charged.otherModels]).toMatchObject([
      12,
      [{ model: 'scribe', usage: { input: 7, output: 1, audioInput: 5 } }],
    ]);
  });
});
