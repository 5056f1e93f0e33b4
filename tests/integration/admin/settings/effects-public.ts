// Effects of the options that decide what visitors see on the pages of the server.
import type { Effect, Effects, Stage } from './effects-stage.ts';

const page =
  (path: string, part: string) =>
  async ({ app }: Stage): Promise<boolean> => {
    const response = await fetch(`${app.url}${path}`, { headers: { Accept: 'text/html' } });
    return (await response.text()).includes(part);
  };

const shownText = (effect: string, path: string, language: 'zh' | 'en'): Effect => ({
  effect,
  text: '# House rules',
  observe: page(`${path}?lang=${language}`, '<h1>House rules</h1>'),
  before: false,
  after: true,
});

const inEnglish =
  (path: string, part: (body: { data?: unknown }) => unknown) =>
  async ({ app }: Stage): Promise<unknown> =>
    part((await app.request(path, { language: 'en' })).body);

export const publicEffects: Effects = {
  PublicModelsEnabled: {
    effect: 'Whether everybody can open the catalogue and the model pages',
    text: 'false',
    observe: page('/?lang=en', 'href="/models?lang=en"'),
    before: true,
    after: false,
  },
  PublicMeasuredEnabled: {
    effect: 'Whether the model pages show measured figures',
    text: 'false',
    observe: page('/models?lang=en', 'First token'),
    before: true,
    after: false,
  },
  PublicStatusEnabled: {
    effect: 'Whether everybody can open the status page',
    text: 'false',
    observe: page('/?lang=en', 'href="/status?lang=en"'),
    before: true,
    after: false,
  },
  NoticeEn: shownText('The notice for readers of English', '/', 'en'),
  HomePageContentEn: shownText('The home page for readers of English', '/', 'en'),
  AboutEn: {
    effect: 'The about page for readers of English',
    text: 'who we are',
    observe: inEnglish('/api/about', (body) => body.data),
    before: '',
    after: 'who we are',
  },
  FooterEn: {
    effect: 'The footer for readers of English',
    text: '<b>house</b>',
    observe: inEnglish('/api/status', (body) => (body.data as { footer_html: string }).footer_html),
    before: '',
    after: '<b>house</b>',
  },
  TermsZh: shownText('The terms of service for readers of Chinese', '/terms', 'zh'),
  TermsEn: shownText('The terms of service for readers of English', '/terms', 'en'),
  PrivacyZh: shownText('The privacy policy for readers of Chinese', '/privacy', 'zh'),
  PrivacyEn: shownText('The privacy policy for readers of English', '/privacy', 'en'),
  ContactZh: shownText('The contact page for readers of Chinese', '/contact', 'zh'),
  ContactEn: shownText('The contact page for readers of English', '/contact', 'en'),
};
