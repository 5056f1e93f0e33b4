// Anthropic's Messages API.
import type { Codec } from '#server/models/formats/codec.ts';
import { decodeResponse, decodeStream } from './decode-answer.ts';
import { decodeRequest } from './decode-request.ts';
import { encodeResponse } from './encode-answer.ts';
import { encodeRequest } from './encode-request.ts';
import { encodeStream } from './encode-stream.ts';
import { decodeError } from './errors.ts';

export { mergeAnthropicUsage, readAnthropicUsage } from './usage.ts';

export const anthropicMessages: Codec = {
  decodeRequest,
  encodeRequest,
  decodeResponse,
  encodeResponse,
  decodeStream,
  encodeStream,
  decodeError,
};
