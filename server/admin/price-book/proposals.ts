// Prices of outside lists: imported, shown beside ours, accepted into a draft or refused.
import { pageSizeOf } from '#contract/lists.ts';
import type { priceBook } from '#contract/money/price-book.ts';
import { readPrices } from '#contract/money/price-keys.ts';
import type { PriceList } from '#contract/money/price-lists.ts';
import type { Handler, RequestContext } from '#server/admin/context.ts';
import { fetchPriceList } from '#server/money/price-book/fetch-list.ts';
import { withListed } from '#server/money/price-book/listed-options.ts';
import { decideProposals, listedOf, priceOf, proposePrices } from '#server/money/price-book/proposals.ts';
import { newestVersion } from '#server/money/price-book/versions.ts';
import { authorOf } from './author.ts';
import type { PriceBookDependencies } from './dependencies.ts';
import { figuresOf } from './figures.ts';
import { namesOf } from './names.ts';

export function listProposals({ store }: PriceBookDependencies): Handler<typeof priceBook.proposals> {
  return async ({ query }) => {
    const size = pageSizeOf(query);
    const proposals = store.db.selectFrom('price_proposals').where('status', '=', query.status);
    const { total } = await proposals
      .select(({ fn }) => fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow();
    const rows = await proposals
      .selectAll()
      .orderBy('id', 'desc')
      .limit(size)
      .offset((query.p - 1) * size)
      .execute();
    const prices = readPrices((await newestVersion(store.db)).prices);
    const names = await namesOf(
      store.db,
      rows.map(({ decided_by }) => decided_by),
    );
    const items = rows.map((row) => {
      const next = withListed(prices, listedOf(row));
      return {
        id: row.id,
        status: row.status,
        created_at: row.created_at,
        decided_at: row.decided_at,
        model: row.model,
        origin: row.origin,
        shape: row.shape,
        draft_id: row.draft_id,
        decided_name: names.get(row.decided_by) ?? '',
        before: figuresOf(priceOf(prices, row.model)),
        after: next === undefined ? null : figuresOf(priceOf(next, row.model)),
      };
    });
    return { items, total, page: query.p, page_size: size };
  };
}

export function decide(dependencies: PriceBookDependencies): Handler<typeof priceBook.decide> {
  return async ({ body }, context) => {
    const { decided, draft } = await decideProposals(
      dependencies,
      { ids: body.ids, isAccepted: body.decision === 'accept', draftId: body.draft_id },
      authorOf(context),
    );
    return { decided, draft_id: draft };
  };
}

export function importList(dependencies: PriceBookDependencies): Handler<typeof priceBook.importList> {
  return async ({ body: { origin, ...list } }, context) => await propose(dependencies, context, list, origin);
}

export function importAddress(dependencies: PriceBookDependencies): Handler<typeof priceBook.importAddress> {
  return async ({ body: { url } }, context) => {
    const list = await fetchPriceList(dependencies.egress, url);
    return await propose(dependencies, context, list, url);
  };
}

async function propose(
  { store }: PriceBookDependencies,
  context: RequestContext,
  list: PriceList,
  origin: string,
) {
  return await store.db.transaction().execute(async (transaction) => {
    const proposed = await proposePrices(store, transaction, list, origin);
    const { shape, models } = list;
    const result = { shape, listed: models.length, ...proposed };
    await context.audit(transaction, 'price_list.import', 'price_proposals', undefined, {
      origin,
      ...result,
    });
    return result;
  });
}
