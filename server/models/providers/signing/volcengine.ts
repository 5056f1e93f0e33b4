// Volcengine's signature of requests with a complete body: HMAC-SHA256 over a canonical request, like AWS with other names.
import type { UnsignedRequest } from '#server/models/providers/provider.ts';
import { hmacSha256, sha256Hex } from './hashes.ts';

export interface VolcengineCredentials {
  readonly accessKey: string;
  readonly secretKey: string;
  readonly region: string;
  readonly service: string;
}

const CONTENT_TYPE = 'application/json';

/** The headers to add. Host, date, type and body are signed. */
export function signVolcengine(
  { method, url, body }: Pick<UnsignedRequest, 'method' | 'url' | 'body'>,
  { accessKey, secretKey, region, service }: VolcengineCredentials,
  now: Date,
): Record<string, string> {
  const time = now.toISOString().replaceAll(/[-:]|\.\d{3}/g, '');
  const day = time.slice(0, 8);
  const bodyHash = sha256Hex(body);
  const signed = [
    ['content-type', CONTENT_TYPE],
    ['host', url.host],
    ['x-content-sha256', bodyHash],
    ['x-date', time],
  ] as const;
  const names = signed.map(([name]) => name).join(';');
  const query = [...url.searchParams]
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .sort()
    .join('&');
  const canonical = [
    method,
    url.pathname,
    query,
    ...signed.map(([name, value]) => `${name}:${value}`),
    '',
    names,
    bodyHash,
  ].join('\n');
  const scope = `${day}/${region}/${service}/request`;
  const toSign = ['HMAC-SHA256', time, scope, sha256Hex(canonical)].join('\n');
  const dayKey = hmacSha256(secretKey, day);
  const key = hmacSha256(hmacSha256(hmacSha256(dayKey, region), service), 'request');
  const signature = hmacSha256(key, toSign).toString('hex');
  return {
    'X-Date': time,
    'X-Content-Sha256': bodyHash,
    'Content-Type': CONTENT_TYPE,
    Authorization: `HMAC-SHA256 Credential=${accessKey}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
  };
}
