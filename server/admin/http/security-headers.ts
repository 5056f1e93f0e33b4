// Headers of every response, and the console's content security policy, which depends on the settings: frames for chat and
// home pages, forms to the payment page, scripts of the human check.
import type { Settings } from '#contract/settings.ts';

const EVERYWHERE = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'strict-origin-when-cross-origin',
  'X-Frame-Options': 'DENY',
  'Cross-Origin-Opener-Policy': 'same-origin-allow-popups',
  'Permissions-Policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=()',
} as const;
const ONE_YEAR_SECONDS = 31_536_000;
const TURNSTILE = 'https://challenges.cloudflare.com';
const TELEGRAM = ['https://telegram.org', 'https://oauth.telegram.org'];

export function setSecurityHeaders(headers: Headers, secure: boolean): void {
  for (const [name, value] of Object.entries(EVERYWHERE)) if (!headers.has(name)) headers.set(name, value);
  if (secure) headers.set('Strict-Transport-Security', `max-age=${ONE_YEAR_SECONDS}`);
}

export function contentSecurityPolicy(settings: Settings): string {
  const turnstile = settings.TurnstileCheckEnabled ? [TURNSTILE] : [];
  const telegram = settings.TelegramOAuthEnabled ? TELEGRAM : [];
  const directives: Record<string, readonly string[]> = {
    'default-src': ["'self'"],
    'script-src': ["'self'", ...turnstile, ...telegram.slice(0, 1)],
    'style-src': ["'self'", "'unsafe-inline'"],
    'img-src': [
      "'self'",
      'data:',
      'https:',
      ...insecureOrigins([settings.Logo, settings.WeChatAccountQRCodeImageURL]),
    ],
    // Songs and films of tasks come from us or from the address the upstream gave; the playground reads a video with a key.
    'media-src': ["'self'", 'https:'],
    'font-src': ["'self'", 'data:'],
    'connect-src': ["'self'"],
    'frame-src': unique(["'self'", ...frameOrigins(settings), ...turnstile, ...telegram.slice(1)]),
    'form-action': unique(["'self'", ...origins([settings.PayAddress])]),
    'frame-ancestors': ["'none'"],
    'base-uri': ["'none'"],
    'object-src': ["'none'"],
    'require-trusted-types-for': ["'script'"],
  };
  return Object.entries(directives)
    .map(([name, sources]) => `${name} ${sources.join(' ')}`)
    .join('; ');
}

function frameOrigins(settings: Settings): string[] {
  const chats = settings.Chats.flatMap((entry) => Object.values(entry));
  const { ChatLink, ChatLink2, HomePageContent, HomePageContentEn, About, AboutEn } = settings;
  return origins([...chats, ChatLink, ChatLink2, HomePageContent, HomePageContentEn, About, AboutEn]);
}

/** Only the origins of texts that are web addresses: no other operator text enters a header. */
function origins(texts: readonly string[]): string[] {
  return texts.flatMap((text) => {
    const found = /^\s*(https?:\/\/[\w.-]+(?::\d{1,5})?)(?:[/?#]|\s*$)/i.exec(text);
    return found?.[1] ? [found[1].toLowerCase()] : [];
  });
}

const insecureOrigins = (texts: readonly string[]) =>
  origins(texts).filter((origin) => origin.startsWith('http:'));

const unique = (texts: readonly string[]) => [...new Set(texts)];
