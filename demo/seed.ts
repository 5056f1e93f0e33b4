// Fills a new data directory: first the installation, through the API; then thirty days of the past, through the ledger.
import { DAY_SECONDS, unixSeconds } from '#contract/time.ts';
import { openLedger } from '#server/money/ledger/open-ledger.ts';
import { openCostBook } from '#server/money/costs/index.ts';
import { bookPlanFees } from '#server/admin/margins/index.ts';
import { createApplication } from '#server/app/app.ts';
import { VERSION } from '#server/platform/version.ts';
import type { Environment } from '#server/platform/env.ts';
import { createLog } from '#server/platform/log.ts';
import { createBudgetBook } from '#server/relay/money/budget-book.ts';
import { openSettings } from '#server/platform/settings/settings.ts';
import { openStore, type Store } from '#server/platform/store/store.ts';
import { WRITER_ENTRY } from '#server/app/writer-entry.ts';
import { bookCalls, type Payer } from './seed-calls.ts';
import { bookHealth, bookRefusals } from './seed-health.ts';
import { bookIncidents } from './seed-incidents.ts';
import { bookMeasured } from './seed-measured.ts';
import { abandonOrder, payOrder, waitForOrders } from './seed-orders.ts';
import { bookPrices, pricesAt } from './seed-prices.ts';
import { bookSuppliers } from './seed-suppliers.ts';
import { numberOrdersByTime } from './order-times.ts';
import type { DemoProvider } from './provider.ts';
import { KEYS, ORGANIZATION, ORGANIZATION_PART } from './organization.ts';
import { finishSite, setUpSite, type SetUp, type Site } from './site.ts';
import { DAYS, trafficOf, type TrafficCall } from './traffic.ts';

const ABANDONED_BEFORE_SECONDS = 2 * 3600;
/** Public figures reach back for ninety days. */
const BEGUN_DAYS = 92;
const NO_LIMIT = { most: 0, seconds: 60 };

export interface SeedOptions {
  environment: Environment;
  provider: DemoProvider;
  rootPassword: string;
  isReadOnly: boolean;
  calls: number;
  onStep: (step: string) => void;
}

export async function seedDemo(options: SeedOptions): Promise<Site> {
  options.onStep('setting up channels, users, plans');
  await openingPrices(options);
  const site = await inApplication(options, setUpSite);
  options.onStep(`making ${DAYS} days of traffic`);
  await bookPast(options, site);
  await inApplication(options, (setUp) => finishSite(setUp, site));
  return site;
}

async function openingPrices({ environment: { dataDir } }: SeedOptions): Promise<void> {
  const store = await openStore({ dataDir, writerEntry: WRITER_ENTRY });
  try {
    await bookPrices(store, unixSeconds());
  } finally {
    await store.close();
  }
}

/** One that does not listen. */
async function inApplication<T>(options: SeedOptions, work: (setUp: SetUp) => Promise<T>): Promise<T> {
  const application = await createApplication(options.environment, {
    log: createLog({ level: 'warn' }),
    limits: { api: NO_LIMIT, web: NO_LIMIT, critical: NO_LIMIT, guess: NO_LIMIT, search: NO_LIMIT },
  });
  try {
    return await work({
      ...options,
      send: (request) => application.fetch(request),
      url: 'http://localhost',
    });
  } finally {
    await application.close();
  }
}

async function bookPast({ environment: { dataDir }, calls }: SeedOptions, site: Site): Promise<void> {
  const store = await openStore({ dataDir, writerEntry: WRITER_ENTRY });
  try {
    if (store.dialect !== 'sqlite') throw new Error('the demo runs on SQLite');
    const log = createLog({ level: 'warn' });
    const settings = await openSettings(store, log);
    const costs = await openCostBook(store, settings, log);
    const ledger = await openLedger({ store, nodeId: 'demo', dataDir, version: VERSION });
    try {
      const now = unixSeconds();
      const callers = [...site.people, ...(await organizationCallers(store, site))];
      const traffic = trafficOfAll(now, calls, site.people.length);
      const orders = { store, ledger, settings };
      const { people, channelIds } = site;
      let count = 0;
      await beginEarlier(store, now);
      const budgets = createBudgetBook(store, settings);
      await bookCalls(
        {
          writer: store.writer,
          budgets,
          pricesAt: await pricesAt(store),
          costs,
          people: callers,
          channelIds,
          async topUp(person, at) {
            count += 1;
            // Now and then somebody begins to pay, goes away, and comes back.
            if (count % 6 === 3) await abandonOrder(orders, person, at - ABANDONED_BEFORE_SECONDS);
            return await payOrder(orders, person, at);
          },
        },
        traffic,
      );
      budgets.close();
      await bookFees(store, settings, now);
      await bookHealth(store, traffic, channelIds);
      await bookRefusals(store, people, now);
      await bookIncidents(store, people, now);
      await bookSuppliers({ store, settings, channelIds, now });
      await bookMeasured(store, settings.current.SiteTimeZone, now);
      await waitForOrders(orders, people, now);
      await numberOrdersByTime(store);
      await runLow(store, site, now);
    } finally {
      await ledger.close();
      costs.close();
      settings.close();
    }
  } finally {
    await store.close();
  }
}

/** In the order of KEYS, after the people: the organization pays for each of them. */
async function organizationCallers({ db }: Store, { organization: { id, keys } }: Site): Promise<Payer[]> {
  const account = await db
    .selectFrom('users')
    .select(['username', 'group', 'role'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return keys.map(({ tokenId, memberId, serviceAccountId, projectId }, at) => ({
    ...account,
    id,
    topUp: ORGANIZATION.topUp,
    tokenIds: [tokenId],
    tokenNames: [KEYS[at]?.name ?? ''],
    tags: KEYS[at]?.tags ?? {},
    organization: { id, memberId, serviceAccountId, projectId },
  }));
}

function trafficOfAll(now: number, calls: number, people: number): TrafficCall[] {
  const ofOrganization = Math.round(calls * ORGANIZATION_PART);
  const callers = KEYS.map(({ name, share }) => ({ share, tokens: [name] }));
  return [
    ...trafficOf({ now, calls: calls - ofOrganization }),
    ...trafficOf({ now, calls: ofOrganization, callers, seed: 7 }).map((call) => ({
      ...call,
      person: people + call.person,
    })),
  ].toSorted((one, other) => one.at - other.at);
}

/** The first run books one day, the second all days since. */
async function bookFees(store: Store, settings: Parameters<typeof bookPlanFees>[0]['settings'], now: number) {
  for (const at of [now - (DAYS - 1) * DAY_SECONDS, now])
    await bookPlanFees({ store, settings, now: () => at });
}

/** Accounts, tokens and channels are older than their first call. */
async function beginEarlier({ db }: Store, now: number): Promise<void> {
  const begun = now - BEGUN_DAYS * DAY_SECONDS;
  await db.updateTable('users').set({ created_at: begun }).execute();
  await db.updateTable('tokens').set({ created_time: begun }).execute();
  await db.updateTable('channels').set({ created_time: begun }).execute();
  await db.updateTable('organizations').set({ created_at: begun }).execute();
  await db.updateTable('organization_members').set({ joined_at: begun }).execute();
  await db.updateTable('projects').set({ created_at: begun }).execute();
  await db.updateTable('service_accounts').set({ created_at: begun }).execute();
  await db.updateTable('budgets').set({ created_at: begun }).execute();
}

/** A supplier's account that lasts for two days, and a key that ends soon. */
async function runLow({ db }: Store, { channelIds, people }: Site, now: number): Promise<void> {
  await db
    .updateTable('channels')
    .set({ balance: 10.4, balance_updated_time: now - 1800 })
    .where('id', '=', channelIds.get('anthropic-direct') ?? 0)
    .execute();
  await db
    .updateTable('tokens')
    .set({ expired_time: now + 2 * DAY_SECONDS })
    .where('id', '=', people[0]?.tokenIds.at(-1) ?? 0)
    .execute();
}
