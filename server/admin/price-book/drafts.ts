// Drafts of prices: listed, compared with what runs, changed, scheduled, published, withdrawn, and their impact.
import { pageSizeOf } from '#contract/lists.ts';
import type { Language } from '#contract/language.ts';
import type { priceBook } from '#contract/money/price-book.ts';
import type { PriceDraftView } from '#contract/money/price-book-views.ts';
import { changesBetween, mergedPrices } from '#contract/money/price-changes.ts';
import { pricesText, readPrices, type Prices } from '#contract/money/price-keys.ts';
import { unixSeconds } from '#contract/time.ts';
import { callerOf, type Handler } from '#server/admin/context.ts';
import {
  changeDraft,
  createDraft,
  readDraft,
  scheduleDraft,
  withdrawDraft,
  type PriceDraft,
} from '#server/money/price-book/drafts.ts';
import { impactOf } from '#server/money/price-book/impact.ts';
import { errorOf, publishDraft } from '#server/money/price-book/publish.ts';
import { newestVersion, readVersion } from '#server/money/price-book/versions.ts';
import { authorOf } from './author.ts';
import type { PriceBookDependencies } from './dependencies.ts';
import { namesOf } from './names.ts';
import { readPublishedView } from './versions.ts';

export function listDrafts({ store }: PriceBookDependencies): Handler<typeof priceBook.drafts> {
  return async ({ query }, { language }) => {
    const size = pageSizeOf(query);
    const drafts = store.db.selectFrom('price_drafts');
    const { total } = await drafts
      .select(({ fn }) => fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow();
    const rows = await drafts
      .selectAll()
      .orderBy('id', 'desc')
      .limit(size)
      .offset((query.p - 1) * size)
      .execute();
    const items = await viewsOf(store, rows, language);
    return { items, total, page: query.p, page_size: size };
  };
}

export function showDraft({ store }: PriceBookDependencies): Handler<typeof priceBook.draft> {
  return async ({ params }, { language }) => {
    const draft = await readDraft(store.db, params.id);
    const { base, running, runningId } = await around(store, draft);
    const drafted = readPrices(draft.prices);
    const { prices, conflicts } = mergedPrices(base, drafted, running);
    return {
      ...(await viewOf(store, draft, language)),
      running: runningId,
      prices: drafted,
      changes: changesBetween(running, prices),
      since: changesBetween(base, running),
      conflicts,
    };
  };
}

async function around({ db }: PriceBookDependencies['store'], draft: PriceDraft) {
  const [base, running] = await Promise.all([readVersion(db, draft.based_on), newestVersion(db)]);
  return {
    base: readPrices((base ?? running).prices),
    running: readPrices(running.prices),
    runningId: running.id,
  };
}

export function newDraft(dependencies: PriceBookDependencies): Handler<typeof priceBook.createDraft> {
  return async ({ body }, context) => {
    const draft = await createDraft(dependencies, { ...body, source: 'operator' }, authorOf(context));
    return await viewOf(dependencies.store, draft, context.language);
  };
}

export function editDraft(dependencies: PriceBookDependencies): Handler<typeof priceBook.changeDraft> {
  return async ({ params, body }, context) => {
    const draft = await changeDraft(dependencies, params.id, body, authorOf(context));
    return await viewOf(dependencies.store, draft, context.language);
  };
}

export function setSchedule(dependencies: PriceBookDependencies): Handler<typeof priceBook.schedule> {
  return async ({ params, body }, context) => {
    const change = { revision: body.revision, publishAt: body.publish_at };
    const draft = await scheduleDraft(dependencies, params.id, change, authorOf(context));
    return await viewOf(dependencies.store, draft, context.language);
  };
}

export function withdraw(dependencies: PriceBookDependencies): Handler<typeof priceBook.withdraw> {
  return async ({ params, body }, context) => {
    const draft = await withdrawDraft(dependencies, params.id, body.revision, authorOf(context));
    return await viewOf(dependencies.store, draft, context.language);
  };
}

export function publish(dependencies: PriceBookDependencies): Handler<typeof priceBook.publish> {
  return async ({ params, body }, context) => {
    const version = await publishDraft(dependencies, params.id, body, authorOf(context));
    return await readPublishedView(dependencies, version, callerOf(context).username);
  };
}

/** All callers share one reading of the log at a time. */
export function previewImpact({ store }: PriceBookDependencies): Handler<typeof priceBook.impact> {
  let last: Promise<unknown> = Promise.resolve();
  return async ({ params }) => {
    const draft = await readDraft(store.db, params.id);
    const { base, running } = await around(store, draft);
    const wanted: Prices = mergedPrices(base, readPrices(draft.prices), running).prices;
    const prices = { running: pricesText(running), draft: pricesText(wanted) };
    const impact = last.then(() => impactOf(store, prices, { to: unixSeconds() }));
    last = impact.catch(() => {});
    return await impact;
  };
}

async function viewOf(
  store: PriceBookDependencies['store'],
  draft: PriceDraft,
  language: Language,
): Promise<PriceDraftView> {
  const [view] = await viewsOf(store, [draft], language);
  if (view === undefined) throw new Error('one draft has one view');
  return view;
}

async function viewsOf(
  { db }: PriceBookDependencies['store'],
  drafts: readonly PriceDraft[],
  language: Language,
): Promise<PriceDraftView[]> {
  const names = await namesOf(
    db,
    drafts.flatMap(({ created_by, updated_by }) => [created_by, updated_by]),
  );
  return drafts.map((draft) => ({
    id: draft.id,
    status: draft.status,
    based_on: draft.based_on,
    created_at: draft.created_at,
    created_name: names.get(draft.created_by) ?? '',
    updated_at: draft.updated_at,
    updated_name: names.get(draft.updated_by) ?? '',
    revision: draft.revision,
    publish_at: draft.publish_at,
    version_id: draft.version_id,
    reason: draft.reason,
    source: draft.source,
    error: errorOf(draft, language),
  }));
}
