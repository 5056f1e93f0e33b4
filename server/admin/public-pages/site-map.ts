// For search engines: the list of public addresses, and what they need not read.
import { LANGUAGES } from '#contract/language.ts';
import { addressIn, type PublicPage, type Site } from './page.ts';

const xml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

const CODE_OF = { zh: 'zh-CN', en: 'en' } as const;

function entries(site: Site, path: string): string {
  const asked = { site, path, query: new URLSearchParams() };
  const others = [...LANGUAGES, undefined]
    .map(
      (language) =>
        `<xhtml:link rel="alternate" hreflang="${language === undefined ? 'x-default' : CODE_OF[language]}" href="${xml(addressIn(asked, language))}"/>`,
    )
    .join('');
  return LANGUAGES.map(
    (language) => `<url><loc>${xml(addressIn(asked, language))}</loc>${others}</url>`,
  ).join('\n');
}

export function siteMapPages(pages: readonly PublicPage[]): PublicPage[] {
  return [
    {
      matches: (path) => path === '/sitemap.xml',
      isWithoutLanguage: true,
      async render({ site }) {
        const paths = (
          await Promise.all(pages.map(async (page) => await (page.listed?.(site) ?? [])))
        ).flat();
        const body = [
          '<?xml version="1.0" encoding="UTF-8"?>',
          '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">',
          ...paths.map((path) => entries(site, path)),
          '</urlset>',
          '',
        ].join('\n');
        return { body, type: 'application/xml; charset=utf-8' };
      },
    },
    {
      matches: (path) => path === '/robots.txt',
      isWithoutLanguage: true,
      render: ({ site }) => ({
        type: 'text/plain; charset=utf-8',
        body: `User-agent: *\nDisallow: /api/\nDisallow: /v1/\nDisallow: /content/\nAllow: /\n\nSitemap: ${site.address}/sitemap.xml\n`,
      }),
    },
  ];
}
