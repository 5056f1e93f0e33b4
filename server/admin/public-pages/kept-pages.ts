// Rendered pages in memory, by address, language and encoding. An entry is used until something it was made from changes or its
// time is over; two requests for the same page render it once.
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { parseAccept } from 'hono/utils/accept';
import type { PageContent } from './page.ts';

const KEPT_MS = 2000;
const MOST_BYTES = 32 * 1024 * 1024;
const HTML = 'text/html; charset=utf-8';

const ENCODINGS = ['br', 'gzip'] as const;
type Encoding = (typeof ENCODINGS)[number] | 'identity';
const brotli = promisify(brotliCompress);
const gzipped = promisify(gzip);

export interface KeptPage {
  readonly status: number;
  readonly type: string;
  readonly digest: string;
  readonly plain: Uint8Array<ArrayBuffer>;
  /** Compressed once for a year, so as small as it can be. */
  readonly isImmutable: boolean;
  readonly bodies: Map<Encoding, Promise<Uint8Array<ArrayBuffer>>>;
}

interface Entry {
  readonly page: Promise<KeptPage | undefined>;
  readonly until: number;
  bytes: number;
}

export interface KeptPages {
  find(
    key: string,
    render: () => Promise<PageContent | undefined> | PageContent | undefined,
  ): Promise<KeptPage | undefined>;
  /** Something that pages are made from has changed. */
  clear(): void;
}

export function keepPages(): KeptPages {
  const entries = new Map<string, Entry>();
  let bytes = 0;

  function remove(key: string): void {
    bytes -= entries.get(key)?.bytes ?? 0;
    entries.delete(key);
  }

  async function renderPage(
    render: () => Promise<PageContent | undefined> | PageContent | undefined,
  ): Promise<KeptPage | undefined> {
    const content = await render();
    return content && asKept(content);
  }

  return {
    async find(key, render) {
      const known = entries.get(key);
      if (known !== undefined && known.until > performance.now()) return await known.page;
      remove(key);
      const entry: Entry = { page: renderPage(render), until: performance.now() + KEPT_MS, bytes: 0 };
      entries.set(key, entry);
      const page = await entry.page.catch((error: unknown) => {
        if (entries.get(key) === entry) remove(key);
        throw error;
      });
      if (entries.get(key) !== entry) return page;
      // Addresses that do not exist are without number.
      if (page?.status !== 200) remove(key);
      else {
        entry.bytes = page.plain.byteLength + key.length;
        bytes += entry.bytes;
        for (const oldest of entries.keys()) {
          if (bytes <= MOST_BYTES) break;
          remove(oldest);
        }
      }
      return page;
    },
    clear() {
      entries.clear();
      bytes = 0;
    },
  };
}

export function asKept(
  { body, type = HTML, status = 200 }: PageContent,
  { isImmutable = false } = {},
): KeptPage {
  const plain = new TextEncoder().encode(body);
  const digest = createHash('sha256').update(plain).digest('base64url').slice(0, 22);
  return { status, type, digest, plain, isImmutable, bodies: new Map() };
}

/** The response for one request: not modified, or the body in an encoding the caller reads. */
export async function respondKept(
  page: KeptPage,
  requested: Headers,
  headers: Record<string, string>,
): Promise<Response> {
  const wanted = new Set(
    parseAccept(requested.get('accept-encoding') ?? '').flatMap(({ type, q }) =>
      q > 0 ? [type.toLowerCase()] : [],
    ),
  );
  const encoding = ENCODINGS.find((each) => wanted.has(each)) ?? 'identity';
  const etag = `"${page.digest}${encoding === 'identity' ? '' : `-${encoding}`}"`;
  const all = new Headers({ ...headers, 'Content-Type': page.type, ETag: etag });
  if (page.status === 200 && isKnown(requested.get('if-none-match'), etag))
    return new Response(null, { status: 304, headers: all });
  if (encoding !== 'identity') all.set('Content-Encoding', encoding);
  return new Response(await bodyIn(page, encoding), { status: page.status, headers: all });
}

/** A proxy that compresses by itself makes the mark weak. */
function isKnown(header: string | null, etag: string): boolean {
  if (header === null) return false;
  return header.split(',').some((each) => each.trim().replace(/^W\//, '') === etag || each.trim() === '*');
}

function bodyIn(page: KeptPage, encoding: Encoding): Promise<Uint8Array<ArrayBuffer>> {
  const known = page.bodies.get(encoding);
  if (known !== undefined) return known;
  const made = encode(page, encoding);
  page.bodies.set(encoding, made);
  made.catch(() => page.bodies.delete(encoding));
  return made;
}

async function encode(
  { plain, isImmutable }: KeptPage,
  encoding: Encoding,
): Promise<Uint8Array<ArrayBuffer>> {
  if (encoding === 'identity') return plain;
  if (encoding === 'gzip') return new Uint8Array(await gzipped(plain, isImmutable ? { level: 9 } : {}));
  const quality = isImmutable ? constants.BROTLI_MAX_QUALITY : 5;
  return new Uint8Array(await brotli(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } }));
}
