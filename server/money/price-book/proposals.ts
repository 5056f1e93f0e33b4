// Prices of outside lists that differ from ours wait for an operator: accepted ones go into a draft, refused ones are not
// proposed again with the same numbers. An operator accepts each one.
import type { Kysely, Transaction } from 'kysely';
import { listedPrice, type ListedPrice } from '#contract/money/listed-price.ts';
import { changesBetween } from '#contract/money/price-changes.ts';
import { pricesText, readPrices, type Prices } from '#contract/money/price-keys.ts';
import type { PriceList } from '#contract/money/price-lists.ts';
import { unixSeconds } from '#contract/time.ts';
import { builtInPrice } from '#server/money/prices/price-list/index.ts';
import { resolvePrice, type PriceSnapshot } from '#server/money/prices/price.ts';
import { lockPrices } from '#server/platform/settings/price-versions.ts';
import type { Row, Schema } from '#server/platform/store/schema.ts';
import {
  changedPrices,
  insertDraft,
  readDraft,
  targetOf,
  updateDraft,
  type PriceAuthor,
  type PriceBookParts,
  type PriceDraft,
} from './drafts.ts';
import { withListed } from './listed-options.ts';
import { newestVersion } from './versions.ts';

export type PriceProposal = Row<'price_proposals'>;

/** A group with ratio 1, to get the model's own price. */
const PLAIN_GROUP = 'plain';

/** The price of a model outside of groups; undefined: none. */
export function priceOf(prices: Prices, model: string): PriceSnapshot | undefined {
  const plain = { ...prices, GroupRatio: { [PLAIN_GROUP]: 1 }, SelfUseModeEnabled: false };
  const price = resolvePrice(plain, builtInPrice, model, PLAIN_GROUP);
  return typeof price === 'string' ? undefined : price;
}

/** Whether a list changes what a model costs; where a number comes from does not count. */
function differs(prices: Prices, listed: ListedPrice): boolean {
  const next = withListed(prices, listed);
  if (next === undefined) return false;
  const figures = (price: PriceSnapshot | undefined) =>
    price === undefined ? '' : JSON.stringify({ ...price, source: '' });
  return figures(priceOf(prices, listed.model)) !== figures(priceOf(next, listed.model));
}

/** The models that channels offer or the operator has priced: prices of others are of no use here. */
export async function readKnownModels(database: Kysely<Schema>, prices: Prices): Promise<Set<string>> {
  const rows = await database.selectFrom('abilities').select('model').distinct().execute();
  const priced = [prices.ModelPrice, prices.ModelRatio].flatMap((map) => Object.keys(map));
  return new Set([...rows.map(({ model }) => model), ...priced]);
}

export interface Proposed {
  /** Models of the list that are known here. */
  known: number;
  proposed: number;
}

/** An open proposal of the same list and model is replaced by a newer one. */
export async function proposePrices(
  store: PriceBookParts['store'],
  transaction: Transaction<Schema>,
  { shape, models }: PriceList,
  origin: string,
): Promise<Proposed> {
  // Two readings of one list must not both find a price not yet proposed.
  await lockPrices(store, transaction);
  const prices = readPrices((await newestVersion(transaction)).prices);
  const names = await readKnownModels(transaction, prices);
  const known = models.filter(({ model }) => names.has(model));
  let proposed = 0;
  for (const listed of known) {
    const text = JSON.stringify(listed);
    const latest = await transaction
      .selectFrom('price_proposals')
      .select(['id', 'status', 'listed'])
      .where('model', '=', listed.model)
      .where('origin', '=', origin)
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirst();
    const isNew = latest?.listed !== text || latest.status === 'accepted';
    if (!isNew || !differs(prices, listed)) continue;
    if (latest?.status === 'open')
      await transaction
        .updateTable('price_proposals')
        .set({ status: 'replaced', decided_at: unixSeconds() })
        .where('id', '=', latest.id)
        .where('status', '=', 'open')
        .execute();
    await transaction
      .insertInto('price_proposals')
      .values({ created_at: unixSeconds(), model: listed.model, origin, shape, listed: text })
      .execute();
    proposed += 1;
  }
  return { known: known.length, proposed };
}

export interface Decision {
  ids: readonly number[];
  isAccepted: boolean;
  /** The draft that takes accepted prices; 0: a new one. */
  draftId: number;
}

/** Proposals that another operator has decided meanwhile are left alone. The id of the draft; 0: none. */
export async function decideProposals(
  { store, settings }: PriceBookParts,
  { ids, isAccepted, draftId }: Decision,
  author: PriceAuthor,
): Promise<{ decided: number; draft: number }> {
  const { actorId, language, audit } = author;
  return await store.db.transaction().execute(async (transaction) => {
    const rows = await transaction
      .updateTable('price_proposals')
      .set({ status: isAccepted ? 'accepted' : 'refused', decided_at: unixSeconds(), decided_by: actorId })
      .where('id', 'in', ids)
      .where('status', '=', 'open')
      .returningAll()
      .execute();
    if (rows.length === 0) return { decided: 0, draft: 0 };
    let draft = 0;
    if (isAccepted) {
      const target = await draftFor(transaction, draftId, actorId);
      const before = readPrices(target.prices);
      const next = rows.reduce((prices, row) => withListed(prices, listedOf(row)) ?? prices, before);
      const keys = new Set(changesBetween(before, next).map(({ key }) => key));
      const changed = Object.fromEntries([...keys].map((key) => [key, next[key]]));
      const prices = pricesText(changedPrices(before, changed, settings.current, language));
      const { id, revision } = target;
      await updateDraft(transaction, { id, revision, from: ['draft'] }, { prices, updated_by: actorId });
      await transaction
        .updateTable('price_proposals')
        .set({ draft_id: id })
        .where(
          'id',
          'in',
          rows.map((row) => row.id),
        )
        .execute();
      draft = id;
    }
    const models = rows.map(({ model }) => model).toSorted();
    const action = isAccepted ? 'price_proposal.accept' : 'price_proposal.refuse';
    const target = draft === 0 ? 'price_proposals' : targetOf(draft);
    await audit(transaction, action, target, undefined, { models: models.slice(0, 200) });
    return { decided: rows.length, draft };
  });
}

async function draftFor(transaction: Transaction<Schema>, id: number, actorId: number): Promise<PriceDraft> {
  if (id > 0) return await readDraft(transaction, id);
  const base = await newestVersion(transaction);
  return await insertDraft(
    transaction,
    { based_on: base.id, prices: base.prices, source: 'import' },
    actorId,
  );
}

export const listedOf = (row: Pick<PriceProposal, 'listed'>): ListedPrice =>
  listedPrice.parse(JSON.parse(row.listed));
