// Which requests for an address of both the relay and the pages are a person's: a browser names HTML and sends no key.

const KEY_HEADERS = ['x-api-key', 'x-goog-api-key', 'anthropic-version'];

export function isForBrowser({ method, headers, url }: Pick<Request, 'method' | 'headers' | 'url'>): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false;
  if (KEY_HEADERS.some((name) => headers.has(name)) || /[?&]key=/.test(url)) return false;
  // Only our own keys (sk-) count: a proxy that signs people in may add another Authorization header to a browser's request.
  if (/^bearer\s+sk-/i.test(headers.get('authorization') ?? '')) return false;
  return /\btext\/html\b/i.test(headers.get('accept') ?? '');
}
