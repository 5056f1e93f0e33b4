// Amazon Bedrock's Converse: one format for the models of every vendor.
import type { UpstreamCodec } from '#server/models/formats/codec.ts';
import { decodeError, decodeResponse, decodeStream } from './answer.ts';
import { encodeRequest } from './request.ts';

export const bedrockConverse: UpstreamCodec = { encodeRequest, decodeResponse, decodeStream, decodeError };
