// An S3-compatible storage through the one door: its address is checked, and a redirect is an error, never followed.
import { open } from 'node:fs/promises';
import { ConnectionError } from './connection-error.ts';
import type { Egress } from './egress.ts';
import { readAll, type Answer, type OutboundCall } from './http-call.ts';
import { signedAddress, type S3Options, type S3Request } from './s3-address.ts';

export type { S3Options } from './s3-address.ts';

export interface S3 {
  put(key: string, content: Blob | Uint8Array, type: string): Promise<void>;
  /** An address that can be read for a few minutes. */
  address(key: string): string;
  /** Keys in their order. */
  list(): Promise<string[]>;
  remove(key: string): Promise<void>;
  exists(key: string): Promise<boolean>;
  /** Writes the object into a file of this machine. */
  save(key: string, file: string): Promise<void>;
}

const DEADLINE_SECONDS = 600;
const TIMEOUTS = { firstByteSeconds: DEADLINE_SECONDS, idleSeconds: 60, totalSeconds: DEADLINE_SECONDS };
const MOST_ATTEMPTS = 3;
const MOST_LISTED = 1000;
/** Larger objects go in parts, of which a storage takes 10,000; one part at a time is in memory. */
const PART_BYTES = 64 * 1024 ** 2;
const ANSWER_LIMIT_BYTES = 4 * 1024 ** 2;

interface Sent extends S3Request {
  body?: Uint8Array;
  type?: string;
}

/** `options` are read for each call, because they are settings. Objects are in `folder`; blank: in the bucket itself. */
export function createS3(
  options: () => S3Options,
  folder: string,
  egress: Pick<Egress, 'target' | 'open'>,
): S3 {
  const objectOf = (key: string) => (folder === '' ? key : `${folder}/${key}`);

  function addressOf(request: S3Request): URL {
    const given = options();
    const { endpoint, bucket, accessKeyId, secretAccessKey } = given;
    if ([endpoint, bucket, accessKeyId, secretAccessKey].includes(''))
      throw new Error('the S3 storage is not set up');
    if (!URL.canParse(endpoint)) throw new Error('the address of the S3 storage is not valid');
    return signedAddress(given, request, DEADLINE_SECONDS, new Date());
  }

  async function send({ body, type, ...request }: Sent): Promise<{ call: OutboundCall; answer: Answer }> {
    const url = addressOf(request);
    const target = await egress.target('system', url.origin);
    const headers = new Headers(type === undefined ? {} : { 'Content-Type': type });
    const path = url.pathname + url.search;
    for (let attempt = 1; ; attempt += 1) {
      const call = egress.open(target, { method: request.method, path, headers, body, timeouts: TIMEOUTS });
      try {
        return { call, answer: await call.answer };
      } catch (error) {
        // Every request may be sent again; a storage often closes a kept connection just when it is used.
        const isBroken = error instanceof ConnectionError && ['closed', 'connect'].includes(error.reason);
        if (!isBroken || attempt === MOST_ATTEMPTS) throw error;
      }
    }
  }

  /** The text of a good answer. */
  async function ask(sent: Sent): Promise<{ text: string; answer: Answer }> {
    const { call, answer } = await send(sent);
    const text = (await readAll(call, answer, ANSWER_LIMIT_BYTES)).toString('utf8');
    requireGood(answer.status, text);
    return { text, answer };
  }

  return {
    async put(name, content, type) {
      const key = objectOf(name);
      const blob = content instanceof Blob ? content : new Blob([content]);
      if (blob.size > PART_BYTES) return await putParts(ask, key, blob, type);
      await ask({ method: 'PUT', key, body: await blob.bytes(), type });
    },
    address: (name) => addressOf({ method: 'GET', key: objectOf(name) }).href,
    async list() {
      const query = { 'list-type': '2', 'max-keys': String(MOST_LISTED), prefix: objectOf('') };
      const { text } = await ask({ method: 'GET', key: '', query });
      const keys = [...text.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = '']) => unescaped(key));
      return keys.map((key) => key.slice(objectOf('').length)).toSorted();
    },
    async remove(name) {
      await ask({ method: 'DELETE', key: objectOf(name) });
    },
    async exists(name) {
      const { call, answer } = await send({ method: 'HEAD', key: objectOf(name) });
      call.drain();
      if (answer.status === 404) return false;
      requireGood(answer.status, '');
      return true;
    },
    async save(name, file) {
      const { call, answer } = await send({ method: 'GET', key: objectOf(name) });
      if (answer.status !== 200) {
        const text = (await readAll(call, answer, ANSWER_LIMIT_BYTES)).toString('utf8');
        throw new Error(refusalOf(answer.status, text));
      }
      const target = await open(file, 'w', 0o600);
      try {
        for (let piece = await answer.read(); piece !== undefined; piece = await answer.read())
          await target.writeFile(piece);
      } finally {
        await target.close();
        call.abort();
      }
    },
  };
}

async function putParts(
  ask: (sent: Sent) => Promise<{ text: string; answer: Answer }>,
  key: string,
  content: Blob,
  type: string,
): Promise<void> {
  const { text } = await ask({ method: 'POST', key, query: { uploads: '' }, type });
  const uploadId = valueOf(text, 'UploadId');
  if (uploadId === undefined) throw new Error('the S3 storage began no upload');
  try {
    const parts: string[] = [];
    for (let start = 0; start < content.size; start += PART_BYTES) {
      const query = { partNumber: String(parts.length + 1), uploadId };
      const body = await content.slice(start, start + PART_BYTES).bytes();
      const { answer } = await ask({ method: 'PUT', key, query, body });
      const tag = answer.header('etag') ?? '';
      parts.push(`<Part><PartNumber>${query.partNumber}</PartNumber><ETag>${tag}</ETag></Part>`);
    }
    const body = Buffer.from(`<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`);
    const end = await ask({ method: 'POST', key, query: { uploadId }, body, type: 'application/xml' });
    // A storage may answer 200 and say in the text that it failed.
    if (valueOf(end.text, 'Code') !== undefined) throw new Error(refusalOf(200, end.text));
  } catch (error) {
    await ask({ method: 'DELETE', key, query: { uploadId } }).catch(() => undefined);
    throw error;
  }
}

function requireGood(status: number, text: string): void {
  if (status < 200 || status >= 300) throw new Error(refusalOf(status, text));
}

function refusalOf(status: number, text: string): string {
  if (status >= 300 && status < 400)
    return `the S3 storage answered ${status}: it points to another address, and redirects are not followed; set the endpoint and the region it belongs to`;
  const said = [valueOf(text, 'Code'), valueOf(text, 'Message')].filter(Boolean).join(': ').slice(0, 300);
  return `the S3 storage answered ${status}${said === '' ? '' : `: ${said}`}`;
}

const valueOf = (text: string, name: string): string | undefined => {
  const found = new RegExp(`<${name}>([^<]*)</${name}>`).exec(text)?.[1];
  return found === undefined ? undefined : unescaped(found);
};

const MARKS: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function unescaped(text: string): string {
  return text.replaceAll(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (whole, decimal, hex, name: string) => {
    if (decimal !== undefined) return String.fromCodePoint(Number(decimal));
    if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex as string, 16));
    return MARKS[name] ?? whole;
  });
}
