// What one message changes in the count of a session, and leaves as it was.
import { describe, expect, test } from 'bun:test';
import { SessionMeter } from './meter.ts';

const words = (count: number) => 'word '.repeat(count).trim();
const item = (text: string) => ({
  type: 'conversation.item.create',
  item: { type: 'message', content: [{ type: 'input_text', text }] },
});
const created = (id: string, fields: object = {}) => ({
  type: 'response.created',
  response: { id, ...fields },
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
const report = (input: number, output: number) => ({
  input_tokens: input,
  output_tokens: output,
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

describe('what one message changes', () => {
  test('a response that the upstream begins apart says nothing about the next', () => {
    const meter = meterOf(
      ['caller', item(words(100))],
      ['upstream', created('apart', { conversation_id: null })],
      ['upstream', written('apart', words(50))],
      ['upstream', done('apart', report(9000, 50))],
    );
    expect(meter.usageWithNext().input - meter.usage().usage.input).toBe(106);
  });

  test('what a response apart delivered without a report is no input of the next', () => {
    const apart = { type: 'response.create', response: { conversation: 'none' } };
    const meter = meterOf(
      ['caller', item(words(100))],
      ['caller', apart],
      ['upstream', created('one')],
      ['upstream', written('one', words(50))],
      ['upstream', done('one', null)],
    );
    expect(meter.usage().usage.output).toBeGreaterThan(0);
    expect(meter.usageWithNext().input - meter.usage().usage.input).toBe(106);
  });

  test('a response with instructions of its own leaves those of the session for the next', () => {
    const meter = meterOf(
      ['upstream', { type: 'session.created', session: { instructions: words(50) } }],
      ['caller', item(words(100))],
      ['caller', { type: 'response.create', response: { instructions: words(400) } }],
      ['upstream', created('one')],
      ['caller', item(words(10))],
      ['upstream', done('one', report(1000, 5))],
    );
    expect(meter.usageWithNext().input - meter.usage().usage.input).toBe(1000 + 5 + 13);
  });

  test('a piece of text that was not delivered is taken back, a message after it that has none takes nothing back', () => {
    const meter = meterOf(['upstream', created('one')], ['upstream', written('one', words(10))]);
    meter.readUpstream(written('one', words(20)));
    meter.takeBackPiece();
    expect(meter.usage().usage.output).toBe(10);
    meter.readUpstream({ type: 'rate_limits.updated' });
    meter.takeBackPiece();
    expect(meter.usage().usage.output).toBe(10);
  });

  test('a response that was asked for is held as itself, not beside the beginning of another', () => {
    const asked = { type: 'response.create', response: { max_output_tokens: 300 } };
    expect(meterOf(['caller', asked]).mostWithNext()).toMatchObject({ audioOutput: 300, input: 3 });
    expect(meterOf().mostWithNext()).toMatchObject({ audioOutput: 128, input: 3 });
  });

  test('a session of transcription is known by its type, or by the name that an older upstream gives the event', () => {
    const heard = { type: 'input_audio_buffer.committed', item_id: 'a' };
    const audio = { type: 'input_audio_buffer.append', audio: 'A'.repeat(64_000) };
    const text = {
      type: 'conversation.item.input_audio_transcription.completed',
      item_id: 'a',
      usage: { type: 'tokens', input_tokens: 9, output_tokens: 4 },
    };
    const usageOf = (event: object) =>
      meterOf(['upstream', event], ['caller', audio], ['upstream', heard], ['upstream', text]).usage().usage;
    const asTranscript = { input: 9, output: 4, surcharges: [] };
    const model = { input_audio_transcription: { model: 'listens' } };
    for (const type of ['transcription_session.created', 'transcription_session.updated'])
      expect(usageOf({ type, session: model })).toMatchObject(asTranscript);
    expect(usageOf({ type: 'session.created', session: { type: 'transcription', ...model } })).toMatchObject(
      asTranscript,
    );
    // Beside a conversation it is the work of another model.
    expect(usageOf({ type: 'session.created', session: model })).toMatchObject({
      input: 0,
      output: 0,
      surcharges: [{ name: 'listens', dollarsEach: 4 }],
    });
  });

  test('a transcription without a report is charged its audio, as far as it was heard', () => {
    const meter = meterOf(
      ['upstream', { type: 'session.created', session: { type: 'transcription' } }],
      ['caller', { type: 'input_audio_buffer.append', audio: 'A'.repeat(64_000) }],
      ['upstream', { type: 'input_audio_buffer.committed', item_id: 'a' }],
      ['upstream', { type: 'conversation.item.input_audio_transcription.completed', item_id: 'a' }],
    );
    expect(meter.usage()).toMatchObject({ usage: { audioInput: 10, output: 0 }, isEstimated: true });
    expect(meter.isRunning).toBe(false);
  });
});

const committed = (id: string) => ({ type: 'input_audio_buffer.committed', item_id: id });
const appended = { type: 'input_audio_buffer.append', audio: 'A'.repeat(64_000) };
const transcribed = (id: string, usage: object | null) => ({
  type: 'conversation.item.input_audio_transcription.completed',
  item_id: id,
  usage,
});
const ask = (limit: number) => ({ type: 'response.create', response: { max_output_tokens: limit } });
const listening = { type: 'session.created', session: { input_audio_transcription: { model: 'listens' } } };

describe('the second of two', () => {
  test('transcriptions is held beside what the first one cost', () => {
    const meter = meterOf(
      ['upstream', listening],
      ['caller', appended],
      ['upstream', committed('a')],
      ['upstream', transcribed('a', { type: 'tokens', input_tokens: 9, output_tokens: 4 })],
      ['caller', appended],
      ['upstream', committed('b')],
    );
    expect(meter.usage().usage.surcharges).toHaveLength(1);
    expect(meter.mostUsage().surcharges).toHaveLength(2);
    meter.readUpstream(transcribed('b', { type: 'tokens', input_tokens: 9, output_tokens: 3 }));
    expect(meter.mostUsage().surcharges).toEqual([{ name: 'listens', count: 0, dollarsEach: 7 }]);
  });

  test('transcriptions without a report costs nothing, and none is held where nothing is transcribed', () => {
    const meter = meterOf(
      ['upstream', listening],
      ['caller', appended],
      ['upstream', committed('a')],
      ['upstream', transcribed('a', null)],
    );
    expect(meter.usage()).toMatchObject({ usage: { surcharges: [] }, isEmpty: true });
    expect(meter.mostUsage().surcharges).toEqual([]);
    const silent = meterOf(['caller', appended], ['upstream', committed('a')]);
    expect(silent.mostUsage().surcharges).toEqual([]);
  });

  test('responses that a caller asks for is the one whose limit is held, and no other event asks for one', () => {
    const meter = meterOf(['caller', ask(300)], ['caller', ask(200)]);
    expect(meter.justAsked?.outputLimit).toBe(200);
    meter.readCaller(item('word'));
    expect(meter.justAsked).toBeUndefined();
    expect(meter.mostUsage()).toMatchObject({ audioOutput: 500 });
  });

  test('responses is not held while the first one is, where the upstream began it by itself', () => {
    const meter = meterOf(['caller', ask(300)], ['upstream', created('asked')]);
    expect(meter.uncovered).toBeUndefined();
    meter.readUpstream(created('by itself'));
    expect(meter.uncovered).toMatchObject({ isCovered: false, outputLimit: 4000 });
  });

  test('reports of responses that never began is believed up to the limit that was asked for, else as far as is held ahead', () => {
    const believed = (...events: Parameters<typeof meterOf>) =>
      meterOf(...events, ['upstream', done('one', report(3, 3000))]).usage().usage.output;
    expect(believed(['caller', ask(3000)], ['caller', ask(20)])).toBe(3000);
    const limited = believed(['caller', ask(20)], ['caller', ask(3000)]);
    expect(limited).toBeLessThan(300);
    const unasked = believed();
    expect(unasked).toBeLessThan(300);
    expect(unasked).toBeGreaterThan(limited);
  });

  test('ends of a response that never began and has no report changes nothing', () => {
    const meter = meterOf(['upstream', done('one', null)], ['upstream', done('two', null)]);
    expect(meter.usage()).toMatchObject({
      usage: { input: 0, output: 0 },
      isEmpty: true,
      isEstimated: false,
    });
  });

  test('updates of a session leaves what it does not name as the first one said', () => {
    const tools = [{ type: 'function', name: 'a_tool_of_the_session', parameters: { type: 'object' } }];
    const whole = { instructions: words(50), tools };
    const input = (...updates: object[]) =>
      meterOf(
        ...updates.map((session): ['upstream', object] => ['upstream', { type: 'session.updated', session }]),
      ).usageWithNext().input;
    const both = input(whole);
    expect(both).toBeGreaterThan(60);
    expect(input(whole, { voice: 'alloy' })).toBe(both);
    expect(input(whole, { tools })).toBe(both);
    expect(input(whole, { instructions: words(50) }, {})).toBe(both);
    expect(input(whole, { instructions: words(20) })).toBe(both - 30);

    const limits = { max_output_tokens: 300, output_modalities: ['text'] };
    const limited = meterOf(
      ['upstream', { type: 'session.updated', session: limits }],
      ['upstream', { type: 'session.updated', session: {} }],
      ['caller', { type: 'response.create' }],
    );
    expect(limited.mostUsage()).toMatchObject({ output: 300, audioOutput: 0 });
  });

  test('updates of a session leaves the formats of its audio, under the names of either API', () => {
    const telephone = { format: { type: 'audio/pcmu' } };
    for (const session of [
      { audio: { input: telephone, output: telephone } },
      { input_audio_format: 'g711_ulaw', output_audio_format: 'g711_ulaw' },
    ]) {
      const meter = meterOf(
        ['upstream', { type: 'session.created', session }],
        ['upstream', { type: 'session.updated', session: { voice: 'alloy' } }],
        ['caller', appended],
        ['caller', { type: 'input_audio_buffer.commit' }],
        ['upstream', committed('a')],
        ['upstream', created('one')],
        ['upstream', { type: 'response.output_audio.delta', response_id: 'one', delta: appended.audio }],
      );
      // 48,000 bytes are six seconds.
      expect(meter.usage().usage).toMatchObject({ audioInput: 60, audioOutput: 120 });
    }
  });

  test('updates of a session that transcribes leaves it one', () => {
    const meter = meterOf(
      ['upstream', { type: 'session.created', session: { type: 'transcription' } }],
      ['upstream', { type: 'session.updated', session: {} }],
      ['caller', appended],
      ['upstream', committed('a')],
    );
    expect(meter.usage()).toMatchObject({ usage: { audioInput: 10 }, isEmpty: false });
  });

  test('items of a response’s own input is read beside the first, in each class', () => {
    const audio = { type: 'input_audio', audio: 'A'.repeat(64_000) };
    const image = { type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'low' };
    const own = (...content: object[]) => ({ type: 'message', content });
    const inputOf = (...input: object[]) =>
      meterOf(['caller', { type: 'response.create', response: { input } }]).usage().usage;
    const one = inputOf(own({ type: 'input_text', text: words(40) }, audio, image));
    expect(one).toMatchObject({ input: 46, audioInput: 10 });
    expect(one.imageInput).toBeGreaterThan(0);
    expect(
      inputOf(own({ type: 'input_text', text: words(40) }, audio, image), own(audio, audio, image)),
    ).toMatchObject({
      input: 49,
      audioInput: 30,
      imageInput: 2 * one.imageInput,
    });
    expect(inputOf(own({ type: 'output_audio', transcript: words(40) }))).toMatchObject({ input: 46 });
    const call = { type: 'function_call', name: words(20), arguments: words(30) };
    expect(inputOf(call)).toMatchObject({ input: 3 + 3 + 20 + 30 });
  });

  test('responses reads pictures and speech that came before and after the first one began', () => {
    const image = { type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'low' };
    const seen = { type: 'conversation.item.create', item: { type: 'message', content: [image] } };
    const picture = meterOf(['caller', seen]).usageWithNext().imageInput;
    const meter = meterOf(
      ['caller', seen],
      ['upstream', created('one')],
      ['caller', seen],
      ['caller', appended],
      ['upstream', committed('a')],
      [
        'upstream',
        done('one', {
          input_tokens: picture + 3,
          output_tokens: 8,
          input_token_details: { image_tokens: picture },
          output_token_details: { audio_tokens: 8 },
        }),
      ],
    );
    const before = meter.usage().usage;
    const next = meter.usageWithNext();
    expect(next.imageInput - before.imageInput).toBe(2 * picture);
    expect(next.audioInput - before.audioInput).toBe(8 + 10);
  });

  test('answers without a report is added to what the next response hears', () => {
    const speech = (id: string): ['upstream', object][] => [
      ['upstream', created(id)],
      ['upstream', { type: 'response.output_audio.delta', response_id: id, delta: appended.audio }],
      ['upstream', done(id, null)],
    ];
    const meter = meterOf(...speech('one'), ...speech('two'));
    // A second of audio of the model is twenty tokens.
    expect(meter.usageWithNext().audioInput - meter.usage().usage.audioInput).toBe(40);
  });

  test('limits that says nothing leaves the first one, and one of a single token is one', () => {
    const outputLimit = (...limits: unknown[]) =>
      meterOf(
        ...limits.map((max_output_tokens): ['upstream', object] => [
          'upstream',
          { type: 'session.updated', session: { max_output_tokens } },
        ]),
        ['caller', { type: 'response.create' }],
      ).justAsked?.outputLimit;
    expect(outputLimit(300, null)).toBe(300);
    expect(outputLimit(300, 1)).toBe(1);
    expect(outputLimit(300, 0)).toBe(4000);
    expect(outputLimit(300, 'inf')).toBe(4000);
  });

  test('stretches of speech that were heard are believed in a transcription', () => {
    const meter = meterOf(
      ['upstream', listening],
      ...['a', 'b'].flatMap((id): ['caller' | 'upstream', object][] => [
        ['caller', { ...appended, audio: 'A'.repeat(64_000_000) }],
        ['upstream', committed(id)],
      ]),
      ['upstream', transcribed('b', { type: 'tokens', input_tokens: 100_000, output_tokens: 1 })],
    );
    // Each is a thousand seconds.
    expect(meter.usage()).toMatchObject({ doubts: [] });
  });
});
