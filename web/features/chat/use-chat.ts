/** Shared by both chat pages: the links, the enabled tokens, and the link with the chosen token. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { MAX_PAGE_SIZE } from '#contract/lists.ts';
import { TOKEN_STATUS, type TokenView } from '#contract/admin/tokens.ts';
import { api } from '#web/api.ts';
import { statusQuery } from '#web/api/status.ts';
import { fillChatLink, type ChatLink } from '#web/ui/address/chat-links.ts';
import { serverAddress } from '#web/ui/format/base-url.ts';
import { configuredLinks, redirectLink } from './links.ts';

const tokensQuery = {
  queryKey: ['tokens', 'chat'],
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    api.tokens.list({ query: { p: 0, size: MAX_PAGE_SIZE }, signal }),
};

export type ChatProblem = 'unreadable' | 'noLink' | 'badLink' | 'noToken';

export type ChatState =
  | { kind: 'waiting' }
  | { kind: 'failed'; error: unknown; retry: () => void }
  | { kind: 'problem'; problem: ChatProblem }
  | { kind: 'ready'; link: ChatLink; url: string; token: TokenView };

export function useChat(choose: 'redirect' | number) {
  const status = useQuery(statusQuery);
  const list = useQuery(tokensQuery);
  const [tokenId, setTokenId] = useState<number>();
  const links = configuredLinks(status.data, localStorage);
  const tokens = list.data?.data.filter((token) => token.status === TOKEN_STATUS.enabled);
  const token = tokens?.find(({ id }) => id === tokenId) ?? tokens?.[0];

  const state = (): ChatState => {
    if (status.data === undefined && status.isPending) return { kind: 'waiting' };
    if (links === undefined) return { kind: 'problem', problem: 'unreadable' };
    if (links.length === 0) return { kind: 'problem', problem: 'noLink' };
    const link = choose === 'redirect' ? redirectLink(status.data, links, localStorage) : links[choose];
    if (!link) return { kind: 'problem', problem: 'badLink' };
    if (list.error) return { kind: 'failed', error: list.error, retry: () => void list.refetch() };
    if (tokens === undefined) return { kind: 'waiting' };
    if (!token) return { kind: 'problem', problem: 'noToken' };
    const address = serverAddress(status.data?.server_address, window.location.origin);
    const url = fillChatLink(link.template, { key: token.key, address });
    return url ? { kind: 'ready', link, url, token } : { kind: 'problem', problem: 'badLink' };
  };
  return { state: state(), links: links ?? [], tokens: tokens ?? [], setTokenId };
}
