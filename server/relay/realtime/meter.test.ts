import { describe, expect, test } from 'bun:test';
import { SessionMeter } from './meter.ts';

/** Base64 of so many seconds at this many bytes per second. */
const audio = (seconds: number, bytesPerSecond = 48_000) => 'A'.repeat((seconds * bytesPerSecond * 4) / 3);
const words = (count: number) => 'word '.repeat(count).trim();
const item = (text: string) => ({
  type: 'conversation.item.create',
  item: { type: 'message', content: [{ type: 'input_text', text }] },
});
const created = (id: string, fields: object = {}) => ({
  type: 'response.created',
  response: { id, ...fields },
});
const spoken = (id: string, delta: string) => ({
  type: 'response.output_audio.delta',
  response_id: id,
  delta,
});
const written = (id: string, delta: string) => ({
  type: 'response.output_text.delta',
  response_id: id,
  delta,
});
const done = (id: string, usage: object | null, fields: object = {}) => ({
  type: 'response.done',
  response: { id, usage, ...fields },
});
const report = (input: number, output: number, cached = 0) => ({
  input_tokens: input,
  output_tokens: output,
  input_token_details: { cached_tokens: cached },
});

function meterOf(...events: [side: 'caller' | 'upstream', event: object][]): SessionMeter {
  const meter = new SessionMeter({
    priceOf: (name, { audioInput, output }) => ({ name, count: audioInput, dollarsEach: output }),
    largestTokens: 4000,
    dearest: { spoken: 'audioOutput', written: 'output' },
  });
  for (const [side, event] of events) {
    if (side === 'caller') meter.readCaller(event as Record<string, unknown>);
    else meter.readUpstream(event as Record<string, unknown>);
  }
  return meter;
}

describe('input', () => {
  test('of a response is the whole conversation, instructions and tools', () => {
    const meter = meterOf(
      ['upstream', { type: 'session.created', session: { instructions: words(50), tools: [] } }],
      ['caller', item(words(100))],
      ['caller', item(words(200))],
      ['upstream', created('one')],
    );
    expect(meter.usage()).toMatchObject({ usage: { input: 359 }, isEstimated: true, isEmpty: false });
    // The same instructions again change nothing; shorter ones do for the next response.
    meter.readUpstream({ type: 'session.updated', session: { instructions: words(50) } });
    expect(meter.usageWithNext().input).toBe(718);
    meter.readCaller({ type: 'session.update', session: { instructions: '' } });
    expect(meter.usageWithNext().input).toBe(668);
  });

  test("of a response to nothing is the answer's own frame, so that its hold pays for it (M11)", () => {
    expect(meterOf(['caller', { type: 'response.create' }]).usage().usage.input).toBe(3);
  });

  test.each([
    ['PCM', { audio: { input: { format: { type: 'audio/pcm', rate: 24_000 } } } }, 48_000],
    ['PCM, older name', { input_audio_format: 'pcm16' }, 48_000],
    ['PCM at 16 kHz', { audio: { input: { format: { type: 'audio/pcm', rate: 16_000 } } } }, 32_000],
    ['µ-law', { audio: { input: { format: { type: 'audio/pcmu' } } } }, 8000],
    ['A-law, older name', { input_audio_format: 'g711_alaw' }, 8000],
  ])('audio has a token for each tenth of a second: %s', (_name, session, bytesPerSecond) => {
    const meter = meterOf(
      ['upstream', { type: 'session.created', session }],
      // The caller cannot choose how its audio is counted.
      ['caller', { type: 'session.update', session: { input_audio_format: 'pcm16', audio: {} } }],
      ['caller', { type: 'input_audio_buffer.append', audio: audio(9, bytesPerSecond) }],
      ['caller', { type: 'input_audio_buffer.clear' }],
      ['caller', { type: 'input_audio_buffer.append', audio: audio(3, bytesPerSecond) }],
    );
    expect(meter.usageWithNext().audioInput).toBe(0);
    meter.readCaller({ type: 'input_audio_buffer.commit' });
    expect(meter.usageWithNext().audioInput).toBe(30);
    meter.readUpstream({ type: 'input_audio_buffer.committed', item_id: 'a' });
    expect(meter.usageWithNext().audioInput).toBe(30);
  });

  test('speech that the upstream detects counts by its length, or as everything appended', () => {
    const meter = meterOf(
      ['caller', { type: 'input_audio_buffer.append', audio: audio(60) }],
      ['upstream', { type: 'input_audio_buffer.speech_started', audio_start_ms: 10_000 }],
      ['upstream', { type: 'input_audio_buffer.speech_stopped', audio_end_ms: 12_500 }],
      ['upstream', { type: 'input_audio_buffer.committed', item_id: 'a' }],
    );
    expect(meter.usageWithNext().audioInput).toBe(25);
    meter.readCaller({ type: 'input_audio_buffer.append', audio: audio(2) });
    meter.readUpstream({ type: 'input_audio_buffer.committed', item_id: 'b' });
    expect(meter.usageWithNext().audioInput).toBe(45);
  });

  test('each turn that the caller ends has its own audio, not that of the turns before (M21)', () => {
    const meter = meterOf();
    let expected = 0;
    for (const [seconds, isAnswered] of [
      [3, true],
      [2, false],
      [4, true],
    ] as const) {
      meter.readCaller({ type: 'input_audio_buffer.append', audio: audio(seconds) });
      meter.readCaller({ type: 'input_audio_buffer.commit' });
      if (isAnswered)
        meter.readUpstream({ type: 'input_audio_buffer.committed', item_id: `turn-${seconds}` });
      expected += seconds * 10;
      expect(meter.usageWithNext().audioInput).toBe(expected);
    }
  });

  test('images count as images', () => {
    const content = [{ type: 'input_image', detail: 'low' }, { type: 'input_image' }];
    const meter = meterOf(['caller', { type: 'conversation.item.create', item: { content } }]);
    expect(meter.usageWithNext().imageInput).toBe(85 + 765);
  });

  test('a function call and its result count as text', () => {
    const call = { type: 'function_call', name: 'lookup', arguments: JSON.stringify({ text: words(100) }) };
    const output = { type: 'function_call_output', output: words(300) };
    const meter = meterOf(
      ['caller', { type: 'conversation.item.create', item: call }],
      ['caller', { type: 'conversation.item.create', item: output }],
    );
    expect(meter.usageWithNext().input).toBeWithin(400, 430);
  });

  test('a report corrects the count; what came since is added, and what was cached stays cached', () => {
    const meter = meterOf(
      ['caller', item(words(100))],
      ['caller', { type: 'response.create' }],
      ['upstream', created('one')],
      // Said while the response runs.
      ['caller', item(words(10))],
      ['upstream', done('one', report(1000, 70, 600))],
    );
    expect(meter.usage()).toMatchObject({
      usage: { input: 400, cacheRead: 600, output: 70 },
      isEstimated: false,
    });
    const next = meter.usageWithNext();
    expect(next).toMatchObject({ input: 400 + (400 + 70 + 13), cacheRead: 1200, output: 70 });
  });

  test('what a response said is input of the next one, by its report or as delivered, spoken or written (M21)', () => {
    const meter = meterOf(['caller', item(words(100))], ['upstream', created('one')]);
    meter.readUpstream(
      done('one', {
        input_tokens: 100,
        output_tokens: 50,
        input_token_details: { audio_tokens: 60, text_tokens: 40 },
        output_token_details: { audio_tokens: 30, text_tokens: 20 },
      }),
    );
    expect(meter.usage().usage).toMatchObject({ input: 40, audioInput: 60, output: 20, audioOutput: 30 });
    expect(meter.usageWithNext()).toMatchObject({ input: 40 + 60, audioInput: 60 + 90 });

    const unreported = meterOf(
      ['caller', item(words(100))],
      ['upstream', created('one')],
      ['upstream', written('one', 'Hello')],
      ['upstream', spoken('one', audio(1))],
      ['upstream', done('one', null)],
    );
    expect(unreported.usage().usage).toMatchObject({ input: 106, output: 1, audioOutput: 20 });
    expect(unreported.usageWithNext()).toMatchObject({ input: 106 + 107, audioInput: 20 });
  });

  test('every stretch of speech before a commit counts, and each commit once (M21)', () => {
    const spoke = (from: number, to: number): ['upstream', object][] => [
      ['upstream', { type: 'input_audio_buffer.speech_started', audio_start_ms: from }],
      ['upstream', { type: 'input_audio_buffer.speech_stopped', audio_end_ms: to }],
    ];
    // Eight seconds: nobody speaks longer than was heard.
    const heard: ['caller', object] = [
      'caller',
      { type: 'input_audio_buffer.append', audio: 'A'.repeat(512_000) },
    ];
    const meter = meterOf(heard, ...spoke(1000, 3500), ...spoke(5000, 6500));
    meter.readUpstream({ type: 'input_audio_buffer.committed', item_id: 'a' });
    expect(meter.usageWithNext().audioInput).toBe(40);
    for (const [, event] of spoke(9000, 9500)) meter.readUpstream(event as Record<string, unknown>);
    meter.readUpstream({ type: 'input_audio_buffer.committed', item_id: 'b' });
    expect(meter.usageWithNext().audioInput).toBe(45);
  });

  test('tools are input of every response, and those of one response instead of them (M21)', () => {
    const tool = (count: number) => ({ type: 'function', name: 'lookup', description: words(count) });
    const meter = meterOf(['caller', { type: 'session.update', session: { tools: [tool(100)] } }]);
    const usual = meter.usageWithNext().input;
    expect(usual).toBeWithin(100, 130);
    meter.readCaller({ type: 'response.create', response: { tools: [tool(300)] } });
    expect(meter.usage().usage.input).toBe(usual + 200);
  });

  test('a response apart from the conversation reads its own input and says nothing about the next', () => {
    const apart = { conversation: 'none', input: [{ content: [{ type: 'input_text', text: words(20) }] }] };
    const meter = meterOf(
      ['caller', item(words(1000))],
      ['caller', { type: 'response.create', response: apart }],
      ['upstream', created('apart', { conversation_id: null })],
    );
    expect(meter.usage().usage.input).toBe(26);
    meter.readUpstream(done('apart', report(25, 5)));
    expect(meter.usage().usage.input).toBe(25);
    expect(meter.usageWithNext().input).toBe(25 + 1006);
  });
});

describe('output', () => {
  test('audio has a token for each twentieth of a second, whatever the size of its pieces', () => {
    const meter = meterOf(['upstream', created('one')]);
    for (let piece = 0; piece < 100; piece += 1) meter.readUpstream(spoken('one', audio(0.01)));
    expect(meter.usage().usage).toMatchObject({ audioOutput: 20, output: 0 });
    meter.readUpstream({
      type: 'response.output_audio_transcript.delta',
      response_id: 'one',
      delta: 'Hello',
    });
    expect(meter.usage().usage).toMatchObject({ audioOutput: 20, output: 1 });
  });

  test('of telephones has fewer bytes', () => {
    const session = { audio: { output: { format: { type: 'audio/pcmu' } } } };
    const meter = meterOf(
      ['upstream', { type: 'session.updated', session }],
      ['upstream', spoken('one', audio(1, 8000))],
    );
    expect(meter.usage().usage.audioOutput).toBe(20);
  });

  test('arguments of functions count', () => {
    const event = { type: 'response.function_call_arguments.delta', response_id: 'one', delta: '{"city"' };
    expect(meterOf(['upstream', event]).usage().usage.output).toBeGreaterThan(0);
  });

  test('the transcript of the user’s audio is no output of a response', () => {
    const event = { type: 'conversation.item.input_audio_transcription.delta', item_id: 'a', delta: 'Hello' };
    expect(meterOf(['upstream', event]).usage().isEmpty).toBe(true);
  });

  test('responses at the same time are counted one by one', () => {
    const meter = meterOf(
      ['upstream', created('one')],
      ['upstream', created('two')],
      ['upstream', written('one', 'Hello')],
      ['upstream', written('two', 'Hello')],
      ['upstream', done('one', report(10, 4))],
    );
    expect(meter.isRunning).toBe(true);
    expect(meter.usage()).toMatchObject({ usage: { output: 5 }, isEstimated: true });
  });

  test('an event that was not delivered is taken back, once', () => {
    const meter = meterOf(['upstream', written('one', 'Hello')], ['upstream', spoken('one', audio(1))]);
    meter.takeBackPiece();
    meter.takeBackPiece();
    expect(meter.usage().usage).toMatchObject({ output: 1, audioOutput: 0 });
  });
});

describe('the end of a response', () => {
  const begun: ['caller' | 'upstream', object][] = [
    ['caller', item(words(100))],
    ['upstream', created('one')],
  ];

  test('a report of nothing beside output is no report', () => {
    const meter = meterOf(
      ...begun,
      ['upstream', written('one', 'Hello')],
      ['upstream', done('one', report(0, 0))],
    );
    expect(meter.usage()).toMatchObject({ usage: { input: 106, output: 1 }, isEstimated: true });
  });

  test('a report of nothing before output is charged as nothing', () => {
    const meter = meterOf(...begun, ['upstream', done('one', report(0, 0), { status: 'cancelled' })]);
    expect(meter.usage()).toMatchObject({ usage: { input: 0, output: 0 }, isEstimated: false });
    // It says nothing about the conversation.
    expect(meter.usageWithNext().input).toBe(106);
  });

  test.each([
    ['negative', report(-5, 3)],
    ['huge', report(1e15, 3)],
  ])('a %s report is no report', (_what, usage) => {
    const meter = meterOf(...begun, ['upstream', written('one', 'Hello')], ['upstream', done('one', usage)]);
    expect(meter.usage()).toMatchObject({ usage: { input: 106, output: 1 }, isEstimated: true });
  });

  test('a failed response without a report costs its input only if it had output', () => {
    const failed = done('one', null, { status: 'failed' });
    expect(meterOf(...begun, ['upstream', failed]).usage()).toMatchObject({
      usage: { input: 0 },
      isEmpty: true,
    });
    const meter = meterOf(...begun, ['upstream', written('one', 'Hello')], ['upstream', failed]);
    expect(meter.usage()).toMatchObject({ usage: { input: 106, output: 1 }, isEstimated: true });
    const cancelled = done('one', null, { status: 'cancelled' });
    expect(meterOf(...begun, ['upstream', cancelled]).usage().usage.input).toBe(106);
  });

  test('a response that is asked for counts until the upstream begins or refuses it', () => {
    const meter = meterOf(['caller', item(words(100))], ['caller', { type: 'response.create' }]);
    expect(meter.usage()).toMatchObject({ usage: { input: 106 }, isEmpty: false, isEstimated: true });
    expect(meter.usageWithNext().input).toBe(106);
    meter.readUpstream({ type: 'error', error: {} });
    expect(meter.usage().isEmpty).toBe(true);
    meter.readCaller({ type: 'response.create' });
    meter.takeBackAsked();
    expect(meter.usage().isEmpty).toBe(true);
    meter.readCaller({ type: 'response.create' });
    meter.readUpstream(created('one'));
    expect(meter.usage().usage.input).toBe(106);
    meter.readUpstream(done('one', report(110, 5)));
    expect(meter).toMatchObject({ isRunning: false });
    expect(meter.usage()).toMatchObject({ usage: { input: 110, output: 5 }, isEstimated: false });
  });

  test('what was asked for before the end of a response and never began costs nothing after it (M21)', () => {
    const meter = meterOf(
      ['caller', item(words(100))],
      ['caller', { type: 'response.create' }],
      ['upstream', created('one')],
      // Asked while the response runs: the upstream ignores it.
      ['caller', { type: 'response.create' }],
    );
    expect(meter.usage().usage.input).toBe(212);
    meter.readUpstream(done('one', report(110, 5)));
    expect(meter.isRunning).toBe(false);
    expect(meter.usage()).toMatchObject({ usage: { input: 110, output: 5 }, isEstimated: false });
    // The next response is not paid by what was ignored: it counts on its own.
    expect(meter.usageWithNext().input).toBe(110 + 115);
  });

  test('an upstream that breaks off costs nothing for responses without output', () => {
    const meter = meterOf(
      ...begun,
      ['caller', { type: 'response.create' }],
      ['upstream', written('two', 'Hello')],
    );
    const { usage } = meter.usage(true);
    expect(usage).toMatchObject({ input: 106, output: 1 });
    expect(meterOf(...begun).usage(true).isEmpty).toBe(true);
    // Asked for, and not even begun.
    const asked = meterOf(['caller', item(words(100))], ['caller', { type: 'response.create' }]);
    expect(asked.usage(true)).toMatchObject({ usage: { input: 0 }, isEmpty: true, isEstimated: false });
  });
});

test('the transcription of the user’s audio is a surcharge, one for each model', () => {
  const completed = (audio_tokens: number, output_tokens: number) => ({
    type: 'conversation.item.input_audio_transcription.completed',
    usage: { input_tokens: audio_tokens, output_tokens, input_token_details: { audio_tokens } },
  });
  const use = (model: string) => ({ audio: { input: { transcription: { model } } } });
  const meter = meterOf(
    ['upstream', completed(1, 1)],
    ['upstream', { type: 'session.updated', session: use('one') }],
    ['upstream', completed(20, 4)],
    ['upstream', completed(30, 5)],
    ['upstream', { type: 'session.updated', session: { input_audio_transcription: { model: 'two' } } }],
    ['upstream', completed(7, 8)],
    ['upstream', done('one', report(10, 1))],
  );
  const { usage, isEstimated, isEmpty } = meter.usage();
  expect({ isEstimated, isEmpty }).toEqual({ isEstimated: false, isEmpty: false });
  expect(usage.surcharges).toEqual([
    { name: 'one', count: 50, dollarsEach: 9 },
    { name: 'two', count: 7, dollarsEach: 8 },
  ]);
  expect(usage).toMatchObject({ input: 10, audioInput: 0 });
  expect(meter.usageWithNext().surcharges).toHaveLength(2);
  // Their cost is counted from their usage, not from the selling price.
  expect(meter.usageWithNext().otherModels).toMatchObject([
    { model: 'one', usage: { audioInput: 50, output: 9 } },
    { model: 'two', usage: { audioInput: 7, output: 8 } },
  ]);
});

describe('a transcription session', () => {
  const opened = (): SessionMeter =>
    meterOf(
      ['upstream', { type: 'session.created', session: { type: 'transcription' } }],
      ['caller', { type: 'input_audio_buffer.append', audio: audio(6) }],
      ['caller', { type: 'input_audio_buffer.commit' }],
      ['upstream', { type: 'input_audio_buffer.committed', item_id: 'a' }],
    );
  const type = 'conversation.item.input_audio_transcription.completed';

  test('is charged by the usage of each transcription', () => {
    const meter = opened();
    const input_token_details = { audio_tokens: 58, text_tokens: 0 };
    const usage = { type: 'tokens', input_tokens: 58, output_tokens: 9, input_token_details };
    meter.readUpstream({ type, item_id: 'a', transcript: 'x', usage });
    expect(meter.usage()).toMatchObject({ usage: { audioInput: 58, output: 9 }, isEstimated: false });
    expect(meter.isRunning).toBe(false);
  });

  test('or by its length', () => {
    const meter = opened();
    meter.readUpstream({ type, item_id: 'a', transcript: 'x', usage: { type: 'duration', seconds: 5.4 } });
    expect(meter.usage().usage).toMatchObject({ input: 100, audioInput: 0 });
  });

  test('and before its end by the audio and the text that came', () => {
    const meter = opened();
    const delta = { type: 'conversation.item.input_audio_transcription.delta', item_id: 'a', delta: 'Hello' };
    meter.readUpstream(delta);
    expect(meter.usage()).toMatchObject({ usage: { audioInput: 60, output: 1 }, isEstimated: true });
  });
});

describe('a report is believed only within reason (M13)', () => {
  test('its input to what the conversation holds, its output to the limit or what was delivered', () => {
    const meter = meterOf(
      ['caller', item(words(100))],
      ['caller', { type: 'response.create', response: { max_output_tokens: 200 } }],
      ['upstream', created('one')],
      ['upstream', written('one', words(10))],
      ['upstream', done('one', report(9e11, 9e11))],
    );
    const { usage, doubts } = meter.usage();
    expect(usage).toMatchObject({ input: 106 * 8 + 100_000, output: 284 });
    expect(doubts).toEqual([
      { count: 'input', reported: 9e11, charged: usage.input },
      { count: 'output', reported: 9e11, charged: 284 },
    ]);
    // The limit of the session holds for a response without its own; what was delivered is believed beyond it.
    const delivered = meterOf(
      ['caller', { type: 'session.update', session: { max_output_tokens: 20 } }],
      ['upstream', created('one')],
      ['upstream', written('one', words(100))],
      ['upstream', done('one', report(10, 9e11))],
    );
    expect(delivered.usage().usage.output).toBe(800);
  });

  test('a response and a transcription are charged once, however often their end is sent', () => {
    const meter = meterOf(
      ['upstream', created('one')],
      ['upstream', done('one', report(10, 5))],
      ['upstream', done('one', report(10, 5))],
      ['upstream', done('one', report(10, 5))],
      ['upstream', done('two', report(7, 1))],
    );
    expect(meter.usage()).toMatchObject({
      usage: { input: 17, output: 6 },
      doubts: [{ count: 'answers', reported: 4, charged: 2 }],
    });
  });

  test('speech is not much longer than the audio that the caller sent', () => {
    const meter = meterOf(
      ['caller', { type: 'input_audio_buffer.append', audio: audio(2) }],
      ['upstream', { type: 'input_audio_buffer.speech_started', audio_start_ms: 0 }],
      ['upstream', { type: 'input_audio_buffer.speech_stopped', audio_end_ms: 1e15 }],
      ['upstream', { type: 'input_audio_buffer.committed' }],
      ['upstream', created('one')],
    );
    expect(meter.usage().usage.audioInput).toBe(20 * 8 + 10);
  });

  test('transcriptions together have no more than was heard', () => {
    const transcription = { model: 'whisper-1' };
    const ended = (item_id: string, seconds: number) =>
      [
        'upstream',
        {
          type: 'conversation.item.input_audio_transcription.completed',
          item_id,
          usage: { type: 'duration', seconds },
        },
      ] as const;
    const meter = meterOf(
      ['upstream', { type: 'session.created', session: { input_audio_transcription: transcription } }],
      ['caller', { type: 'input_audio_buffer.append', audio: audio(60) }],
      ['caller', { type: 'input_audio_buffer.commit' }],
      ['upstream', { type: 'input_audio_buffer.committed' }],
      [...ended('a', 60)],
      [...ended('a', 60)],
      [...ended('b', 1e9)],
    );
    const { usage, doubts } = meter.usage();
    // 600 tokens were heard: at most eight times as many and a prompt.
    expect(usage.otherModels?.[0]?.usage.input).toBe(5800);
    expect(doubts.map(({ count }) => count)).toEqual(['input', 'answers']);
  });
});

describe('what a session can cost (M11)', () => {
  const speaks = ['caller', { type: 'response.create' }] as const;

  test('has each response with its limit, in the dearest class that it can have', () => {
    expect(meterOf([...speaks]).mostUsage()).toMatchObject({ audioOutput: 4000, output: 0 });
    const text = { output_modalities: ['text'], max_output_tokens: 300 };
    const both = meterOf([...speaks], ['caller', { type: 'response.create', response: text }]);
    expect(both.mostUsage()).toMatchObject({ audioOutput: 4000, output: 300 });
    const limited = meterOf(
      [
        'upstream',
        { type: 'session.created', session: { max_response_output_tokens: 700, modalities: ['text'] } },
      ],
      ['caller', { type: 'response.create' }],
      ['upstream', created('one')],
      ['upstream', written('one', words(100))],
    );
    expect(limited.mostUsage().output).toBe(700);
    expect(limited.limitField).toBe('max_response_output_tokens');
    limited.readUpstream(done('one', report(10, 120)));
    expect(limited.mostUsage().output).toBe(120);
    const endless = meterOf(
      ['caller', { type: 'session.update', session: { max_output_tokens: 'inf' } }],
      [...speaks],
    );
    expect(endless.mostUsage().audioOutput).toBe(4000);
  });

  test('has a response that was not asked for as far as it was delivered, and no report of more is believed', () => {
    const meter = meterOf(['upstream', created('one')], ['upstream', written('one', words(10))]);
    expect(meter.uncovered?.outputLimit).toBe(4000);
    expect(meter.mostUsage()).toMatchObject({ output: 10, audioOutput: 128 });
    meter.readUpstream(done('one', report(5, 4000)));
    // 138, a tenth and 64 tokens more.
    expect(meter.usage().usage.output).toBe(216);
  });

  test('has the text of audio, and each transcription under way at its dearest until it ends', () => {
    const commit = [
      ['caller', { type: 'input_audio_buffer.append', audio: audio(30) }],
      ['caller', { type: 'input_audio_buffer.commit' }],
      ['upstream', { type: 'input_audio_buffer.committed', item_id: 'a' }],
    ] as const;
    const alone = meterOf(
      ['upstream', { type: 'session.created', session: { type: 'transcription' } }],
      ...commit.map(([side, event]): [typeof side, object] => [side, event]),
    );
    expect(alone.mostUsage()).toMatchObject({ audioInput: 300, output: 300, audioOutput: 0 });
    const beside = meterOf(
      [
        'upstream',
        { type: 'session.created', session: { input_audio_transcription: { model: 'whisper-1' } } },
      ],
      ...commit.map(([side, event]): [typeof side, object] => [side, event]),
    );
    expect(beside.mostUsage().surcharges).toEqual([{ name: 'whisper-1', count: 300, dollarsEach: 300 }]);
    beside.readUpstream({ type: 'conversation.item.input_audio_transcription.failed', item_id: 'a' });
    expect(beside.mostUsage().surcharges).toEqual([]);
  });
});
