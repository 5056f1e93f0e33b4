// Gemini's generateContent.
import type { Codec } from '#server/models/formats/codec.ts';
import { decodeResponse, decodeStream } from './decode-answer.ts';
import { decodeRequest } from './decode-request.ts';
import { encodeResponse, encodeStream } from './encode-answer.ts';
import { encodeRequest } from './encode-request.ts';
import { decodeError } from './errors.ts';

export { readGeminiUsage } from './usage.ts';

export const geminiGenerate: Codec = {
  decodeRequest,
  encodeRequest,
  decodeResponse,
  encodeResponse,
  decodeStream,
  encodeStream,
  decodeError,
};
