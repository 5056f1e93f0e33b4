// AWS Signature Version 4, for requests with a complete body.
import type { UnsignedRequest } from '#server/models/providers/provider.ts';
import { hmacSha256, sha256Hex } from './hashes.ts';

export interface AwsCredentials {
  accessKey: string;
  secretKey: string;
  region: string;
  /** Temporary credentials only. */
  sessionToken?: string;
}

/** The headers to add. Host, date, session token and body are signed. */
export function signAws(
  { method, url, body }: Pick<UnsignedRequest, 'method' | 'url' | 'body'>,
  { accessKey, secretKey, region, sessionToken }: AwsCredentials,
  service: string,
  now: Date,
): Record<string, string> {
  const time = now.toISOString().replaceAll(/[-:]|\.\d{3}/g, '');
  const day = time.slice(0, 8);
  const bodyHash = sha256Hex(body);
  const added: Record<string, string> = {
    'x-amz-date': time,
    ...(sessionToken === undefined ? {} : { 'x-amz-security-token': sessionToken }),
  };
  const signed = Object.entries({ host: url.host, ...added }).sort(([left], [right]) =>
    left < right ? -1 : 1,
  );
  const names = signed.map(([name]) => name).join(';');
  const canonical = [
    method,
    canonicalPath(url.pathname),
    canonicalQuery(url.searchParams),
    ...signed.map(([name, value]) => `${name}:${value.trim()}`),
    '',
    names,
    bodyHash,
  ].join('\n');
  const scope = `${day}/${region}/${service}/aws4_request`;
  const toSign = ['AWS4-HMAC-SHA256', time, scope, sha256Hex(canonical)].join('\n');
  const dayKey = hmacSha256(`AWS4${secretKey}`, day);
  const key = hmacSha256(hmacSha256(hmacSha256(dayKey, region), service), 'aws4_request');
  const signature = hmacSha256(key, toSign).toString('hex');
  return {
    ...added,
    Authorization: `AWS4-HMAC-SHA256 Credential=${accessKey}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
  };
}

/** The path is encoded once for the request and once more for the signature. */
function canonicalPath(path: string): string {
  return path.split('/').map(encoded).join('/') || '/';
}

function canonicalQuery(query: URLSearchParams): string {
  return [...query]
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .sort()
    .join('&');
}

function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
