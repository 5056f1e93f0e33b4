/**
 * Redirects to a login provider, to sign in or, with a session, to bind the account. The provider sends
 * the browser back to `/oauth/{provider}`, whose page completes the login.
 */
import type { RedirectProvider } from '#contract/admin/outside-logins.ts';
import { api } from '#web/api.ts';

const NEXT_KEY = 'login-next';
const TELEGRAM_KEY = 'telegram-login';

interface RedirectOptions {
  /** The invite code of a newcomer. */
  aff?: string;
  /** The page to go to afterwards. */
  next?: string;
}

/** Resolves once the navigation has started. */
export async function redirectToProvider(
  provider: RedirectProvider,
  { aff, next }: RedirectOptions = {},
): Promise<void> {
  const { authorize_url } = await api.outsideLogins.state({ query: { provider, aff: aff || undefined } });
  rememberNext(next);
  location.assign(authorize_url);
}

/** To the provider of the organization that this address belongs to. */
export async function redirectToOrganization(email: string, next: string | undefined): Promise<void> {
  const { authorize_url } = await api.signOn.begin({ body: { email } });
  rememberNext(next);
  location.assign(authorize_url);
}

/** The address that receives the fields of the Telegram widget. */
export function telegramLoginAddress(next?: string): string {
  rememberNext(next);
  // The page signs in only with this mark: a link from another site must not sign the user in to a foreign account.
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
