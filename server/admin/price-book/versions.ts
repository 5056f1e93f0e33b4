// Versions of the prices: who, when, why, and what each changed against the one before it.
import { AppError } from '#contract/errors.ts';
import { pageSizeOf } from '#contract/lists.ts';
import type { priceBook } from '#contract/money/price-book.ts';
import type { PriceVersionView } from '#contract/money/price-book-views.ts';
import { changesBetween, type PriceChange } from '#contract/money/price-changes.ts';
import { readPrices } from '#contract/money/price-keys.ts';
import { callerOf, type Handler } from '#server/admin/context.ts';
import { rollBack } from '#server/money/price-book/publish.ts';
import { readVersion, type PriceVersion } from '#server/money/price-book/versions.ts';
import { authorOf } from './author.ts';
import type { PriceBookDependencies } from './dependencies.ts';
import { namesOf } from './names.ts';

const CHANGED_SHOWN = 6;

export function listVersions({ store }: PriceBookDependencies): Handler<typeof priceBook.versions> {
  return async ({ query }) => {
    const size = pageSizeOf(query);
    const versions = store.db.selectFrom('price_versions');
    const { total } = await versions
      .select(({ fn }) => fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow();
    const rows = await versions
      .selectAll()
      .orderBy('id', 'desc')
      // One more: the version before the last one of the page.
      .limit(size + 1)
      .offset((query.p - 1) * size)
      .execute();
    const names = await namesOf(
      store.db,
      rows.map(({ created_by }) => created_by),
    );
    const items = rows.slice(0, size).map((row, index) => viewOf(row, rows[index + 1], names));
    return { items, total, page: query.p, page_size: size };
  };
}

export function showVersion({ store }: PriceBookDependencies): Handler<typeof priceBook.version> {
  return async ({ params }) => {
    const version = await readVersion(store.db, params.id);
    if (version === undefined) throw new AppError('not_found');
    const before = await versionBefore(store, version.id);
    const names = await namesOf(store.db, [version.created_by]);
    return {
      ...viewOf(version, before, names),
      prices: readPrices(version.prices),
      changes: changesFrom(before, version),
    };
  };
}

export function rollBackVersion(dependencies: PriceBookDependencies): Handler<typeof priceBook.rollBack> {
  return async ({ params, body }, context) => {
    const version = await rollBack(dependencies, params.id, body, authorOf(context));
    return await readPublishedView(dependencies, version, callerOf(context).username);
  };
}

export async function readPublishedView(
  { store }: Pick<PriceBookDependencies, 'store'>,
  version: PriceVersion,
  actorName: string,
): Promise<PriceVersionView> {
  const before = await versionBefore(store, version.id);
  return viewOf(version, before, new Map([[version.created_by, actorName]]));
}

function versionBefore({ db }: PriceBookDependencies['store'], id: number) {
  return db
    .selectFrom('price_versions')
    .selectAll()
    .where('id', '<', id)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

function changesFrom(before: PriceVersion | undefined, version: PriceVersion): PriceChange[] {
  return before === undefined ? [] : changesBetween(readPrices(before.prices), readPrices(version.prices));
}

function viewOf(
  version: PriceVersion,
  before: PriceVersion | undefined,
  names: ReadonlyMap<number, string>,
): PriceVersionView {
  const changes = changesFrom(before, version);
  const changed = new Set(changes.map(({ key, name }) => (name === '' ? key : name)));
  const { id, effective_at, created_by, source, reason, draft_id } = version;
  return {
    id,
    effective_at,
    created_by,
    actor_name: names.get(created_by) ?? '',
    source,
    reason,
    draft_id,
    has_new_list: before !== undefined && before.list !== version.list,
    change_count: changes.length,
    changed: [...changed].slice(0, CHANGED_SHOWN),
  };
}
