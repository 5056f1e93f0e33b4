/** The configured chat links: from the status object, else from its stored copy. */
import { chatLinks, type ChatLink } from '#web/ui/address/chat-links.ts';

export interface ChatSource {
  chats: unknown;
  chat_link: string;
  chat_link2: string;
}

const SETTINGS_TEMPLATE = '/#/?settings={"key":"{key}","url":"{address}"}';

/** An older option without placeholders is the address of a NextChat; one with placeholders is used unchanged. */
function fromAddress(address: string): ChatLink[] {
  const text = address.trim();
  if (text === '') return [];
  const name = /^https?:\/\/([^/?#]+)/i.exec(text)?.[1] ?? text;
  return [{ name, template: text.includes('{key}') ? text : text.replace(/\/+$/, '') + SETTINGS_TEMPLATE }];
}

function isChats(value: unknown): value is Record<string, string>[] {
  return (
    Array.isArray(value) &&
    value.every(
      (entry: unknown) =>
        typeof entry === 'object' &&
        entry !== null &&
        Object.values(entry).every((template) => typeof template === 'string'),
    )
  );
}

/** Undefined: the stored text does not parse. */
export function configuredLinks(
  status: ChatSource | undefined,
  storage: Pick<Storage, 'getItem'>,
): ChatLink[] | undefined {
  let chats: unknown = status?.chats;
  if (status === undefined) {
    try {
      chats = JSON.parse(storage.getItem('chats') ?? '[]');
    } catch {
      return undefined;
    }
  }
  if (!isChats(chats)) return undefined;
  const links = chatLinks(chats);
  if (links.length > 0) return links;
  const older = (name: 'chat_link' | 'chat_link2') => status?.[name] ?? storage.getItem(name) ?? '';
  return [...fromAddress(older('chat_link')), ...fromAddress(older('chat_link2'))];
}

/** The link of /chat2link: the second address, else the first, else the first web page among the links. */
export function redirectLink(
  status: ChatSource | undefined,
  links: readonly ChatLink[],
  storage: Pick<Storage, 'getItem'>,
): ChatLink | undefined {
  const older = (name: 'chat_link' | 'chat_link2') => status?.[name] ?? storage.getItem(name) ?? '';
  const [address] = [...fromAddress(older('chat_link2')), ...fromAddress(older('chat_link'))];
  return address ?? links.find(({ template }) => /^\s*https?:/i.test(template)) ?? links[0];
}

/** The host that receives the key; undefined when the link opens an application. */
export function hostOf(url: string): string | undefined {
  if (!/^https?:/i.test(url)) return undefined;
  try {
    return new URL(url).host;
  } catch {
    return undefined;
  }
}
