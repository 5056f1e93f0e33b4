// A home or about page that is a whole HTML document: answered under a policy of its own, which shuts it in. Its scripts run,
// with an origin that is nobody's, in the console's frame as well as opened by itself. Inside of the console's own document
// they could not: a frame without an address inherits its policy.
import { contentKind } from '#contract/content-kind.ts';
import type { Settings } from '#contract/settings.ts';

const HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': "sandbox allow-scripts allow-popups allow-forms; frame-ancestors 'self'",
  'X-Frame-Options': 'SAMEORIGIN',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-cache',
};

/** Undefined where there is no such document. */
export function framedContent(page: string, { HomePageContent, About }: Settings): Response | undefined {
  const text = page === 'home' ? HomePageContent : page === 'about' ? About : '';
  return contentKind(text) === 'document' ? new Response(text, { headers: HEADERS }) : undefined;
}
