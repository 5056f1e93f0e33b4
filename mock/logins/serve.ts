// A small web server on a free port that records its requests.

export interface SeenRequest {
  method: string;
  path: string;
  query: Record<string, string>;
  headers: Record<string, string>;
  body: string;
}

export interface LocalServer {
  url: string;
  seen: SeenRequest[];
  /** While set, it answers every call. */
  fault: (() => Response | Promise<Response>) | null;
  close(): Promise<void>;
}

export type Answer = (request: SeenRequest, own: string) => Response | Promise<Response> | undefined;

export function serveLocally(answer: Answer): LocalServer {
  const local: Pick<LocalServer, 'seen' | 'fault'> = { seen: [], fault: null };
  const server: Bun.Server<undefined> = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request): Promise<Response> {
      const { pathname, searchParams } = new URL(request.url);
      const seen: SeenRequest = {
        method: request.method,
        path: pathname,
        query: Object.fromEntries(searchParams),
        headers: request.headers.toJSON(),
        body: await request.text(),
      };
      // Browsers request every site's icon.
      if (pathname === '/favicon.ico') return new Response(null, { status: 204 });
      local.seen.push(seen);
      if (local.fault) return await local.fault();
      return (await answer(seen, server.url.origin)) ?? new Response('not found', { status: 404 });
    },
  });
  return Object.assign(local, {
    url: server.url.origin,
    close: () => server.stop(true),
  });
}

/** The consent page; its button redirects the browser as the protocol requires. */
export function consentPage(title: string, agree: string, refuse: string): Response {
  const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  const html = `<!doctype html><meta charset="utf-8"><title>${title}</title><h1>${title}</h1>
    <p><a id="agree" href="${escaped(agree)}">Authorize</a> <a id="refuse" href="${escaped(refuse)}">Cancel</a></p>`;
  return new Response(html, { headers: { 'Content-Type': 'text/html; charset=utf-8' } });
}

/** A URL with further query parameters. */
export function withQuery(address: string, query: Record<string, string>): string {
  const url = new URL(address);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url.href;
}

/** Codes that are valid once. */
export class Codes<Value> {
  readonly #known = new Map<string, Value>();
  #made = 0;

  give(value: Value): string {
    this.#made += 1;
    const code = `code-${this.#made}-${Bun.randomUUIDv7().slice(-12)}`;
    this.#known.set(code, value);
    return code;
  }

  take(code: string): Value | undefined {
    const value = this.#known.get(code);
    this.#known.delete(code);
    return value;
  }
}
