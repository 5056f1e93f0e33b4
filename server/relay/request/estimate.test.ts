import { describe, expect, test } from 'bun:test';
import * as fc from 'fast-check';
import { faultSeen } from '#tests/support/fault-report.ts';
import { estimateTokens } from './estimate.ts';
import { tokensOfContent, tokensOfEvents } from '#server/relay/answer/event-text.ts';
import { recordingSeconds } from './audio-length.ts';
import { chatEstimate, completionEstimate, geminiEstimate, rerankEstimate } from './request-size.ts';

describe('guessed tokens', () => {
  // Counts of the o200k tokenizer for the same texts.
  test.each([
    ['Hello, world!', 4],
    ['The quick brown fox jumps over the lazy dog.', 10],
    ['你好，世界', 4],
    ['function add(a, b) { return a + b; }', 14],
    ['1234567890', 4],
    ['', 0],
  ])('%p is near %p', (text, tokens) => {
    const guess = estimateTokens(text);
    expect(guess).toBeGreaterThanOrEqual(Math.floor(tokens * 0.6));
    expect(guess).toBeLessThanOrEqual(Math.ceil(tokens * 1.6));
  });

  test('one word with its space is one token: what upstreams send as one piece', () => {
    for (const piece of ['Hello', '!', ' I', ' am', ' steady', ' answer', '.', ','])
      expect(estimateTokens(piece)).toBe(1);
  });

  test('D14 fifty megabytes of one letter, of emoji or of mixed text take no time (plan D14)', () => {
    let slowest = 0;
    for (const unit of ['a', '😀', 'word 字, ']) {
      const text = unit.repeat(Math.floor(50_000_000 / unit.length));
      // Joined beforehand: the repeated text exists only on paper until somebody reads it.
      expect(text.charCodeAt(text.length - 1)).toBeGreaterThan(0);
      const begun = process.cpuUsage();
      const guess = estimateTokens(text);
      // Processor time: other programs on the machine do not count.
      const microseconds = process.cpuUsage(begun).user;
      expect(microseconds).toBeLessThan(200_000);
      expect(guess).toBeGreaterThan(text.length / 20);
      slowest = Math.max(slowest, microseconds);
    }
    faultSeen(
      'D14',
      `50 MB of one letter, of emoji, of mixed text: at most ${Math.round(slowest / 1000)} ms of processor time`,
    );
  });

  test('samples of a long text agree with the whole', () => {
    const unit = 'The quick brown fox, 12 dogs and 世界. ';
    const long = unit.repeat(20_000);
    const whole = estimateTokens(unit) * 20_000;
    expect(Math.abs(estimateTokens(long) - whole) / whole).toBeLessThan(0.05);
  });
});

describe('how often a limit of the answer applies', () => {
  test('to every answer that the upstream writes, also to those it does not send', () => {
    const choices = (fields: object) => completionEstimate({ prompt: 'Hello', ...fields }).choices;
    expect(choices({})).toBe(1);
    expect(choices({ n: 3 })).toBe(3);
    expect(choices({ n: 2, best_of: 5 })).toBe(5);
    expect(choices({ n: 2, best_of: 0 })).toBe(2);
    expect(choices({ best_of: null })).toBe(1);
    expect(chatEstimate({ messages: [], n: 4 }).choices).toBe(4);
    expect(geminiEstimate({ contents: [], generationConfig: { candidateCount: 2 } }).choices).toBe(2);
  });

  test('a ranker reads the query with each document', () => {
    const query = 'What is a toll gate?';
    const documents = ['A gate.', 'A road with a gate.', 'Nothing.'];
    const alone = estimateTokens(query);
    const read = documents.reduce((sum, text) => sum + estimateTokens(text), 0);
    const { promptTokens, most } = rerankEstimate({ query, documents });
    expect(promptTokens).toBe(alone + read);
    expect(most.input).toBe(Math.ceil((alone * 3 + read) * 1.5));
  });
});

describe('length of a recording', () => {
  test('WAV, FLAC, Ogg Opus, MP4 and MP3', () => {
    const wav = Buffer.alloc(44 + 16_000);
    wav.write('RIFF\0\0\0\0WAVEfmt ');
    wav.writeUInt32LE(16, 16);
    wav.writeUInt32LE(8000, 28);
    wav.write('data', 36);
    wav.writeUInt32LE(16_000, 40);
    expect(recordingSeconds(wav)).toBe(2);

    const flac = Buffer.alloc(42);
    flac.write('fLaC');
    flac.writeUIntBE(16_000 << 4, 18, 3);
    flac.writeUInt32BE(48_000, 22);
    expect(recordingSeconds(flac)).toBe(3);

    const ogg = Buffer.alloc(100);
    ogg.write('OggS');
    ogg.write('OggS', 50);
    ogg.writeBigUInt64LE(240_000n, 56);
    expect(recordingSeconds(ogg)).toBe(5);

    const mp4 = Buffer.alloc(100);
    mp4.write('ftypM4A ', 4);
    mp4.write('mvhd', 40);
    mp4.writeUInt32BE(1000, 56);
    mp4.writeUInt32BE(4500, 60);
    expect(recordingSeconds(mp4)).toBe(4.5);

    // MPEG 1 layer III, 128 kbit/s, 44.1 kHz.
    const mp3 = Buffer.alloc(32_000);
    mp3.writeUInt32BE(0xff_fb_90_00);
    expect(recordingSeconds(mp3)).toBe(2);
  });

  test('an MP3 of changing bit rate is as long as its frames, which its first frame counts (M21)', () => {
    const counted = (marker: string, flags: number, at = 36) => {
      const mp3 = Buffer.alloc(32_000);
      mp3.writeUInt32BE(0xff_fb_90_00);
      mp3.write(marker, at);
      mp3.writeUInt32BE(flags, at + 4);
      mp3.writeUInt32BE(1225, at + 8);
      return recordingSeconds(mp3);
    };
    // 1225 frames of 1152 samples at 44.1 kHz.
    for (const marker of ['Xing', 'Info']) expect(counted(marker, 3)).toBe(32);
    // Without a count, or with the word somewhere in the sound, the bit rate decides.
    expect(counted('Xing', 2)).toBe(2);
    expect([counted('Xing', 3, 199), counted('Xing', 3, 200)]).toEqual([32, 2]);
  });

  test('what is none of them, or cut short, is unknown', () => {
    for (const bytes of [
      Buffer.alloc(0),
      Buffer.from('RIFF....WAVE'),
      Buffer.from('hello'),
      Buffer.from('OggS'),
    ]) {
      expect(recordingSeconds(bytes)).toBeUndefined();
    }
  });
});

const events = fc.array(
  fc.oneof(
    fc.string({ maxLength: 12 }).map((content) => ({ choices: [{ index: 0, delta: { content } }] })),
    fc.string().map((text) => ({ choices: [{ text }] })),
    fc
      .string()
      .map((content) => ({ choices: [{ delta: { role: 'assistant', content } }, { delta: { content } }] })),
    fc.string().map((args) => ({
      choices: [{ delta: { tool_calls: [{ index: 0, function: { arguments: args } }] } }],
    })),
    fc
      .string()
      .map((reasoning) => ({ choices: [{ delta: { content: null, reasoning_content: reasoning } }] })),
    fc.string().map((delta) => ({ type: 'response.output_text.delta', delta })),
    fc.string().map((message) => ({ error: { message } })),
  ),
  { maxLength: 20 },
);

describe('tokens of events', () => {
  test('the short way over the bytes counts what the long way over the objects counts', () => {
    fc.assert(
      fc.property(events, fc.constantFrom('\n', '\r\n', '\r'), (list, end) => {
        const wire = list.map((event) => `data: ${JSON.stringify(event)}${end}${end}`).join('');
        const expected = list.reduce((sum, event) => sum + tokensOfContent(event), 0);
        expect(tokensOfEvents(`${wire}data: [DONE]${end}${end}`)).toBe(expected);
        for (const event of list) {
          expect(tokensOfEvents(`data: ${JSON.stringify(event)}${end}${end}`)).toBe(tokensOfContent(event));
        }
      }),
      { numRuns: 1000 },
    );
  });

  test('M19 an error is not content, and neither are bytes of sound and pictures', () => {
    expect(tokensOfContent({ error: { message: 'a long sentence about nothing' } })).toBe(0);
    expect(tokensOfContent({ type: 'response.audio.delta', delta: 'AAAA' })).toBe(0);
    expect(tokensOfContent({ type: 'response.output_audio.delta', delta: 'AAAA' })).toBe(0);
    expect(tokensOfContent({ type: 'image_generation.partial_image', b64_json: 'AAAA' })).toBe(0);
  });
});
