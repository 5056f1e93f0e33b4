/** @jsxImportSource hono/jsx */
// The bar above every public page: the console's links, the search for models, theme, language and account.
import type { Language } from '#contract/language.ts';
import { Icon } from './icons.tsx';
import { addressIn, linkTo, type Asked } from './page.ts';
import { toHome, WORDS } from './words.ts';

export type PublicPlace = 'home' | 'models' | 'plans' | 'status' | 'docs';

const DEFAULT_NAME = 'Tollgate';
const MARK =
  'M2 2.5H4.6V12.17L2 13.31ZM2 19.41L4.6 18.27V21.5H2ZM7.8 2.5H10.4V9.65L7.8 10.78ZM7.8 16.88L10.4 15.75V21.5H7.8ZM13.6 2.5H16.2V7.12L13.6 8.25ZM13.6 14.35L16.2 13.22V21.5H13.6ZM19.4 2.5H22V4.59L19.4 5.73ZM19.4 11.83L22 10.69V21.5H19.4Z';

/** The name as it is drawn in the console. */
const LETTERS = [
  'M0 4.6H10.6M5.3 4.6V18.5M22.8 3.2V18.5M27.3 3.2V18.5M51.05 8.5V18.5',
  'M39.05 8.5V18.6C39.05 21.2 37.4 22.5 35.1 22.5 33.5 22.5 32.3 21.9 31.5 20.9',
  'M56.5 5.2V14.9C56.5 16.7 57.4 17.5 59 17.5H60.2M53.7 9.6H60.1',
  'M62.6 13.9H70.5C70.6 11.2 68.9 9.55 66.6 9.55 64.4 9.55 62.65 11.3 62.65 13.5 62.65 15.7 64.4 17.45 66.6 17.45 68.1 17.45 69.2 16.8 69.9 15.8',
].join('');
const ROUND_LETTERS = [14.7, 35.1, 47.1];

/** The built-in logo; or the picture of the operator, else the mark, and the name. */
function Brand({ site: { name, settings } }: Pick<Asked, 'site'>) {
  const isOwn = settings.Logo !== '' && settings.Logo !== '/logo.png';
  const isNamed = isOwn || name !== DEFAULT_NAME;
  return (
    <>
      {isOwn ? (
        <img src={settings.Logo} alt="" height="22" class="logo" />
      ) : (
        <svg
          viewBox={isNamed ? '0 0 24 24' : '0 0 104 24'}
          width={isNamed ? 22 : 95}
          height="22"
          class="logo"
          aria-hidden="true"
        >
          <path fill="currentColor" d={MARK} />
          <path fill="var(--logo-arm)" d="M.3 15.5 23.7 5.3V8.5L.3 18.7Z" />
          {isNamed ? null : (
            <g transform="translate(32)" fill="none" stroke="currentColor" stroke-width="2.2">
              <path d={LETTERS} />
              {ROUND_LETTERS.map((x) => (
                <circle cx={x} cy="13.5" r="3.95" />
              ))}
            </g>
          )}
        </svg>
      )}
      {isNamed ? <span>{name}</span> : null}
    </>
  );
}

interface Link {
  name: keyof typeof WORDS;
  path: string;
  place?: PublicPlace;
}

/** The server's own pages keep the language of the address; the console has its own choice. */
function linksOf({ site: { settings, has } }: Asked): Link[] {
  const all: Link[] = [
    { name: 'home', path: '/', place: 'home' },
    { name: 'console', path: '/token' },
    ...(settings.PublicModelsEnabled ? [{ name: 'models', path: '/models', place: 'models' } as const] : []),
    { name: 'pricing', path: '/pricing' },
    { name: 'plans', path: '/plans', place: 'plans' },
    ...(settings.PublicStatusEnabled ? [{ name: 'status', path: '/status', place: 'status' } as const] : []),
    ...(settings.PublicDocsEnabled ? [{ name: 'docs', path: '/docs', place: 'docs' } as const] : []),
    { name: 'about', path: '/about' },
  ];
  return all.filter(({ path, place }) => place === undefined || has(path));
}

function Links({ asked, current }: { asked: Asked; current: PublicPlace | undefined }) {
  return linksOf(asked).map(({ name, path, place }) => (
    <a
      href={place === undefined ? path : linkTo(asked, path)}
      aria-current={place !== undefined && place === current ? 'page' : undefined}
    >
      {WORDS[name][asked.language]}
    </a>
  ));
}

function ThemeMenu({ language }: { language: Language }) {
  return (
    <>
      <button
        type="button"
        class="icon-button theme-button"
        popovertarget="theme-menu"
        aria-label={WORDS.theme[language]}
        title={WORDS.theme[language]}
        data-needs-script
      >
        <Icon name="sun" />
        <Icon name="moon" />
      </button>
      <div id="theme-menu" popover="auto" role="menu" aria-label={WORDS.theme[language]} class="menu">
        {(
          [
            ['light', 'sun'],
            ['dark', 'moon'],
            ['auto', 'screen'],
          ] as const
        ).map(([mode, icon]) => (
          <button type="button" role="menuitemradio" aria-checked="false" data-theme={mode}>
            <Icon name={icon} />
            {WORDS[mode][language]}
          </button>
        ))}
      </div>
    </>
  );
}

function LanguageLink({ asked }: { asked: Asked }) {
  const other = asked.language === 'zh' ? 'en' : 'zh';
  const [first, second] = asked.language === 'zh' ? ['中', 'EN'] : ['EN', '中'];
  const address = new URL(addressIn(asked, other));
  return (
    <a class="language" href={`${address.pathname}${address.search}`} data-language={other}>
      <span class="hidden">{WORDS.switchLanguage[asked.language]}</span>
      <span aria-hidden="true">
        {first} <i>/ {second}</i>
      </span>
    </a>
  );
}

function Account({ asked }: { asked: Asked }) {
  const { language, site } = asked;
  return (
    <>
      <a class="visitor-only plain-button" href="/login">
        {WORDS.login[language]}
      </a>
      {site.settings.RegisterEnabled ? (
        <a class="visitor-only button filled" href="/register">
          {WORDS.register[language]}
        </a>
      ) : null}
      <a class="user-only button" href="/token">
        {WORDS.console[language]}
      </a>
    </>
  );
}

export function TopBar({ asked, current }: { asked: Asked; current: PublicPlace | undefined }) {
  const { site, language } = asked;
  return (
    <header class="top">
      <details class="phone-menu">
        <summary aria-label={WORDS.menu[language]}>
          <Icon name="menu" size={20} />
        </summary>
        <nav aria-label={WORDS.menu[language]}>
          <Links asked={asked} current={current} />
          <a class="visitor-only phone-login" href="/login">
            {WORDS.login[language]}
          </a>
        </nav>
      </details>
      <a class="brand" href={linkTo(asked, '/')} aria-label={toHome(site.name)[language]}>
        <Brand site={site} />
      </a>
      <nav class="top-links" aria-label={WORDS.mainMenu[language]}>
        <Links asked={asked} current={current} />
      </nav>
      <div class="top-right">
        {site.settings.PublicModelsEnabled ? (
          <form action="/models" class="top-search" role="search" aria-label={WORDS.findModel[language]}>
            <Icon name="search" size={15} />
            <input
              name="q"
              type="search"
              aria-label={WORDS.findModel[language]}
              placeholder={WORDS.findModel[language]}
            />
            {asked.isLanguageNamed ? <input type="hidden" name="lang" value={language} /> : null}
            <kbd aria-hidden="true">/</kbd>
          </form>
        ) : null}
        <ThemeMenu language={language} />
        <LanguageLink asked={asked} />
        <Account asked={asked} />
      </div>
    </header>
  );
}
