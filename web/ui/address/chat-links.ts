/**
 * Chat links: the operator's templates filled with a key and the server's address. Values are encoded for the place
 * in the link, so a key or an address cannot change its structure.
 */
import { keepsKeyInFragment } from '#contract/setting-shapes.ts';
import { TOKEN_KEY_PREFIX } from '#contract/admin/tokens.ts';

export interface ChatLink {
  name: string;
  template: string;
}

export interface ChatOptions {
  chats: readonly Record<string, string>[];
  chat_link: string;
  chat_link2: string;
}

const SETTINGS_TEMPLATE = '/#/?settings={"key":"{key}","url":"{address}"}';

/**
 * The links of `Chats`, a list of one-entry objects in menu order, then those of `ChatLink` and `ChatLink2`. An address that
 * an earlier link has is not repeated.
 */
export function chatLinks({ chats, chat_link, chat_link2 }: ChatOptions): ChatLink[] {
  const links = [
    ...chats.flatMap((entry) => Object.entries(entry).map(([name, template]) => ({ name, template }))),
    ...linkOfAddress(chat_link),
    ...linkOfAddress(chat_link2),
  ];
  const distinct = links.filter(
    ({ template }, index) => links.findIndex((other) => other.template === template) === index,
  );
  return withOwnNames(distinct);
}

/** Two links of one host, or of one name, are told apart by a number. */
function withOwnNames(links: readonly ChatLink[]): ChatLink[] {
  const taken = new Set<string>();
  return links.map(({ name, template }) => {
    let own = name;
    for (let number = 2; taken.has(own); number += 1) own = `${name} (${number})`;
    taken.add(own);
    return { name: own, template };
  });
}

/** `ChatLink` or `ChatLink2`. Without placeholders it is the address of a NextChat; with them it is used unchanged. */
export function linkOfAddress(address: string): ChatLink[] {
  const text = address.trim();
  if (text === '') return [];
  const name = /^https?:\/\/([^/?#]+)/i.exec(text)?.[1] ?? text;
  return [{ name, template: text.includes('{key}') ? text : text.replace(/\/+$/, '') + SETTINGS_TEMPLATE }];
}

/** Schemes that would run in this page or read this machine instead of opening an application. */
const REFUSED_SCHEMES = /^(?:javascript|data|vbscript|blob|file|about|view-source):/i;

interface Destination {
  /** Bare, without prefix. */
  key: string;
  /** The server's address, any trailing slash dropped. */
  address: string;
}

function configuration(
  id: Record<string, string>,
  { key, address }: { key: string; address: string },
): string {
  // Encoded as UTF-8 first: an address may contain non-Latin letters.
  const bytes = new TextEncoder().encode(JSON.stringify({ ...id, baseUrl: address, apiKey: key }));
  return encodeURIComponent(btoa(String.fromCharCode(...bytes)));
}

/** The link to open, or undefined when the template does not give a usable one. */
export function fillChatLink(template: string, destination: Destination): string | undefined {
  const key = TOKEN_KEY_PREFIX + destination.key;
  const address = destination.address.replace(/\/+$/, '');
  // Links that were stored before the rule, or come from the browser's own copy.
  if (!keepsKeyInFragment(template)) return undefined;
  if (template.trim() === 'ccswitch') return ccSwitchLink(key, address);
  const values: Record<string, string> = {
    key: encodeURIComponent(key),
    address: encodeURIComponent(address),
    cherryConfig: configuration({ id: 'new-api' }, { key, address }),
    deepchatConfig: configuration({ id: 'new-api' }, { key, address }),
    aionuiConfig: configuration({ platform: 'new-api' }, { key, address }),
  };
  const filled = template
    .trim()
    .replaceAll(
      /\{(key|address|cherryConfig|deepchatConfig|aionuiConfig)\}/g,
      (_, name: string) => values[name] ?? '',
    )
    // The rest of a JSON template needs URL encoding.
    .replaceAll(/["<>\\^`{|}\s]/g, encodeURIComponent);
  return /^[a-z][a-z\d+.-]*:/i.test(filled) && !REFUSED_SCHEMES.test(filled) ? filled : undefined;
}

function ccSwitchLink(key: string, address: string): string {
  const query = new URLSearchParams({
    resource: 'provider',
    app: 'codex',
    name: 'Tollgate',
    endpoint: `${address}/v1`,
    apiKey: key,
    homepage: address,
  });
  return `ccswitch://v1/import?${query}`;
}

/** The host that receives the key; undefined when the link opens an application. */
export function webHost(url: string): string | undefined {
  if (!/^https?:/i.test(url)) return undefined;
  return URL.parse(url)?.host;
}

/** Web pages open in a new tab without opener and referrer; applications open by their URL scheme. */
export function openChatLink(url: string): void {
  if (/^https?:/i.test(url)) window.open(url, '_blank', 'noopener,noreferrer');
  else window.location.assign(url);
}
