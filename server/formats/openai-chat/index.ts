// OpenAI's chat completions.
import type { Codec } from '#server/formats/codec.ts';
import { decodeError, decodeResponse, decodeStream, encodeResponse, encodeStream } from './answer.ts';
import { decodeRequest, encodeRequest } from './request.ts';

export const openAiChat: Codec = {
  decodeRequest,
  encodeRequest,
  decodeResponse,
  encodeResponse,
  decodeStream,
  encodeStream,
  decodeError,
};
