// OpenAI's chat completions.
import type { Codec } from '#server/models/formats/codec.ts';
import { decodeError, decodeResponse, decodeStream } from './decode-answer.ts';
import { decodeRequest } from './decode-request.ts';
import { encodeResponse } from './encode-answer.ts';
import { encodeRequest } from './encode-request.ts';
import { encodeStream } from './encode-stream.ts';

export const openAiChat: Codec = {
  decodeRequest,
  encodeRequest,
  decodeResponse,
  encodeResponse,
  decodeStream,
  encodeStream,
  decodeError,
};
