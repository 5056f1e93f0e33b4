/** The configured chat links: from the status object, else from its stored copy. */
import { chatLinks, linkOfAddress, type ChatLink } from '#web/ui/address/chat-links.ts';

export interface ChatSource {
  chats: unknown;
  chat_link: string;
  chat_link2: string;
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
  const older = (name: 'chat_link' | 'chat_link2') => status?.[name] ?? storage.getItem(name) ?? '';
  return chatLinks({ chats, chat_link: older('chat_link'), chat_link2: older('chat_link2') });
}

/** The link of /chat2link: the second address, else the first, else the first web page among the links. */
export function redirectLink(
  status: ChatSource | undefined,
  links: readonly ChatLink[],
  storage: Pick<Storage, 'getItem'>,
): ChatLink | undefined {
  const older = (name: 'chat_link' | 'chat_link2') => status?.[name] ?? storage.getItem(name) ?? '';
  const [address] = [...linkOfAddress(older('chat_link2')), ...linkOfAddress(older('chat_link'))];
  return address ?? links.find(({ template }) => /^\s*https?:/i.test(template)) ?? links[0];
}
