// Addresses of an S3-compatible storage with AWS Signature Version 4 in the query (path style). The platform's client is not
// used: it follows redirects, and would send a backup wherever the storage points.
import { createHash, createHmac } from 'node:crypto';

export interface S3Options {
  endpoint: string;
  bucket: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  /** Temporary credentials only. */
  sessionToken?: string;
}

export interface S3Request {
  method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** Without the bucket; empty: the bucket itself. */
  key: string;
  query?: Readonly<Record<string, string>>;
}

const USUAL_REGION = 'us-east-1';

/** An address that can be used for so many seconds. */
export function signedAddress(options: S3Options, request: S3Request, seconds: number, now: Date): URL {
  const { accessKeyId, secretAccessKey, bucket, sessionToken } = options;
  const region = options.region || USUAL_REGION;
  const url = new URL(options.endpoint);
  const time = now.toISOString().replaceAll(/[-:]|\.\d{3}/g, '');
  const day = time.slice(0, 8);
  const scope = `${day}/${region}/s3/aws4_request`;
  const segments = [...url.pathname.split('/').filter(Boolean), bucket, ...request.key.split('/')];
  url.pathname = `/${segments.filter(Boolean).map(encoded).join('/')}`;
  const query = Object.entries({
    ...request.query,
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': `${accessKeyId}/${scope}`,
    'X-Amz-Date': time,
    'X-Amz-Expires': String(seconds),
    ...(sessionToken === undefined ? {} : { 'X-Amz-Security-Token': sessionToken }),
    'X-Amz-SignedHeaders': 'host',
  })
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .toSorted()
    .join('&');
  const canonical = [
    request.method,
    url.pathname,
    query,
    `host:${url.host}`,
    '',
    'host',
    'UNSIGNED-PAYLOAD',
  ].join('\n');
  const digest = createHash('sha256').update(canonical).digest('hex');
  const toSign = ['AWS4-HMAC-SHA256', time, scope, digest].join('\n');
  const keyed = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
  const signingKey = [region, 's3', 'aws4_request'].reduce(keyed, keyed(`AWS4${secretAccessKey}`, day));
  url.search = `${query}&X-Amz-Signature=${keyed(signingKey, toSign).toString('hex')}`;
  return url;
}

function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
