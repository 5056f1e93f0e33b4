// Takes a picture of every screen in both languages and themes, from phone to wide desktop, into test-results/screens/, and
// reports what a program can find: cut or covered text, small targets, Chinese words on an English page, accessibility
// violations, console errors. Exits with 1 when it found any. --stretch gives everything long names, some of them
// written from right to left; --quick leaves out the accessibility check, which takes most of the time; --part 2/4 takes the second quarter.
//   bun tests/e2e/screenshots.ts [parts of screens' names] [--shots zh-light-1440,en-dark-375] [--stretch] [--quick] [--part 2/4]
import { mkdirSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { startApplication } from '#tests/support/application.ts';
import { providerSettings, startProviders, closeProviders } from '#mock/logins/index.ts';
import { startMockUpstream } from '#mock/upstream/index.ts';
import { openCompany } from './screenshot-company.ts';
import { COMPANY_SCREENS } from './screenshot-company-screens.ts';
import { liveIn } from './screenshot-data.ts';
import { LEGAL, openShop } from './screenshot-shop.ts';
import { FOLDER, shootSite, SITE, type Site } from './screenshot-shoot.ts';
import { stretch } from './screenshot-stretch.ts';
import type { Screen } from './screenshot-screen.ts';
import { SHADOWS } from './screenshot-shadow-screens.ts';
import { SCREENS } from './screenshot-screens.ts';
import { VIRTUAL } from './screenshot-virtual-screens.ts';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    shots: { type: 'string' },
    stretch: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    part: { type: 'string', default: '1/1' },
  },
});
const wanted = positionals.length === 0 ? [''] : positionals;
const CHATS = [
  { NextChat: 'https://chat.example/#/?settings={"key":"{key}","url":"{address}"}' },
  { 'Cherry Studio': 'cherrystudio://providers/api-keys?v=1&data={cherryConfig}' },
  { OpenCat: 'opencat://team/join?domain={address}&token={key}' },
];

const ANSWER = [
  'A year is a leap year when it can be divided by 4, except centuries that cannot be divided by 400.',
  '',
  '```python',
  'def is_leap(year: int) -> bool:',
  '    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)',
  '```',
  '',
  '| year | leap |',
  '|---|---|',
  '| 1900 | no |',
  '| 2000 | yes |',
].join('\n');

const [part = 1, parts = 1] = options.part.split('/').map(Number);
const isWanted = ({ name }: Screen) => wanted.some((each) => name.includes(each));
const chosen = (screens: readonly Screen[]) =>
  screens
    .filter(isWanted)
    .filter((_, index, { length }) => Math.floor((index * parts) / length) === part - 1);
const shots = { wanted: options.shots?.split(','), quick: options.quick };
mkdirSync(FOLDER, { recursive: true });
const results = [
  await shootSite(openLived, chosen([...SCREENS, ...VIRTUAL, ...SHADOWS]), shots),
  await shootSite(openCompany, chosen(COMPANY_SCREENS), shots),
];
const found = results.flatMap((result) => result.found);
const count = results.reduce((sum, result) => sum + result.count, 0);

async function openLived(): Promise<Site> {
  const upstream = startMockUpstream();
  upstream.behave({ text: ANSWER });
  const application = await startApplication({
    settings: { Chats: JSON.stringify(CHATS), ServerAddress: SITE, ...LEGAL },
  });
  const providers = await startProviders();
  const lived = await liveIn(application, upstream.url);
  const shared = await openShop(application, lived);
  if (options.stretch) await stretch(application);
  return {
    application,
    people: { ...lived },
    words: { shared },
    settings: {
      outside: providerSettings(providers),
      verified: {
        SMTPServer: '127.0.0.1',
        SMTPFrom: 'gate@example.com',
        EmailVerificationEnabled: 'true',
      },
    },
    async close() {
      await application.close();
      await upstream.stop();
      await closeProviders(providers);
    },
  };
}

process.stdout.write(`${count} pictures in test-results/screens/\n`);
for (const fault of found) process.stdout.write(`! ${fault}\n`);
process.exit(found.length === 0 ? 0 : 1);
