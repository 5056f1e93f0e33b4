// A search of all resources, users before groups (RFC 7644, 3.4.2.1).
import { pageOf, shownOf, type Answer, type Asked, type Kept } from './asked.ts';
import { LIST_SCHEMA } from './discovery.ts';
import type { Filter } from './filter-syntax.ts';
import { groupSource } from './groups.ts';
import type { Source } from './lists.ts';
import { ScimProblem } from './problem.ts';
import { GROUP, USER } from './schema.ts';
import { shownPart, type Shown } from './shown.ts';
import { userSource } from './users.ts';

export async function searchAll(asked: Asked): Promise<Answer> {
  const { start, count, filter } = pageOf(asked.query);
  const [users, groups] = [shownOf(USER, asked.query), shownOf(GROUP, asked.query)];
  const parts: [Shown, Source][] = [
    [users, userSource(asked, users)],
    [groups, groupSource(asked, groups)],
  ];
  const resources: object[] = [];
  let total = 0;
  let refused: unknown;
  for (const [shown, source] of parts) {
    const offset = Math.max(0, start - 1 - total);
    const room = count - resources.length;
    try {
      const found = await partOf(source, filter, offset, room);
      total += found.total;
      resources.push(...found.kept.map(({ resource }) => shownPart(shown, resource)));
    } catch (error) {
      // The filter names an attribute that resources of this type do not have.
      if (!(error instanceof ScimProblem) || refused !== undefined) throw error;
      refused = error;
    }
  }
  const body = {
    schemas: [LIST_SCHEMA],
    totalResults: total,
    startIndex: start,
    itemsPerPage: resources.length,
    Resources: resources,
  };
  return { status: 200, body };
}

async function partOf(
  source: Source,
  filter: Filter | undefined,
  offset: number,
  room: number,
): Promise<{ total: number; kept: Kept[] }> {
  if (filter === undefined) return await source.page(offset, room);
  const all = await source.matching(filter);
  return { total: all.length, kept: all.slice(offset, offset + room) };
}
