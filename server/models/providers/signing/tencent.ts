// Tencent Cloud's signature (TC3-HMAC-SHA256) for JSON sent by POST to the root of a service.
import type { UnsignedRequest } from '#server/models/providers/provider.ts';
import { hmacSha256, sha256Hex } from './hashes.ts';

export interface TencentCredentials {
  secretId: string;
  secretKey: string;
}

const CONTENT_TYPE = 'application/json';

export function signTencent(
  { url, body }: Pick<UnsignedRequest, 'url' | 'body'>,
  { secretId, secretKey }: TencentCredentials,
  service: string,
  now: Date,
): Record<string, string> {
  const timestamp = Math.floor(now.getTime() / 1000);
  const day = now.toISOString().slice(0, 10);
  const names = 'content-type;host';
  const canonical = [
    'POST',
    '/',
    '',
    `content-type:${CONTENT_TYPE}`,
    `host:${url.host}`,
    '',
    names,
    sha256Hex(body),
  ].join('\n');
  const scope = `${day}/${service}/tc3_request`;
  const toSign = ['TC3-HMAC-SHA256', timestamp, scope, sha256Hex(canonical)].join('\n');
  const key = hmacSha256(hmacSha256(hmacSha256(`TC3${secretKey}`, day), service), 'tc3_request');
  const signature = hmacSha256(key, toSign).toString('hex');
  return {
    'X-TC-Timestamp': String(timestamp),
    Authorization: `TC3-HMAC-SHA256 Credential=${secretId}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
  };
}
