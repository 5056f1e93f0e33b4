/** Which host may have the key of which token, as the user said in this tab. */

const KEY = 'chat-consent';

function agreed(): string[] {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? '[]');
    return Array.isArray(stored) ? stored.filter((entry) => typeof entry === 'string') : [];
  } catch {
    return [];
  }
}

const entryOf = (host: string, tokenId: number): string => `${tokenId} ${host}`;

export const hasAgreed = (host: string, tokenId: number): boolean =>
  agreed().includes(entryOf(host, tokenId));

export function agreeTo(host: string, tokenId: number): void {
  sessionStorage.setItem(KEY, JSON.stringify([...agreed(), entryOf(host, tokenId)]));
}
