// OpenAI's Responses API.
import type { Codec } from '#server/models/formats/codec.ts';
import { decodeError, decodeResponse, decodeStream } from './decode-answer.ts';
import { encodeResponse } from './encode-answer.ts';
import { encodeStream } from './encode-stream.ts';
import { decodeRequest, encodeRequest } from './request.ts';

export const openAiResponses: Codec = {
  decodeRequest,
  encodeRequest,
  decodeResponse,
  encodeResponse,
  decodeStream,
  encodeStream,
  decodeError,
};
