// Extracts the API key from the six places clients put it. The only extractor, so that every form is checked alike.

export interface PresentedKey {
  /** Without `sk-` and without the channel. */
  readonly key: string;
  /** Without `sk-`, but with all that follows: keys of other gateways may contain a dash. */
  readonly whole: string;
  /** `sk-KEY-12` asks for channel 12. */
  readonly channelId: number | undefined;
}

/** Of short-lived secrets, which open realtime sessions only. */
export const secretPrefix = 'ek_';

const protocolPrefix = 'openai-insecure-api-key.';
const longestKey = 256;

/** Cache by header value: callers repeat their header with every call. */
const known = new Map<string, PresentedKey>();
const mostKnown = 10_000;
const longestKnown = longestKey + 'Bearer '.length;

/** Undefined without a key. An empty key when the given text cannot be one. */
export function presentedKey(headers: Pick<Headers, 'get'>, url: string): PresentedKey | undefined {
  const authorization = headers.get('authorization');
  if (authorization !== null && authorization !== '') return authorizedKey(authorization);
  const text = keyText(headers, url);
  return text === undefined ? undefined : splitKey(text);
}

function authorizedKey(authorization: string): PresentedKey {
  let presented = known.get(authorization);
  if (presented === undefined) {
    const isBearer = authorization.slice(0, 7).toLowerCase() === 'bearer ';
    // Copied, because a substring would keep the whole header in memory.
    const own = Buffer.from(authorization).toString();
    presented = splitKey((isBearer ? own.slice(7) : own).trim());
    if (own.length > longestKnown) return presented;
    if (known.size >= mostKnown) known.clear();
    known.set(own, presented);
  }
  return presented;
}

function keyText(headers: Pick<Headers, 'get'>, url: string): string | undefined {
  const named = headers.get('x-api-key') ?? headers.get('x-goog-api-key') ?? headers.get('api-key');
  if (named !== null && named !== '') return named.trim();
  const protocols = headers.get('sec-websocket-protocol');
  if (protocols !== null) {
    for (const item of protocols.split(',')) {
      const protocol = item.trim();
      if (protocol.startsWith(protocolPrefix)) return protocol.slice(protocolPrefix.length);
    }
  }
  const query = url.indexOf('?');
  if (query < 0) return undefined;
  return new URLSearchParams(url.slice(query + 1)).get('key') ?? undefined;
}

function splitKey(text: string): PresentedKey {
  if (text.length > longestKey) return { key: '', whole: '', channelId: undefined };
  const bare = text.startsWith('sk-') ? text.slice(3) : text;
  const dash = bare.indexOf('-');
  if (dash < 0) return { key: bare, whole: bare, channelId: undefined };
  const suffix = bare.slice(dash + 1);
  // Anything but a number after the dash is a channel that cannot exist.
  const channelId = /^\d{1,15}$/.test(suffix) ? Number(suffix) : -1;
  return { key: bare.slice(0, dash), whole: bare, channelId };
}
