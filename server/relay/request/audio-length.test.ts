// How long a recording is in each container, to the byte that says so, and what it is charged and held for.
import { describe, expect, test } from 'bun:test';
import { usageOf } from '#server/money/prices/usage.ts';
import { recordingEstimate, recordingSeconds } from './audio-length.ts';
import { transcriptionEstimate } from './request-size.ts';

function wav({ rate = 8000, size = 16_000, length = 16_000, before = '' } = {}): Buffer {
  const chunk = (name: string, body: Buffer, said = body.length) => {
    const head = Buffer.alloc(8);
    head.write(name);
    head.writeUInt32LE(said, 4);
    return Buffer.concat([head, body, Buffer.alloc(said === body.length ? said % 2 : 0)]);
  };
  const format = Buffer.alloc(16);
  format.writeUInt32LE(rate, 8);
  return Buffer.concat([
    Buffer.from('RIFF\0\0\0\0WAVE'),
    ...(before === '' ? [] : [chunk('LIST', Buffer.from(before))]),
    chunk('fmt ', format),
    chunk('data', Buffer.alloc(length), size),
  ]);
}

describe('a WAV file', () => {
  test('is as long as its data says, or as what is there', () => {
    expect(recordingSeconds(wav())).toBe(2);
    // Chunks before it have an even length.
    expect([recordingSeconds(wav({ before: 'odd' })), recordingSeconds(wav({ before: 'even' }))]).toEqual([
      2, 2,
    ]);
    expect(recordingSeconds(wav({ size: 0xff_ff_ff_ff, length: 12_000 }))).toBe(1.5);
    expect(recordingSeconds(wav({ size: 4000, length: 12_000 }))).toBe(0.5);
  });

  test('is unknown without a rate or without data', () => {
    expect(recordingSeconds(wav({ rate: 0 }))).toBeUndefined();
    expect(recordingSeconds(wav().subarray(0, 36))).toBeUndefined();
    expect(recordingSeconds(Buffer.from('RIFF\0\0\0\0WAVX'))).toBeUndefined();
  });
});

test('a FLAC file has its rate and 36 bits of samples', () => {
  const flac = (rate: number, high: number, low: number, length = 42) => {
    const file = Buffer.alloc(length);
    file.write('fLaC');
    file.writeUIntBE(rate << 4, 18, 3);
    file[21] = 0xf0 | high;
    file.writeUInt32BE(low, 22);
    return recordingSeconds(file);
  };
  expect([flac(16_000, 0, 48_000), flac(65_536, 1, 65_536), flac(16_000, 0, 16_000, 26)]).toEqual([
    3, 65_537, 1,
  ]);
  expect([flac(0, 0, 48_000), flac(16_000, 0, 0)]).toEqual([undefined, undefined]);
  expect(recordingSeconds(Buffer.from('fLaC'.padEnd(25, '\0')))).toBeUndefined();
});

test('an Ogg file has the samples of its last page, at the rate of Vorbis or of Opus', () => {
  const ogg = (samples: bigint, vorbis?: number, length = 100) => {
    const file = Buffer.alloc(length);
    file.write('OggS');
    if (vorbis !== undefined) {
      file.write('\u0001vorbis', 20, 'latin1');
      file.writeUInt32LE(vorbis, 32);
    }
    file.write('OggS', 86);
    file.writeBigUInt64LE(samples, 92);
    return recordingSeconds(file);
  };
  expect([ogg(96_000n), ogg(96_000n, 32_000)]).toEqual([2, 3]);
  expect([ogg(0n), ogg(2n ** 60n), ogg(96_000n, 0)]).toEqual([undefined, undefined, undefined]);
  const cut = Buffer.alloc(99);
  cut.write('OggS');
  cut.write('OggS', 86);
  expect(recordingSeconds(cut)).toBeUndefined();
});

test('an MP4 file has its scale and length in one of two widths', () => {
  const mp4 = (version: number, scale: number, duration: number, length = 100) => {
    const file = Buffer.alloc(length);
    file.write('ftypM4A ', 4);
    file.write('mvhd', 40);
    file[44] = version;
    file.writeUInt32BE(scale, version === 1 ? 64 : 56);
    if (version === 1) file.writeBigUInt64BE(BigInt(duration), 68);
    else file.writeUInt32BE(duration, 60);
    return recordingSeconds(file);
  };
  expect([mp4(0, 1000, 4500), mp4(1, 1000, 4500), mp4(0, 1000, 1000, 76)]).toEqual([4.5, 4.5, 1]);
  expect([mp4(0, 0, 4500), mp4(0, 1000, 0)]).toEqual([undefined, undefined]);
  expect(
    recordingSeconds(Buffer.concat([Buffer.from('\0\0\0\0ftypM4A '), Buffer.from('mvhd'.padEnd(35, '\0'))])),
  ).toBeUndefined();
});

describe('an MP3 file', () => {
  const mp3 = (header: number, length = 32_000, tag = Buffer.alloc(0)) => {
    const file = Buffer.alloc(length);
    file.writeUInt32BE(header);
    return recordingSeconds(Buffer.concat([tag, file]));
  };

  test('is as long as its bit rate says', () => {
    // MPEG 1 at 128 and 320 kbit/s, MPEG 2 at 64 and MPEG 2.5 at 8.
    expect([mp3(0xff_fb_90_00), mp3(0xff_fb_e0_00), mp3(0xff_f3_80_00), mp3(0xff_e3_10_00)]).toEqual([
      2, 0.8, 4, 32,
    ]);
    // No rate, a forbidden one, no sample rate, no frame.
    for (const header of [0xff_fb_00_00, 0xff_fb_f0_00, 0xff_fb_9c_00, 0xff_e0_00_00])
      expect(mp3(header)).toBeUndefined();
  });

  test('begins after its tag, whose length has seven bits in each byte', () => {
    const tag = Buffer.alloc(10 + 128 + 5);
    tag.write('ID3');
    tag[8] = 1;
    tag[9] = 5;
    expect(mp3(0xff_fb_90_00, 32_000, tag)).toBe(2);
    const long = Buffer.alloc(10 + 2 ** 14 + 2 ** 21);
    long.write('ID3');
    long[6] = 1;
    long[7] = 1;
    expect(mp3(0xff_fb_90_00, 32_000, long)).toBe(2);
    expect(recordingSeconds(Buffer.from('ID3'))).toBeUndefined();
  });

  test('is as long as the frames that its first one counts, by the samples of its version', () => {
    const counted = (header: number) => {
      const file = Buffer.alloc(4000);
      file.writeUInt32BE(header);
      file.write('Xing', 36);
      file.writeUInt32BE(1, 40);
      file.writeUInt32BE(1000, 44);
      return recordingSeconds(file);
    };
    expect([
      counted(0xff_fb_94_00),
      counted(0xff_fb_98_00),
      counted(0xff_f3_84_00),
      counted(0xff_e3_84_00),
    ]).toEqual([24, 36, 24, 48]);
    expect(counted(0xff_fb_90_00)).toBeCloseTo((1000 * 1152) / 44_100, 9);
  });
});

describe('a transcription', () => {
  const estimate = (file: Uint8Array) => recordingEstimate(transcriptionEstimate({ prompt: 'x' }), file);

  test('is charged a thousand tokens a minute, by whole seconds, and held with its text', () => {
    // 61 seconds: 1,016.7 tokens.
    expect(estimate(wav({ rate: 10, size: 601, length: 601 }))).toStrictEqual({
      promptTokens: 1017,
      pieces: 1,
      choices: 1,
      unreported: usageOf({ input: 1017 }),
      isExact: true,
      most: usageOf({ input: 1017, output: 306 }),
    });
  });

  test('of unknown length is estimated by its size, at 4,000 bytes a second', () => {
    const { promptTokens, isExact } = estimate(Buffer.alloc(240_001));
    expect([promptTokens, isExact]).toEqual([1017, false]);
    expect(estimate(Buffer.alloc(240_000)).promptTokens).toBe(1000);
  });

  test('is read where the file is inside of the upload', () => {
    const whole = Buffer.concat([Buffer.alloc(7), wav(), Buffer.alloc(9)]);
    expect(estimate(whole.subarray(7, whole.length - 9)).promptTokens).toBe(34);
  });
});
