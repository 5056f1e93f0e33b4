// Two nodes on one PostgreSQL that publish, schedule and withdraw prices at the same moment. Each race is held at the lock of
// prices until everybody waits there; the lock is given in the order of arrival.
import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { sql } from 'kysely';
import { AppError } from '#contract/errors.ts';
import { pricesText, readPrices } from '#contract/money/price-keys.ts';
import {
  createDraft,
  readDraft,
  scheduleDraft,
  withdrawDraft,
  type PriceAuthor,
  type PriceDraft,
} from '#server/money/price-book/drafts.ts';
import { publishDraft, publishDue, rollBack } from '#server/money/price-book/publish.ts';
import { newestVersion } from '#server/money/price-book/versions.ts';
import { createLog } from '#server/platform/log.ts';
import { lockPrices } from '#server/platform/settings/price-versions.ts';
import { openSettings, type LiveSettings } from '#server/platform/settings/settings.ts';
import type { Store } from '#server/platform/store/store.ts';
import { databaseSource, temporaryPlace, type TemporaryPlace } from '#tests/support/databases.ts';

setDefaultTimeout(60_000);

interface Node {
  store: Store;
  settings: LiveSettings;
}

const now = () => Math.floor(Date.now() / 1000);
const { signal } = new AbortController();
const source = databaseSource('postgres');
let place: TemporaryPlace;
let anna: Node;
let bert: Node;

const author = (actorId: number): PriceAuthor => ({ actorId, language: 'en', audit: async () => {} });
const noAudit = author(0).audit;

beforeEach(async () => {
  place = await temporaryPlace('postgres');
  const node = async (): Promise<Node> => {
    const store = await source.open(place);
    return { store, settings: await openSettings(store, createLog({ level: 'error' })) };
  };
  anna = await node();
  bert = await node();
});
afterEach(async () => {
  for (const { settings } of [anna, bert]) settings.close();
  await source.closeAll();
  await place.remove();
});

const draftOf = (prices: Record<string, unknown>) =>
  createDraft(anna, { reason: 'why', source: 'operator', prices }, author(7));
const setDraft = (id: number, change: Partial<PriceDraft>) =>
  anna.store.db.updateTable('price_drafts').set(change).where('id', '=', id).execute();
const versions = async () => (await anna.store.db.selectFrom('price_versions').select('id').execute()).length;
const runningId = async () => (await newestVersion(anna.store.db)).id;
const runningPrices = async () => readPrices((await newestVersion(anna.store.db)).prices);
const outcomeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'done',
    (error: unknown) => {
      if (error instanceof AppError) return error.code;
      throw error;
    },
  );

/** What of this database waits for a lock of the kind. */
const waiting = async (kind: 'advisory' | 'transactionid') => {
  const { rows } = await sql<{ count: number }>`select count(*) as count from pg_locks
    join pg_stat_activity using (pid)
    where not granted and locktype = ${kind} and datname = current_database()`.execute(anna.store.db);
  return rows[0]?.count ?? 0;
};

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await Bun.sleep(5);
}

/** Begins one after the other while nobody gets the lock of prices; `meanwhile` runs when everybody waits for it. */
async function atOnce(
  begin: readonly (() => Promise<unknown>)[],
  meanwhile = async () => {},
): Promise<string[]> {
  const outcomes: Promise<string>[] = [];
  await anna.store.db.transaction().execute(async (transaction) => {
    await lockPrices(anna.store, transaction);
    for (const one of begin) {
      outcomes.push(outcomeOf(one()));
      await until(async () => (await waiting('advisory')) === outcomes.length);
    }
    await meanwhile();
  });
  return await Promise.all(outcomes);
}

test('of two drafts published over one version on two nodes one is in force, and the other is refused unchanged (M21)', async () => {
  const drafts = [await draftOf({ BatchRatio: 0.4 }), await draftOf({ BatchRatio: 0.3 })];
  const over = await runningId();
  const publish = (node: Node, { id, revision }: PriceDraft) =>
    publishDraft(node, id, { revision, over }, author(8));
  const outcomes = await atOnce(
    drafts.map((draft, index) => () => publish(index === 0 ? anna : bert, draft)),
  );
  expect(outcomes).toEqual(['done', 'price_draft_outdated']);
  expect(await versions()).toBe(2);
  expect((await runningPrices()).BatchRatio).toBe(0.4);
  expect(await readDraft(anna.store.db, drafts[1]?.id ?? 0)).toMatchObject({ status: 'draft', revision: 0 });
  // Both nodes charge by the new prices, whichever published them.
  await until(async () => bert.settings.current.priceVersion === over + 1);
  for (const { settings } of [anna, bert]) expect(settings.current.BatchRatio).toBe(0.4);
});

test('a draft that two nodes publish at once makes one version (M21)', async () => {
  const { id, revision } = await draftOf({ BatchRatio: 0.4 });
  const over = await runningId();
  const publish = (node: Node) => () => publishDraft(node, id, { revision, over }, author(8));
  expect(await atOnce([publish(anna), publish(bert)])).toEqual(['done', 'price_draft_outdated']);
  expect(await versions()).toBe(2);
  expect(await readDraft(anna.store.db, id)).toMatchObject({ status: 'published', version_id: over + 1 });
});

test('of a draft, a rollback and a saved price at once the first is in force, and no change is overwritten unseen (M21)', async () => {
  await anna.settings.set('BatchRatio', '0.4', 7);
  const first = await runningId();
  await anna.settings.set('BatchRatio', '0.3', 7);
  const over = await runningId();
  const { id, revision } = await draftOf({ ImageRatio: { picture: 2 } });
  const publish = (seen: number) => () => publishDraft(anna, id, { revision, over: seen }, author(8));
  const back = (seen: number) => () => rollBack(bert, first, { over: seen, reason: 'mistyped' }, author(9));
  expect(await atOnce([back(over), publish(over)])).toEqual(['done', 'price_draft_outdated']);
  expect(await runningPrices()).toMatchObject({ BatchRatio: 0.4, ImageRatio: {} });
  const seen = await runningId();
  const save = () => bert.settings.set('BatchRatio', '0.2', 7);
  expect(await atOnce([save, publish(seen), back(seen)])).toEqual([
    'done',
    'price_draft_outdated',
    'price_draft_outdated',
  ]);
  expect(await runningPrices()).toMatchObject({ BatchRatio: 0.2, ImageRatio: {} });
  expect(await versions()).toBe(seen + 1);
});

test('a draft that is withdrawn or put off while the job waits is not published, nor given back (M21)', async () => {
  for (const change of ['withdraw', 'put off', 'not at a time'] as const) {
    const { id } = await draftOf({ ImageRatio: { [change]: 2 } });
    await setDraft(id, { status: 'scheduled', publish_at: now() - 5, revision: 3 });
    const before = await versions();
    const later = now() + 500;
    const publishAt = change === 'put off' ? later : 0;
    await atOnce(
      [() => publishDue(anna, noAudit, signal), () => publishDue(bert, noAudit, signal)],
      async () => {
        if (change === 'withdraw') await withdrawDraft(bert, id, 3, author(8));
        else await scheduleDraft(bert, id, { revision: 3, publishAt }, author(8));
      },
    );
    expect(await versions()).toBe(before);
    expect(await readDraft(anna.store.db, id)).toMatchObject({
      status: { withdraw: 'withdrawn', 'put off': 'scheduled', 'not at a time': 'draft' }[change],
      publish_at: publishAt,
      revision: 4,
      error: '',
      version_id: 0,
    });
    await setDraft(id, { status: 'withdrawn' });
  }
});

test('who withdraws a draft while its publication is being written waits, and is told that it is closed (M21)', async () => {
  for (const publisher of ['operator', 'job'] as const) {
    const { id } = await draftOf({ ImageRatio: { [publisher]: 2 } });
    await setDraft(id, { status: 'scheduled', publish_at: now() - 5 });
    let withdrawal: Promise<string> | undefined;
    // The last step of the publication's transaction.
    const audit: PriceAuthor['audit'] = async (_, action) => {
      if (action !== 'price_version.publish') return;
      withdrawal = outcomeOf(withdrawDraft(bert, id, 0, author(8)));
      await until(async () => (await waiting('transactionid')) === 1);
    };
    const over = await runningId();
    if (publisher === 'job') await publishDue(anna, audit, signal);
    else await publishDraft(anna, id, { revision: 0, over }, { ...author(7), audit });
    expect(await withdrawal).toBe('price_draft_closed');
    expect(await readDraft(anna.store.db, id)).toMatchObject({ status: 'published', version_id: over + 1 });
    expect((await runningPrices()).ImageRatio[publisher]).toBe(2);
  }
});

test('drafts that several nodes publish when due make one version each, and keep each other’s prices (M21)', async () => {
  const made: PriceDraft[] = [];
  for (const name of ['a', 'b', 'c']) {
    const draft = await draftOf({ ImageRatio: { [name]: 2 } });
    await setDraft(draft.id, { status: 'scheduled', publish_at: now() - 5 });
    made.push(draft);
  }
  const publish = (node: Node) => () => publishDue(node, noAudit, signal);
  expect(await atOnce([publish(anna), publish(bert), publish(anna)])).toEqual(['done', 'done', 'done']);
  expect(await versions()).toBe(4);
  expect((await runningPrices()).ImageRatio).toEqual({ a: 2, b: 2, c: 2 });
  for (const { id } of made) expect((await readDraft(anna.store.db, id)).status).toBe('published');
});

test('settings that a node reads while versions are published name the version whose prices they are (M21)', async () => {
  const rounds = 8;
  const progress = { isOver: false };
  const publishing = (async () => {
    for (let round = 1; round <= rounds; round += 1) {
      const { id, revision } = await draftOf({ BatchRatio: round / 100, ImageRatio: { round } });
      await publishDraft(anna, id, { revision, over: await runningId() }, author(8));
    }
    progress.isOver = true;
  })();
  const read = new Map<number, string>();
  while (!progress.isOver) {
    await bert.settings.reload();
    const { current } = bert.settings;
    read.set(current.priceVersion ?? 0, pricesText(current));
  }
  await publishing;
  expect(read.size).toBeGreaterThan(1);
  const made = await anna.store.db.selectFrom('price_versions').select(['id', 'prices']).execute();
  for (const [version, prices] of read)
    expect(made.find(({ id }) => id === version)?.prices ?? '').toBe(prices);
});
