// The duration of an uploaded recording, read from its container or estimated from its size.
import { usageOf } from '#server/money/prices/usage.ts';
import type { Estimate } from './request-size.ts';

/** 32 kbit/s: the usual rate of phones and browsers. */
const GUESSED_BYTES_PER_SECOND = 4000;
const TOKENS_PER_MINUTE = 1000;
const TEXT_PER_AUDIO_TOKEN = 0.3;

export function recordingEstimate(estimate: Estimate, file: Uint8Array): Estimate {
  const buffer = Buffer.from(file.buffer, file.byteOffset, file.length);
  const seconds = recordingSeconds(buffer);
  const tokens = Math.ceil(
    (Math.ceil(seconds ?? buffer.length / GUESSED_BYTES_PER_SECOND) * TOKENS_PER_MINUTE) / 60,
  );
  return {
    ...estimate,
    promptTokens: tokens,
    unreported: usageOf({ input: tokens }),
    // Models that report tokens count the text too: fast speech is under 300 tokens a minute.
    most: usageOf({ input: tokens, output: Math.ceil(tokens * TEXT_PER_AUDIO_TOKEN) }),
    isExact: seconds !== undefined,
  };
}

export function recordingSeconds(file: Buffer): number | undefined {
  const magic = file.toString('latin1', 0, 12);
  if (magic.startsWith('RIFF') && magic.endsWith('WAVE')) return wavSeconds(file);
  if (magic.startsWith('fLaC')) return flacSeconds(file);
  if (magic.startsWith('OggS')) return oggSeconds(file);
  if (magic.slice(4, 8) === 'ftyp') return mp4Seconds(file);
  if (magic.startsWith('ID3') || (file[0] === 0xff && ((file[1] ?? 0) & 0xe0) === 0xe0))
    return mp3Seconds(file);
  return undefined;
}

function wavSeconds(file: Buffer): number | undefined {
  let bytesPerSecond = 0;
  for (let at = 12; at + 8 <= file.length;) {
    const name = file.toString('latin1', at, at + 4);
    const size = file.readUInt32LE(at + 4);
    if (name === 'fmt ' && at + 20 <= file.length) bytesPerSecond = file.readUInt32LE(at + 16);
    if (name === 'data') {
      // Streaming recorders write no size.
      const bytes = Math.min(size, file.length - at - 8);
      return bytesPerSecond > 0 ? bytes / bytesPerSecond : undefined;
    }
    at += 8 + size + (size % 2);
  }
  return undefined;
}

function flacSeconds(file: Buffer): number | undefined {
  if (file.length < 26) return undefined;
  const rate = file.readUIntBE(18, 3) >> 4;
  const samples = ((file[21] ?? 0) & 0x0f) * 2 ** 32 + file.readUInt32BE(22);
  return rate > 0 && samples > 0 ? samples / rate : undefined;
}

/** The last page carries the total sample count; Opus always counts at 48 kHz. */
function oggSeconds(file: Buffer): number | undefined {
  const last = file.lastIndexOf('OggS');
  if (last < 0 || last + 14 > file.length) return undefined;
  const samples = Number(file.readBigUInt64LE(last + 6));
  const vorbis = file.indexOf('\u0001vorbis', 0, 'latin1');
  const rate = vorbis >= 0 && vorbis + 16 <= file.length ? file.readUInt32LE(vorbis + 12) : 48_000;
  return rate > 0 && Number.isSafeInteger(samples) && samples > 0 ? samples / rate : undefined;
}

function mp4Seconds(file: Buffer): number | undefined {
  const at = file.indexOf('mvhd');
  if (at < 0 || at + 36 > file.length) return undefined;
  const isLong = file[at + 4] === 1;
  const scale = file.readUInt32BE(at + (isLong ? 24 : 16));
  const duration = isLong ? Number(file.readBigUInt64BE(at + 28)) : file.readUInt32BE(at + 20);
  return scale > 0 && duration > 0 ? duration / scale : undefined;
}

const MP3_RATES = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 0];
const MP3_LOW_RATES = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160, 0];
const MP3_SAMPLES = [44_100, 48_000, 32_000, 0];

/** Layer III: the frame count of a Xing header, else the bit rate of the first frame over the whole file. */
function mp3Seconds(file: Buffer): number | undefined {
  let at = 0;
  if (file.toString('latin1', 0, 3) === 'ID3' && file.length > 10) {
    at = 10 + (((file[6] ?? 0) << 21) | ((file[7] ?? 0) << 14) | ((file[8] ?? 0) << 7) | (file[9] ?? 0));
  }
  const header = at + 4 <= file.length ? file.readUInt32BE(at) : 0;
  if (header >>> 21 !== 0x7ff) return undefined;
  const isVersion1 = ((header >>> 19) & 3) === 3;
  const rate = (isVersion1 ? MP3_RATES : MP3_LOW_RATES)[(header >>> 12) & 15] ?? 0;
  const base = MP3_SAMPLES[(header >>> 10) & 3] ?? 0;
  const samples = isVersion1 ? base : ((header >>> 19) & 3) === 2 ? base / 2 : base / 4;
  if (rate === 0 || samples === 0) return undefined;
  const xing = file.indexOf('Xing', at) >= 0 ? file.indexOf('Xing', at) : file.indexOf('Info', at);
  if (xing > at && xing < at + 200 && xing + 12 <= file.length && (file.readUInt32BE(xing + 4) & 1) === 1) {
    return (file.readUInt32BE(xing + 8) * (isVersion1 ? 1152 : 576)) / samples;
  }
  return ((file.length - at) * 8) / (rate * 1000);
}
