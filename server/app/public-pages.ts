// Joins the pages that visitors, search engines and link previews read.
import { VERSION } from '#server/platform/version.ts';
import { createPublicPages, type PublicPages } from '#server/admin/public-pages/index.ts';
import { legalPage } from '#server/admin/public-pages/legal-page.tsx';
import type { LiveSettings } from '#server/platform/settings/settings.ts';
import type { Store } from '#server/platform/store/store.ts';

interface PublicPageParts {
  store: Store;
  settings: LiveSettings;
}

export function joinPublicPages({ store, settings }: PublicPageParts): PublicPages {
  return createPublicPages({ store, settings, version: VERSION, pages: [legalPage] });
}
