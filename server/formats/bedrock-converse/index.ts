// Amazon Bedrock's Converse: one shape for the models of every maker it serves.
import type { UpstreamCodec } from '#server/formats/codec.ts';
import { decodeError, decodeResponse, decodeStream } from './answer.ts';
import { encodeRequest } from './request.ts';

export const bedrockConverse: UpstreamCodec = { encodeRequest, decodeResponse, decodeStream, decodeError };
