/**
 * Leaving for a login provider: the same for signing in and, when somebody is signed in, for binding. The provider sends
 * the browser back to `/oauth/{provider}`, whose page does the rest.
 */
import type { RedirectProvider } from '#contract/outside-logins.ts';
import { api } from '#web/api.ts';

const NEXT_KEY = 'login-next';
const TELEGRAM_KEY = 'telegram-login';

interface Leaving {
  /** The invite code of a newcomer. */
  aff?: string;
  /** The page to go to afterwards. */
  next?: string;
}

/** Resolves when the browser is on its way. */
export async function leaveFor(provider: RedirectProvider, { aff, next }: Leaving = {}): Promise<void> {
  const { authorize_url } = await api.outsideLogins.state({ query: { provider, aff: aff || undefined } });
  rememberNext(next);
  location.assign(authorize_url);
}

/** Where the Telegram widget sends its fields to sign somebody in. */
export function telegramLoginAddress(next?: string): string {
  rememberNext(next);
  // Without this mark the page does not sign in: a link from elsewhere must not sign people in as somebody else.
  sessionStorage.setItem(TELEGRAM_KEY, '1');
  return `${location.origin}/oauth/telegram`;
}

export function takeTelegramMark(): boolean {
  const isOurs = sessionStorage.getItem(TELEGRAM_KEY) !== null;
  sessionStorage.removeItem(TELEGRAM_KEY);
  return isOurs;
}

function rememberNext(next: string | undefined): void {
  if (next) sessionStorage.setItem(NEXT_KEY, next);
  else sessionStorage.removeItem(NEXT_KEY);
}

export function takeNext(): string | undefined {
  const next = sessionStorage.getItem(NEXT_KEY) ?? undefined;
  sessionStorage.removeItem(NEXT_KEY);
  return next;
}
