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
