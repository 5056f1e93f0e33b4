// How long the first pages of operators, customers and visitors take on a large site, on both databases:
//   npm run bench -- --pages [--rows 10000000] [--databases sqlite,postgres] [--zone Asia/Shanghai] [--runs 5] [--keep directory]
//     [--only organization]
// 200 channels, 400 models, 5,000 users and ninety days of calls with the sums that jobs keep of them, and 1,000 organizations of 100
// members with a quarter as many calls, in the whole
// application over HTTP. `--keep` leaves the SQLite database for another run. Exits with 1 when a page takes longer
// than 300 ms, the first time after a start or at the median.
import { existsSync, mkdirSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { ROLE } from '#contract/access.ts';
import { readArguments } from '#tests/bench/arguments.ts';
import { sumDays } from '#server/admin/measured/index.ts';
import { openSessions } from '#server/admin/http/sessions.ts';
import { createLog } from '#server/platform/log.ts';
import { openStore, type Store } from '#server/platform/store/store.ts';
import { startApplication, type TestApplication } from '#tests/support/application.ts';
import { addChannel } from '#tests/support/channels.ts';
import { applicationWriter, temporaryPlace, type DatabaseLabel } from '#tests/support/databases.ts';
import { fillPostgres, fillSqlite } from './fill.ts';
import { ORGANIZATION_HEADER } from '#contract/admin/organizations.ts';
import { FIRST_MEMBER, organizationQuestions, seedOrganizations } from './organizations.ts';
import { CHANNELS, channelsOf, DAYS, FIRST_USER, MODELS, modelNames, seedSite } from './pages-seed.ts';

const { values: options } = readArguments({
  options: {
    rows: { type: 'string', default: '10000000' },
    databases: { type: 'string', default: 'sqlite,postgres' },
    /** The site's: days that are not those of UTC need more sums. */
    zone: { type: 'string', default: 'Asia/Shanghai' },
    runs: { type: 'string', default: '5' },
    keep: { type: 'string' },
    /** Only the questions whose name has this word. */
    only: { type: 'string', default: '' },
    /** Selects this bench in `npm run bench`; accepted here and ignored. */
    pages: { type: 'boolean' },
  },
});

const LIMIT_MILLISECONDS = 300;
/** A page for everybody is kept in memory for two seconds. */
const KEPT_MILLISECONDS = 2100;
const rows = Number(options.rows);
const slow: string[] = [];
const now = () => Math.floor(Date.now() / 1000);

interface Place {
  dataDir: string;
  databaseUrl?: string | undefined;
}

const seconds = (since: number): string => `${((performance.now() - since) / 1000).toFixed(0)} s`;

async function fill(place: Place): Promise<void> {
  const open = () => openStore({ ...place, writerEntry: applicationWriter });
  const store = await open();
  await addChannels(store);
  await store.close();
  const startedAt = performance.now();
  const filling = place.databaseUrl ? await fillPostgres(place.databaseUrl, DAYS) : fillSqlite(place.dataDir);
  await seedSite(filling, rows, now());
  await seedOrganizations(filling, Math.ceil(rows / 4), now());
  await filling.finish();
  console.log(`  filled in ${seconds(startedAt)}`);
  const summedAt = performance.now();
  const summing = await open();
  await sumDays({ store: summing, zone: options.zone, now: now() }, async () => true);
  await summing.close();
  console.log(`  summed in ${seconds(summedAt)}`);
}

async function addChannels(store: Store): Promise<void> {
  const models = modelNames();
  const offered = Array.from({ length: CHANNELS }, (): string[] => []);
  for (const [at, model] of models.entries())
    for (const channel of channelsOf(at)) offered[channel]?.push(model);
  for (const [at, own] of offered.entries())
    await addChannel(store, { base_url: 'http://127.0.0.1:9', name: `channel-${at}`, models: own });
}

interface Question {
  what: string;
  path: string;
  as?: string;
  organization?: number;
  isKept?: boolean;
}

/** Signed in without a login. */
async function cookieOf({ store }: TestApplication, userId: number): Promise<string> {
  const sessions = openSessions(store, createLog({ level: 'error', write: () => {} }));
  const id = await store.db
    .transaction()
    .execute((transaction) =>
      sessions.start(transaction, userId, { address: '127.0.0.1', userAgent: 'Bun' }),
    );
  sessions.close();
  return `sid=${id}; ${userId}`;
}

const questions = (operator: string, customer: string): Question[] => {
  const [model = ''] = modelNames();
  const named = encodeURIComponent(model);
  return [
    { what: 'overview of an operator, yesterday', path: '/api/overview', as: operator },
    { what: 'overview of an operator, today', path: '/api/overview?day=today', as: operator },
    { what: 'overview of an operator, the month', path: '/api/overview?day=month', as: operator },
    { what: 'what needs an operator', path: '/api/attention', as: operator },
    { what: 'overview of a customer', path: '/api/overview/self', as: customer },
    { what: 'what needs a customer', path: '/api/attention', as: customer },
    { what: 'home', path: '/?lang=en', isKept: true },
    { what: 'catalogue', path: '/models?lang=en', isKept: true },
    { what: 'catalogue, API of a visitor', path: '/api/pricing' },
    { what: 'catalogue, API of a customer', path: '/api/pricing', as: customer },
    { what: 'a model', path: `/models/${named}?lang=en`, isKept: true },
    { what: 'status', path: '/status?lang=en', isKept: true },
    { what: 'status as JSON', path: '/status.json', isKept: true },
    { what: 'models of an operator', path: '/api/model/', as: operator },
    { what: 'page of a model', path: `/api/model/page?name=${named}`, as: operator },
    { what: 'page of a channel', path: '/api/channel/1/page', as: operator },
    { what: 'margins of 30 days', path: '/api/margins/', as: operator },
    { what: 'margins of 90 days by day', path: '/api/margins/?days=90&by=day', as: operator },
  ];
};

interface Answer {
  wall: number;
  cpu: number;
  bytes: number;
}

async function ask({ url }: TestApplication, { path, as, organization }: Question): Promise<Answer> {
  const [cookie = '', user = ''] = as?.split('; ') ?? [];
  const before = process.cpuUsage();
  const startedAt = performance.now();
  const answer = await fetch(url + path, {
    headers: {
      accept: path.startsWith('/api') || path.endsWith('.json') ? 'application/json' : 'text/html',
      'accept-encoding': 'gzip',
      ...(as === undefined ? {} : { cookie, 'New-Api-User': user }),
      ...(organization === undefined ? {} : { [ORGANIZATION_HEADER]: String(organization) }),
    },
  });
  const body = await answer.arrayBuffer();
  const wall = performance.now() - startedAt;
  const used = process.cpuUsage(before);
  const refused =
    answer.status !== 200 || new TextDecoder().decode(body.slice(0, 20)).includes('"success":false');
  if (refused) throw new Error(`${path}: ${answer.status} ${new TextDecoder().decode(body)}`);
  return { wall, cpu: (used.user + used.system) / 1000, bytes: body.byteLength };
}

async function measure(application: TestApplication, question: Question): Promise<void> {
  const first = await ask(application, question);
  const answers: Answer[] = [];
  for (let run = 0; run < Number(options.runs); run += 1) {
    if (question.isKept === true) await Bun.sleep(KEPT_MILLISECONDS);
    answers.push(await ask(application, question));
  }
  const median = (name: keyof Answer) =>
    answers.map((answer) => answer[name]).toSorted((left, right) => left - right)[
      Math.floor(answers.length / 2)
    ] ?? 0;
  const isSlow = Math.max(first.wall, median('wall')) > LIMIT_MILLISECONDS;
  if (isSlow) slow.push(question.what);
  const ms = (value: number) => value.toFixed(1).padStart(7);
  console.log(
    `  ${isSlow ? '!' : ' '} ${ms(median('wall'))} ms, processor ${ms(median('cpu'))}  first ${ms(first.wall)}, processor ` +
      `${ms(first.cpu)}  ${(median('bytes') / 1024).toFixed(0).padStart(5)} KiB  ${question.what}`,
  );
}

async function bench(label: DatabaseLabel): Promise<void> {
  const kept = label === 'sqlite' ? options.keep : undefined;
  if (kept !== undefined) mkdirSync(kept, { recursive: true });
  const place = kept === undefined ? await temporaryPlace(label) : { dataDir: kept, remove: async () => {} };
  console.log(
    `${label}: ${rows} log rows over ${DAYS} days, ${CHANNELS} channels, ${MODELS} models, ${options.zone}, ` +
      `${cpus().length} cores, load ${loadavg()[0]?.toFixed(1)}`,
  );
  try {
    if (kept === undefined || !existsSync(join(kept, 'tollgate.db'))) await fill(place);
    const application = await startApplication({
      place,
      settings: { SiteTimeZone: options.zone, OrganizationsEnabled: 'true' },
    });
    try {
      const operator = await application.actor({ role: ROLE.root });
      const customer = await cookieOf(application, FIRST_USER);
      const root = `${operator.cookie}; ${operator.id}`;
      const owner = await cookieOf(application, FIRST_MEMBER);
      const all: Question[] = [
        ...questions(root, customer),
        ...organizationQuestions({ owner, operator: root, person: customer }, now()),
      ];
      for (const question of all.filter(({ what }) => what.includes(options.only)))
        await measure(application, question);
    } finally {
      await application.close();
    }
  } finally {
    await place.remove();
  }
}

for (const label of options.databases.split(',') as DatabaseLabel[]) await bench(label);
console.log(slow.length === 0 ? `all under ${LIMIT_MILLISECONDS} ms` : `too slow: ${slow.join('; ')}`);
process.exit(slow.length === 0 ? 0 : 1);
