// Effects of the site options: public content and display of money.
import { ROLE } from '#contract/access.ts';
import { content, status, type Effects, type Stage } from './effects-stage.ts';

/** Browser tests check the visible effect of these options. */
const SHOWN = { shown: 'tests/e2e/settings-effects.test.ts' };
const CHATS = '[{"House chat":"https://chat.example/#{key}"}]';

async function writeOnDemo({ app }: Stage): Promise<number> {
  const user = await app.actor();
  return (await app.request('/api/token/', { as: user, body: { name: 'x' } })).status;
}

async function firstStepsShown({ app }: Stage): Promise<boolean> {
  const root = await app.actor({ role: ROLE.root });
  return (await app.client(root).firstRun.read({ query: {} })).is_shown;
}

export const siteEffects: Effects = {
  Notice: {
    ...SHOWN,
    effect: 'The notice visitors see',
    text: 'closed on Monday',
    observe: content('/api/notice'),
    before: '',
    after: 'closed on Monday',
  },
  About: {
    ...SHOWN,
    effect: 'The about page',
    text: 'who we are',
    observe: content('/api/about'),
    before: '',
    after: 'who we are',
  },
  HomePageContent: {
    ...SHOWN,
    effect: 'The home page',
    text: '# Hello',
    observe: content('/api/home_page_content'),
    before: '',
    after: '# Hello',
  },
  SystemName: {
    ...SHOWN,
    effect: 'The name of the site in the console and in emails',
    text: 'House Gate',
    observe: status('system_name'),
    before: 'Tollgate',
    after: 'House Gate',
  },
  Logo: {
    ...SHOWN,
    effect: 'The logo of the console',
    text: '/house.svg',
    observe: status('logo'),
    before: '/logo.png',
    after: '/house.svg',
  },
  Footer: {
    ...SHOWN,
    effect: 'The footer of every page',
    text: '<b>house</b>',
    observe: status('footer_html'),
    before: '',
    after: '<b>house</b>',
  },
  SiteTimeZone: {
    effect: 'The time zone in which days of usage figures begin at midnight',
    text: 'Asia/Shanghai',
    observe: async ({ app }) => (await app.client(await app.actor()).overview.self()).time_zone,
    before: 'UTC',
    after: 'Asia/Shanghai',
  },
  TopUpLink: {
    ...SHOWN,
    effect: 'Where the wallet sends users to buy codes',
    text: 'https://shop.example',
    observe: status('top_up_link'),
    before: '',
    after: 'https://shop.example',
  },
  ChatLink: {
    ...SHOWN,
    effect: 'The first chat link of the menu',
    text: 'https://chat.example',
    observe: status('chat_link'),
    before: '',
    after: 'https://chat.example',
  },
  ChatLink2: {
    shown: 'tests/e2e/chat.test.ts',
    effect: 'The second chat link of the menu',
    text: 'https://chat2.example',
    observe: status('chat_link2'),
    before: '',
    after: 'https://chat2.example',
  },
  Chats: {
    shown: 'tests/e2e/chat.test.ts',
    effect: 'The chat applications in the API key menu and on the chat page',
    text: CHATS,
    observe: async (stage) => ((await status('chats')(stage)) as unknown[]).length,
    before: 3,
    after: 1,
  },
  DisplayInCurrencyEnabled: {
    ...SHOWN,
    effect: 'Amounts are shown as money or as quota',
    text: 'false',
    observe: status('display_in_currency'),
    before: true,
    after: false,
  },
  DefaultCollapseSidebar: {
    ...SHOWN,
    effect: 'The side menu starts collapsed',
    text: 'true',
    observe: status('default_collapse_sidebar'),
    before: false,
    after: true,
  },
  FirstStepsEnabled: {
    effect: 'What is left to set up is shown to the super admin',
    text: 'false',
    observe: firstStepsShown,
    before: true,
    after: false,
  },
  DemoSiteEnabled: {
    effect: 'Changes of users and admins are refused with 405',
    text: 'true',
    observe: writeOnDemo,
    before: 200,
    after: 405,
  },
  PublicDocsEnabled: {
    effect: 'Visitors do not see the documents and are asked to sign in',
    text: 'false',
    observe: status('public_docs'),
    before: true,
    after: false,
  },
  TaskEnabled: {
    effect: 'The field of the status object for tasks, which compatible clients read',
    text: 'false',
    observe: status('enable_task'),
    before: true,
    after: false,
  },
  DataExportEnabled: {
    ...SHOWN,
    effect: 'The menu has the dashboard',
    text: 'false',
    observe: status('enable_data_export'),
    before: true,
    after: false,
  },
  DataExportInterval: {
    ...SHOWN,
    effect: 'How often an open dashboard reads its figures again',
    text: '15',
    observe: status('data_export_interval'),
    before: 5,
    after: 15,
  },
  DataExportDefaultTime: {
    shown: 'tests/e2e/dashboard.test.ts',
    effect: 'The granularity the dashboard starts with',
    text: 'week',
    observe: status('data_export_default_time'),
    before: 'hour',
    after: 'week',
  },
  ServerAddress: {
    ...SHOWN,
    effect: 'The address in emails, callbacks and the console; also accepted as our own origin',
    text: 'https://gate.example',
    observe: async (stage) => (await status('server_address')(stage)) === 'https://gate.example',
    before: false,
    after: true,
  },
};
