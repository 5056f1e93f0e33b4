// Serves the built console. Only files listed in the build folder are served, so no path reaches outside of it. Hashed assets
// are cached for ever, everything else is revalidated; every page of the console is index.html.
import { readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { promisify } from 'node:util';
import { parseAccept } from 'hono/utils/accept';
import { DOCUMENT_FOLDER } from '#contract/admin/documents.ts';

export type FoundFile =
  | { kind: 'document'; response: Response }
  | { kind: 'asset'; response: Response }
  | { kind: 'missing' };

export interface ConsoleFiles {
  find(urlPath: string, headers: Headers): Promise<FoundFile>;
  /** A document that the server shows as a page; undefined where the console is not built. */
  documentText: (name: string) => Promise<string | undefined>;
  /** The document of every page of the console; undefined where it is not built. */
  indexText: () => Promise<string | undefined>;
}

/** The smaller first. */
const ENCODINGS = ['br', 'gzip'] as const;
type Encoding = (typeof ENCODINGS)[number] | 'identity';

interface StaticFile {
  file: string;
  type: string;
  etag: string;
  immutable: boolean;
  /** Compressed bodies, made at first use or read from beside the file. */
  bodies: Map<Encoding, Promise<Uint8Array<ArrayBuffer>>>;
}

const INDEX = '/index.html';
const RESCAN_MS = 2000;
const COMPRESSIBLE = /^(text\/|application\/(javascript|json|xml|manifest)|image\/svg)/;
/** Files of the build that only tools need. */
const HIDDEN = /(^|\/)\./;
const brotli = promisify(brotliCompress);
const gzipped = promisify(gzip);

/** Path of the URL → file inside a one-file executable, which has no folder that could be listed. */
let embedded: ReadonlyMap<string, string> | undefined;

/** Called once, before the server starts. */
export function embedConsole(files: ReadonlyMap<string, string>): void {
  embedded = files;
}

async function filesIn(directory: string): Promise<(readonly [urlPath: string, file: string])[]> {
  const names = await readdir(directory, { recursive: true }).catch(() => []);
  const inside = `${await realpath(directory).catch(() => directory)}${path.sep}`;
  const found: (readonly [urlPath: string, file: string])[] = [];
  for (const name of names) {
    const file = path.join(directory, name);
    // A symbolic link may lead to any file of the machine.
    const leadsTo = await realpath(file).catch(() => '');
    if (leadsTo.startsWith(inside)) found.push([`/${name.split(path.sep).join('/')}`, file]);
  }
  return found;
}

/** Undefined for a folder. An embedded file has no time, but its name contains a digest. */
async function etagOf(file: string): Promise<string | undefined> {
  const facts = await stat(file).catch(() => null);
  if (!facts?.isFile()) return undefined;
  return `"${facts.size.toString(36)}-${Math.round(facts.mtimeMs).toString(36)}"`;
}

export function createConsoleFiles(directory: string): ConsoleFiles {
  let files = new Map<string, StaticFile>();
  let scannedAt = -Infinity;
  let scanning: Promise<void> | null = null;

  async function scan(): Promise<void> {
    const found = new Map<string, StaticFile>();
    for (const [urlPath, file] of embedded ?? (await filesIn(directory))) {
      if (HIDDEN.test(urlPath) || /\.(br|gz)$/.test(urlPath)) continue;
      const etag = embedded === undefined ? await etagOf(file) : `"${path.basename(file)}"`;
      if (etag === undefined) continue;
      const known = files.get(urlPath);
      found.set(urlPath, known?.etag === etag ? known : staticFile(file, urlPath, etag));
    }
    files = found;
  }

  /** A build may finish while the server runs: read the folder again when it was empty or a listed file is gone. */
  async function rescan(): Promise<void> {
    if (performance.now() - scannedAt < RESCAN_MS) return scanning ?? undefined;
    scannedAt = performance.now();
    scanning = scan().finally(() => {
      scanning = null;
    });
    await scanning;
  }

  async function lookUp(urlPath: string): Promise<StaticFile | undefined> {
    if (files.has(urlPath)) return files.get(urlPath);
    await rescan();
    return files.get(urlPath);
  }

  async function textOf(urlPath: string): Promise<string | undefined> {
    const found = await lookUp(urlPath);
    return found && (await Bun.file(found.file).text());
  }

  return {
    documentText: (name) => textOf(`${DOCUMENT_FOLDER}${name}`),
    async indexText() {
      // A build may have replaced it; scans follow each other at most every two seconds.
      if (scannedAt !== -Infinity) await rescan();
      return await textOf(INDEX);
    },
    async find(urlPath, headers) {
      if (urlPath.startsWith(DOCUMENT_FOLDER)) return { kind: 'missing' };
      const asset = urlPath === '/' || urlPath === INDEX ? undefined : await lookUp(urlPath);
      if (asset) return { kind: 'asset', response: await answer(asset, headers) };
      if (!isPagePath(urlPath)) return { kind: 'missing' };
      if (scannedAt !== -Infinity) await rescan();
      const index = await lookUp(INDEX);
      return { kind: 'document', response: index ? await answer(index, headers) : hintPage() };
    },
  };
}

/** Paths that programs ask for, also those that are not served (`/metrics`): they must never get a page with status 200. */
const PROGRAM_PATHS = /^\/(assets|api|v1|v1beta|pg|mj|suno|dashboard\/billing|metrics)(\/|$)/;

/** Their names end as the operator's models do, as `gpt-4.1`. */
const NAMED_PAGES = /^\/(?:virtual-)?model\//;

/** Pages of the console have no file extension; a path with one is a missing asset. */
function isPagePath(urlPath: string): boolean {
  if (PROGRAM_PATHS.test(urlPath)) return false;
  if (urlPath === INDEX) return true;
  return (NAMED_PAGES.test(urlPath) || !/\.[^/]*$/.test(urlPath)) && !/%2f|%5c|%00|\\/i.test(urlPath);
}

function staticFile(file: string, urlPath: string, etag: string): StaticFile {
  const type = Bun.file(file).type || 'application/octet-stream';
  return { file, type, etag, immutable: urlPath.startsWith('/assets/'), bodies: new Map() };
}

async function answer(found: StaticFile, requested: Headers): Promise<Response> {
  const encoding = encodingFor(found, requested.get('accept-encoding') ?? '');
  const headers = new Headers({
    'Content-Type': found.type,
    'Cache-Control': found.immutable ? 'public, max-age=31536000, immutable' : 'no-cache',
    ETag: encoding === 'identity' ? found.etag : `${found.etag.slice(0, -1)}-${encoding}"`,
  });
  if (COMPRESSIBLE.test(found.type)) headers.set('Vary', 'Accept-Encoding');
  if (requested.get('if-none-match') === headers.get('ETag'))
    return new Response(null, { status: 304, headers });
  if (encoding !== 'identity') headers.set('Content-Encoding', encoding);
  return new Response(await bodyOf(found, encoding), { headers });
}

function encodingFor(found: StaticFile, accepted: string): Encoding {
  if (!COMPRESSIBLE.test(found.type)) return 'identity';
  const wanted = new Set(parseAccept(accepted).flatMap(({ type, q }) => (q > 0 ? [type.toLowerCase()] : [])));
  return ENCODINGS.find((encoding) => wanted.has(encoding)) ?? 'identity';
}

function bodyOf(found: StaticFile, encoding: Encoding): Promise<Uint8Array<ArrayBuffer>> {
  const known = found.bodies.get(encoding);
  if (known) return known;
  const made = encode(found.file, encoding);
  found.bodies.set(encoding, made);
  // A failed read is not cached.
  made.catch(() => found.bodies.delete(encoding));
  return made;
}

async function encode(file: string, encoding: Encoding): Promise<Uint8Array<ArrayBuffer>> {
  const ready = Bun.file(encoding === 'br' ? `${file}.br` : `${file}.gz`);
  if (encoding !== 'identity' && (await ready.exists())) return ready.bytes();
  const plain = await Bun.file(file).bytes();
  if (encoding === 'identity') return plain;
  if (encoding === 'gzip') return new Uint8Array(await gzipped(plain, { level: 9 }));
  return new Uint8Array(await brotli(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }));
}

function hintPage(): Response {
  const body = `<!doctype html><meta charset="utf-8"><title>Tollgate</title>
<p>控制台尚未构建：请运行 <code>npm start</code> 或 <code>npm run build</code>；使用 <code>npm run dev</code> 时请打开它打印的控制台地址（http://localhost:5173）。API 已可用。</p>
<p>The console has not been built yet: run <code>npm start</code> or <code>npm run build</code>; with <code>npm run dev</code> open the address of the console that it prints (http://localhost:5173). The API is up.</p>
`;
  const headers = { 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store' };
  return new Response(body, { headers });
}
