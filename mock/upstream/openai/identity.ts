// Ids, times and small constants every endpoint uses.
import { unixSeconds } from '#contract/time.ts';

let counter = 0;
const processTag = crypto.randomUUID().replaceAll('-', '').slice(0, 12);

/** As long as OpenAI's own, unique within and across mock processes. */
export function uniqueId(prefix: string): string {
  counter += 1;
  return `${prefix}${processTag}${counter.toString(36).padStart(12, '0')}`;
}

let cachedSeconds = 0;
let cachedAt = 0;

export function nowSeconds(): number {
  const now = performance.now();
  if (now - cachedAt > 250 || cachedSeconds === 0) {
    cachedAt = now;
    cachedSeconds = unixSeconds();
  }
  return cachedSeconds;
}

const modelTexts = new Map<string, string>();

/** The model name as JSON text, without the `@preset` that steers the mock. */
export function publicModel(model: string): string {
  let text = modelTexts.get(model);
  if (text === undefined) {
    text = JSON.stringify(model.split('@')[0] ?? model);
    if (modelTexts.size < 1000) modelTexts.set(model, text);
  }
  return text;
}

/** A 16-bit mono WAV of a tenth of a second of silence, base64. */
export const silentWav: Uint8Array = makeSilentWav(24_000, 2_400);
export const silence: string = Buffer.from(silentWav).toString('base64');
/** The same without the file's head. */
export const silentPcm: string = Buffer.from(silentWav.subarray(44)).toString('base64');

function makeSilentWav(samplesPerSecond: number, samples: number): Uint8Array {
  const wav = Buffer.alloc(44 + samples * 2);
  wav.write('RIFF', 0);
  wav.writeUInt32LE(36 + samples * 2, 4);
  wav.write('WAVEfmt ', 8);
  wav.writeUInt32LE(16, 16);
  wav.writeUInt16LE(1, 20);
  wav.writeUInt16LE(1, 22);
  wav.writeUInt32LE(samplesPerSecond, 24);
  wav.writeUInt32LE(samplesPerSecond * 2, 28);
  wav.writeUInt16LE(2, 32);
  wav.writeUInt16LE(16, 34);
  wav.write('data', 36);
  wav.writeUInt32LE(samples * 2, 40);
  return wav;
}

/** A one-pixel PNG, base64. */
export const PIXEL_PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
