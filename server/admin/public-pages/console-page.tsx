/** @jsxImportSource hono/jsx */
// Pages of the console that visitors open and share: its document with the title, description and preview of the page, in the
// site's own name. The content is the console's.
import type { HtmlEscapedString } from 'hono/utils/html';
import type { Text } from '#contract/language.ts';
import { LANGUAGE_TAGS, Preview, type PreviewProps } from './head.tsx';
import type { PublicPage, Site } from './page.ts';
import { WORDS } from './words.ts';

interface ConsolePage {
  title: Text;
  description: (name: string) => Text;
  isHidden?: boolean;
  /** Parameters that a shared address keeps. */
  shares?: readonly string[];
  isListed?: (site: Site) => boolean;
}

const PAGES: Readonly<Record<string, ConsolePage>> = {
  '/pricing': {
    title: WORDS.pricing,
    description: (name) => ({
      zh: `${name} 全部模型的价格表：按百万 token、按次或按张计价，各分组的价格一目了然。`,
      en: `What every model on ${name} costs: per million tokens, per call or per image, in each user group.`,
    }),
    isListed: () => true,
  },
  '/register': {
    title: WORDS.register,
    description: (name) => ({
      zh: `注册 ${name} 账户，一个地址、一个令牌，调用这里的所有模型，每次调用都有账可查。`,
      en: `Create an account on ${name}: one address and one API key for every model here, and each call is accounted for.`,
    }),
    // An invitation is worth nothing without who invites.
    shares: ['aff'],
    isListed: ({ settings }) => settings.RegisterEnabled,
  },
  '/login': {
    title: WORDS.login,
    description: (name) => ({
      zh: `登录 ${name}，管理令牌和余额，查看每次调用的日志与费用。`,
      en: `Sign in to ${name} for your API keys, your balance, and the log and cost of every call.`,
    }),
    isHidden: true,
  },
  '/about': {
    title: WORDS.about,
    description: (name) => ({
      zh: `关于 ${name}：谁在运营本站，怎样联系，有哪些说明和约定。`,
      en: `About ${name}: who runs this site, how to reach them, and what else there is to know.`,
    }),
    isListed: ({ settings }) => settings.About.trim() !== '' || settings.AboutEn.trim() !== '',
  },
};

const TITLE = '<title>Tollgate</title>';
const NOSCRIPT = /<noscript>[^<]*<\/noscript>/;

const htmlText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const previewHtml = (props: PreviewProps): string =>
  ((<Preview {...props} />) as unknown as HtmlEscapedString).toString();

/** `readIndex`: the console's document; undefined where the console is not built. */
export function consolePage(readIndex: () => Promise<string | undefined>): PublicPage {
  const pageOf = (path: string) => (Object.hasOwn(PAGES, path) ? PAGES[path] : undefined);
  return {
    matches: (path) => pageOf(path) !== undefined,
    isOfConsole: true,
    query: [...new Set(Object.values(PAGES).flatMap(({ shares = [] }) => shares))],
    listed: (site) =>
      Object.entries(PAGES).flatMap(([path, { isListed }]) => (isListed?.(site) === true ? [path] : [])),
    async render(asked) {
      const page = pageOf(asked.path);
      const index = page && (await readIndex());
      if (page === undefined || index === undefined) return undefined;
      const { language, site } = asked;
      const shared = new URLSearchParams();
      for (const name of page.shares ?? [])
        for (const value of asked.query.getAll(name)) shared.append(name, value);
      const preview = previewHtml({
        asked,
        title: page.title[language],
        description: page.description(site.name)[language],
        isHidden: page.isHidden,
        shared,
      });
      const name = htmlText(site.name);
      const body = index
        .replace(TITLE, () => preview)
        .replace('<html lang="zh">', `<html lang="${LANGUAGE_TAGS[language]}">`)
        .replace(
          NOSCRIPT,
          () => `<noscript>${name} needs JavaScript. / ${name} 需要启用 JavaScript。</noscript>`,
        );
      return { body };
    },
  };
}
