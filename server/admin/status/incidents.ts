// Reads incidents with their lines, as a reader sees them.
import { unavailableTitle } from '#contract/admin/incident-words.ts';
import type { Incident, IncidentLine } from '#contract/admin/incidents.ts';
import type { Row } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import { LINE_WORDS, type LineCode } from './words.ts';

type Database = Store['db'];

/** Models that this reader may know of. */
export type MayShow = (model: string) => boolean;
const everything: MayShow = () => true;

export const modelsIn = (text: string): string[] => (text === '' ? [] : (JSON.parse(text) as string[]));

/** The newest; undefined of `since`: all. */
export async function readIncidents(
  db: Database,
  { most, since, mayShow = everything }: { most: number; since?: number; mayShow?: MayShow },
): Promise<Incident[]> {
  let query = db
    .selectFrom('incidents')
    .selectAll()
    .orderBy('begun_at', 'desc')
    .orderBy('id', 'desc')
    .limit(most);
  if (since !== undefined)
    query = query.where((where) => where.or([where('begun_at', '>=', since), where('ended_at', '=', 0)]));
  return await withLines(db, await query.execute(), mayShow);
}

export async function readIncident(db: Database, id: number): Promise<Incident | undefined> {
  const rows = await db.selectFrom('incidents').selectAll().where('id', '=', id).execute();
  return (await withLines(db, rows, everything))[0];
}

async function withLines(
  db: Database,
  rows: readonly Row<'incidents'>[],
  mayShow: MayShow,
): Promise<Incident[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const lines = await db
    .selectFrom('incident_lines')
    .selectAll()
    .where('incident_id', 'in', ids)
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .execute();
  const linesOf = Map.groupBy(lines, ({ incident_id }) => incident_id);
  return rows.flatMap((row) => viewOf(row, linesOf.get(row.id) ?? [], mayShow) ?? []);
}

/** Undefined: it is about models that this reader does not know. */
function viewOf(
  { models: text, fact: _fact, ...row }: Row<'incidents'>,
  lines: readonly Row<'incident_lines'>[],
  mayShow: MayShow,
): Incident | undefined {
  const all = modelsIn(text);
  const models = all.filter(mayShow);
  if (all.length > 0 && models.length === 0) return undefined;
  const isPart = lines.some(({ code }) => code === 'begun_part');
  const title =
    row.kind === 'measured' ? unavailableTitle(models, isPart) : { zh: row.title_zh, en: row.title_en };
  return { ...row, title_zh: title.zh, title_en: title.en, models, lines: lines.map(lineOf) };
}

function lineOf({ id, at, source, code, text_zh, text_en }: Row<'incident_lines'>): IncidentLine {
  const words = code === '' ? { zh: text_zh, en: text_en } : LINE_WORDS[code as LineCode];
  return { id, at, source, text_zh: words.zh, text_en: words.en };
}
