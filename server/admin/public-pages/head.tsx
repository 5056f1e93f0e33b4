/** @jsxImportSource hono/jsx */
// The head of a page: what search engines, link previews and browsers read before the content.
import { LANGUAGES, type Language } from '#contract/language.ts';
import { BOOT, SCRIPT, STYLES } from './assets.ts';
import { addressIn, type Asked } from './page.ts';

export const LANGUAGE_TAGS: Record<Language, string> = { zh: 'zh-CN', en: 'en' };
const LOCALES: Record<Language, string> = { zh: 'zh_CN', en: 'en_US' };

export interface HeadProps {
  asked: Asked;
  /** Without the name of the site; empty: the name alone. */
  title: string;
  description: string;
  /** JSON-LD. */
  structured?: object | undefined;
  /** A page that search engines should not list. */
  isHidden?: boolean | undefined;
}

/** `<` inside a script element would end it. */
const json = (value: object): string => JSON.stringify(value).replaceAll('<', String.raw`\u003c`);

/** A picture for previews: the operator's logo; the built-in one says nothing about the site. */
function pictureOf({ site }: Asked): string {
  const { Logo } = site.settings;
  if (/^https?:\/\//i.test(Logo)) return Logo;
  return `${site.address}${Logo.startsWith('/') ? Logo : '/logo.png'}`;
}

export interface PreviewProps extends Pick<HeadProps, 'asked' | 'title' | 'description' | 'isHidden'> {
  /** What a link that somebody shares keeps of the parameters, such as who invites. */
  shared?: URLSearchParams | undefined;
}

/** Title, description, the addresses of the page, and what link previews show. */
export function Preview({ asked, title, description, isHidden, shared }: PreviewProps) {
  const { site, language } = asked;
  const whole = title === '' ? site.name : `${title} · ${site.name}`;
  // A list in another order, or a calculator with other numbers, is the same page.
  const page = { ...asked, query: new URLSearchParams() };
  // Each of the addresses that name each other below is canonical itself, also the one that follows the browser.
  const named = asked.isLanguageNamed ? language : undefined;
  const canonical = addressIn(page, named);
  const address = shared === undefined ? canonical : addressIn({ ...asked, query: shared }, named);
  return (
    <>
      <title>{whole}</title>
      <meta name="description" content={description} />
      {isHidden ? <meta name="robots" content="noindex" /> : null}
      <link rel="canonical" href={canonical} />
      {LANGUAGES.map((each) => (
        <link rel="alternate" hreflang={LANGUAGE_TAGS[each]} href={addressIn(page, each)} />
      ))}
      <link rel="alternate" hreflang="x-default" href={addressIn(page, undefined)} />
      <meta property="og:type" content="website" />
      <meta property="og:site_name" content={site.name} />
      <meta property="og:title" content={title === '' ? site.name : title} />
      <meta property="og:description" content={description} />
      <meta property="og:url" content={address} />
      <meta property="og:image" content={pictureOf(asked)} />
      <meta property="og:locale" content={LOCALES[language]} />
      <meta name="twitter:card" content="summary" />
      <meta name="twitter:title" content={title === '' ? site.name : title} />
      <meta name="twitter:description" content={description} />
      <meta name="twitter:image" content={pictureOf(asked)} />
    </>
  );
}

export function Head({ structured, ...preview }: HeadProps) {
  return (
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover" />
      <meta name="color-scheme" content="light dark" />
      <Preview {...preview} />
      <link rel="icon" type="image/svg+xml" href="/favicon.svg" />
      {/* Before the first paint: theme, language and whether somebody is signed in are the browser's. */}
      <script src={BOOT.href} />
      <link rel="stylesheet" href={STYLES.href} />
      <script src={SCRIPT.href} defer />
      {structured === undefined ? null : (
        <script type="application/ld+json" dangerouslySetInnerHTML={{ __html: json(structured) }} />
      )}
    </head>
  );
}
