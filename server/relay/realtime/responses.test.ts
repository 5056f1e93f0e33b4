// How much of the responses of a session its hold has to pay for, and what their reports say of the next one.
import { describe, expect, test } from 'bun:test';
import { usageOf } from '#server/money/prices/usage.ts';
import { BelievedReports, transcriptionBounds } from './believed-reports.ts';
import { Conversation, isSpokenIn, outputLimitIn } from './conversation.ts';
import { askedResponse, heldLimit, nextOutput, outstanding, type AskedResponse } from './responses.ts';
import type { SessionTerms } from './session-usage.ts';
import { Transcriptions } from './transcriptions.ts';

const terms: SessionTerms = {
  priceOf: (name, { input, audioInput }) => ({ name, count: 1, dollarsEach: input + audioInput }),
  largestTokens: 4000,
  dearest: { spoken: 'audioOutput', written: 'output' },
};

const response = (more: Partial<AskedResponse> = {}): AskedResponse => ({
  input: usageOf({}),
  conversation: usageOf({}),
  outputLimit: 1000,
  dearest: 'output',
  isCovered: false,
  isApart: false,
  ...more,
});

describe('a response', () => {
  test('that is held slice by slice is covered 128 tokens ahead, and no further than its limit', () => {
    expect(heldLimit(response(), 10)).toBe(138);
    expect(heldLimit(response(), 990)).toBe(1000);
    expect(heldLimit(response({ isCovered: true }), 10)).toBe(1000);
    expect(outstanding(response(), 990)).toEqual(['output', 10]);
  });

  test('that says more than its limit has nothing outstanding', () => {
    expect(outstanding(response({ isCovered: true }), 1200)).toEqual(['output', 0]);
    expect(outstanding(response(), 1200)).toEqual(['output', 0]);
  });

  test('has the limit of its session, the largest answer, and no more than any model can say', () => {
    const conversation = new Conversation();
    const limitOf = (fields: Record<string, unknown>) =>
      askedResponse(conversation, terms, fields, true).outputLimit;
    expect(limitOf({})).toBe(4000);
    expect(limitOf({ max_output_tokens: 10_000_000 })).toBe(131_072);
    conversation.instruct({ max_output_tokens: 300 });
    expect([limitOf({}), limitOf({ max_output_tokens: 20 }), limitOf({ max_output_tokens: 'inf' })]).toEqual([
      300, 20, 4000,
    ]);
  });

  test('with its own input, or outside the conversation, says nothing about the next one', () => {
    const of = (fields: Record<string, unknown>) => askedResponse(new Conversation(), terms, fields, true);
    expect(of({}).isApart).toBe(false);
    expect(of({ conversation: 'none' }).isApart).toBe(true);
    expect(of({ input: [] }).isApart).toBe(true);
  });

  test('with its own instructions reads them beside its own input', () => {
    const conversation = new Conversation();
    conversation.instruct({ instructions: 'one two three four' });
    const own = conversation.inputOf({ input: [] }).input;
    expect(own).toBeGreaterThan(3);
    expect(conversation.inputOf({ input: [], instructions: '' }).input).toBe(3);
  });

  test('speaks where any of its modalities is audio', () => {
    expect(isSpokenIn({ modalities: ['text', 'audio'] }, false)).toBe(true);
    expect(isSpokenIn({ output_modalities: ['text'] }, true)).toBe(false);
    expect(isSpokenIn({}, true)).toBe(true);
  });

  test('has a limit of whole tokens, or none', () => {
    expect(outputLimitIn({ max_output_tokens: 1.5 }, 7)).toBeUndefined();
    expect(outputLimitIn({ max_output_tokens: '50' }, 7)).toBeUndefined();
    expect(outputLimitIn({ max_output_tokens: -1 }, 7)).toBeUndefined();
    expect(outputLimitIn({ max_response_output_tokens: 50 }, 7)).toBe(50);
    expect(outputLimitIn({}, 7)).toBe(7);
  });
});

describe('what may come next', () => {
  test('is the beginning of a response, spoken where the session speaks', () => {
    const conversation = new Conversation();
    expect(nextOutput(conversation, terms)).toEqual(['audioOutput', 128]);
    conversation.instruct({ output_modalities: ['text'] });
    expect(nextOutput(conversation, terms)).toEqual(['output', 128]);
  });

  test('is the text of the audio that waits, in a session that transcribes', () => {
    const conversation = new Conversation();
    conversation.configure({ type: 'transcription' });
    expect(nextOutput(conversation, terms)).toEqual(['output', 128]);
    // Thirty seconds.
    conversation.append('A'.repeat((30 * 48_000 * 4) / 3));
    conversation.commit();
    expect(nextOutput(conversation, terms)).toEqual(['output', 300]);
  });
});

describe('the audio of a conversation', () => {
  test('has a rate that its format names, as far as there is such a rate', () => {
    const tokens = (rate: unknown) => {
      const conversation = new Conversation();
      conversation.configure({ audio: { input: { format: { type: 'audio/pcm', rate } } } });
      conversation.append('A'.repeat((10 * 48_000 * 4) / 3));
      conversation.commit();
      return conversation.committingTokens;
    };
    expect([tokens(24_000), tokens(48_000), tokens(8000)]).toEqual([100, 50, 300]);
    // A rate that is none would make the audio free, or dear.
    expect([tokens(1), tokens(7999), tokens(48_001), tokens(1e9)]).toEqual([100, 100, 100, 100]);
  });

  test('that came with an item was heard as well as that of the microphone', () => {
    const conversation = new Conversation();
    conversation.add({ content: [{ type: 'input_audio', audio: 'A'.repeat((3 * 48_000 * 4) / 3) }] });
    expect([conversation.heardTokens, conversation.inputOf().audioInput]).toEqual([30, 30]);
  });

  test('that ends before it began has no length', () => {
    const conversation = new Conversation();
    conversation.append('A'.repeat((10 * 48_000 * 4) / 3));
    conversation.speechStarted(5000);
    conversation.speechStopped(1000);
    conversation.speechStarted(6000);
    conversation.speechStopped(7000);
    expect(conversation.committed()).toBe(10);
  });

  test('and its text never count as less than nothing', () => {
    const conversation = new Conversation();
    conversation.instruct({ instructions: 'many words of instructions '.repeat(50) });
    const report = { ...usageOf({ input: 5 }), webSearches: 0, raw: {} };
    conversation.learn(report, conversation.inputOf());
    conversation.instruct({ instructions: '' });
    conversation.add({ content: [{ type: 'input_text', text: 'hello' }] });
    expect(conversation.inputOf().input).toBe(4);
  });
});

describe('reports', () => {
  const bounds = { input: 100, output: 10, answer: 10, searches: 0 };
  const report = (input_tokens: number) => ({ input_tokens, output_tokens: 1 });

  test('of a response and of a transcription with one id are two', () => {
    const reports = new BelievedReports();
    expect([reports.isFirst('response', 'a'), reports.isFirst('transcription', 'a')]).toEqual([true, true]);
    expect([reports.isFirst('response', ''), reports.isFirst('response', '')]).toEqual([true, true]);
    expect(reports.doubts).toEqual([]);
    expect(reports.isFirst('response', 'a')).toBe(false);
    expect(reports.doubts).toEqual([{ count: 'answers', reported: 3, charged: 2 }]);
  });

  test('that cannot be true are named, the first twenty of them', () => {
    const reports = new BelievedReports();
    expect(reports.read(report(-5), bounds)).toBeUndefined();
    for (let count = 0; count < 30; count += 1) reports.read(report(200), bounds);
    expect(reports.doubts).toHaveLength(20);
    expect(reports.doubts.slice(0, 2)).toEqual([
      { count: 'report' },
      { count: 'input', reported: 200, charged: 100 },
    ]);
  });

  test('of transcriptions together have what was heard and one prompt', () => {
    expect(transcriptionBounds(100, 0).input).toBe(1800);
    expect(transcriptionBounds(100, 1500).input).toBe(300);
    expect(transcriptionBounds(100, 5000)).toEqual({ input: 0, output: 0, answer: 0, searches: 0 });
  });
});

test('a transcription under way is held at the dearer of its tokens and its length', () => {
  const running = (dollars: (usage: { input: number; audioInput: number }) => number) => {
    const transcriptions = new Transcriptions((name, usage) => ({
      name,
      count: 1,
      dollarsEach: dollars(usage),
    }));
    // Half a minute and a bit: 31 seconds.
    transcriptions.begin('a', 'scribe', 301);
    return transcriptions.possible.map(({ dollarsEach }) => dollarsEach);
  };
  expect(running(({ audioInput }) => audioInput)).toEqual([301]);
  expect(running(({ input }) => input)).toEqual([517]);
  expect(running(({ input, audioInput }) => input + audioInput)).toEqual([517]);
});
