// Lists, and changes of what was read a moment ago.
import { DirectoryRefusal } from '#server/admin/scim-directory.ts';
import { conditionOf, pageOf, type Answer, type Asked, type Kept } from './asked.ts';
import { LIST_SCHEMA } from './discovery.ts';
import type { Filter } from './filter-syntax.ts';
import { shownPart, type Shown } from './shown.ts';

const TRIES = 3;

export const isoTime = (seconds: number): string => new Date(seconds * 1000).toISOString();

export interface Source {
  page(offset: number, limit: number): Promise<{ total: number; kept: Kept[] }>;
  /** All of them. */
  matching(filter: Filter): Promise<Kept[]>;
}

export async function answerList(asked: Asked, shown: Shown, source: Source): Promise<Answer> {
  const { start, count, filter } = pageOf(asked.query);
  const { total, kept } = filter
    ? partOf(await source.matching(filter), start - 1, count)
    : await source.page(start - 1, count);
  return {
    status: 200,
    body: {
      schemas: [LIST_SCHEMA],
      totalResults: total,
      startIndex: start,
      itemsPerPage: kept.length,
      Resources: kept.map(({ resource }) => shownPart(shown, resource)),
    },
  };
}

const partOf = (all: Kept[], offset: number, limit: number) => ({
  total: all.length,
  kept: all.slice(offset, offset + limit),
});

/** Somebody else's change between reading and writing is read, unless the client asked for one version. */
export async function saveChange(
  asked: Asked,
  read: () => Promise<Kept>,
  save: (kept: Kept) => Promise<void>,
): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const kept = await read();
    conditionOf(asked, kept.version);
    try {
      await save(kept);
      return;
    } catch (error) {
      const isRace = error instanceof DirectoryRefusal && error.problem === 'version';
      if (!isRace || tries >= TRIES) throw error;
    }
  }
}
