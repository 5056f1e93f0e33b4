// A home or about page that is a whole HTML document, served from its own address with a sandbox policy: its scripts run,
// but with an opaque origin, in the console's frame and when opened directly. A frame without an address would inherit the
// console's policy, which allows no scripts of the page.
import { contentKind } from '#contract/relay/content-kind.ts';
import { inLanguage, type Language } from '#contract/language.ts';
import type { Settings } from '#contract/settings.ts';

const HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': "sandbox allow-scripts allow-popups allow-forms; frame-ancestors 'self'",
  'X-Frame-Options': 'SAMEORIGIN',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-cache',
};

/** Undefined when there is no such document. */
export function framedContent(page: string, language: Language, settings: Settings): Response | undefined {
  const texts: Record<string, string | undefined> = {
    home: inLanguage(language, settings.HomePageContent, settings.HomePageContentEn),
    about: inLanguage(language, settings.About, settings.AboutEn),
  };
  const text = texts[page] ?? '';
  return contentKind(text) === 'document' ? new Response(text, { headers: HEADERS }) : undefined;
}
