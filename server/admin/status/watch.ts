// Writes incidents by fact: a model has no channel left. It begins when the last of its channels switched itself off and ends when
// one serves it again. Idempotent: the same state is written once, in one transaction.
import type { Transaction } from 'kysely';
import { nowSeconds, type Clock } from '#server/admin/clock.ts';
import { offChannels } from '#server/admin/off-channels.ts';
import type { Row, Schema } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import { modelsIn } from './incidents.ts';
import { sumRefused } from './refused.ts';
import type { LineCode } from './words.ts';

/** A channel that comes and goes makes one incident. */
const SAME_SECONDS = 900;
/** Refused calls are written a moment after they came. */
const COUNTED_AFTER_SECONDS = 600;

interface Lost {
  model: string;
  since: number;
  isPart: boolean;
}

export async function watchIncidents(dependencies: Clock & { store: Store }): Promise<void> {
  const { store } = dependencies;
  const now = nowSeconds(dependencies);
  const lost = await findLostModels(store, now);
  const open = await openIncidents(store, now);
  const running = open.filter(({ kind, ended_at }) => kind === 'measured' && ended_at === 0);
  const isLost = (model: string) => lost.some((each) => each.model === model);
  const ended = running.filter(({ models }) => !modelsIn(models).some(isLost));
  const going = running.filter((row) => !ended.includes(row));
  const known = new Set(going.flatMap(({ models }) => modelsIn(models)));
  const begun = Map.groupBy(
    lost.filter(({ model }) => !known.has(model)),
    ({ since }) => since,
  );
  if (ended.length > 0 || begun.size > 0)
    await store.db.transaction().execute(async (transaction) => {
      for (const { id } of ended) await endIncident(transaction, id, now);
      for (const [since, models] of begun) await beginIncident(transaction, since, models, now);
    });
  await countRefused(store, await openIncidents(store, now), now);
}

async function findLostModels(store: Store, now: number): Promise<Lost[]> {
  const { channels, served } = await offChannels(store);
  const since = new Map<string, number>();
  for (const { lost, info } of channels)
    for (const model of lost) since.set(model, Math.max(since.get(model) ?? 0, info.status_time ?? 0));
  return [...since].map(([model, time]) => ({
    model,
    since: time === 0 ? now : time,
    isPart: served.has(model),
  }));
}

/** Running ones, and those whose refused calls may not all be written. */
const openIncidents = ({ db }: Store, now: number): Promise<Row<'incidents'>[]> =>
  db
    .selectFrom('incidents')
    .selectAll()
    .where((where) =>
      where.or([
        where('ended_at', '=', 0),
        where('ended_at', '>', now - COUNTED_AFTER_SECONDS - SAME_SECONDS),
      ]),
    )
    .execute();

/** Another run may have ended it meanwhile. */
async function endIncident(transaction: Transaction<Schema>, id: number, now: number): Promise<void> {
  const { numUpdatedRows } = await transaction
    .updateTable('incidents')
    .set({ ended_at: now, updated_at: now })
    .where('id', '=', id)
    .where('ended_at', '=', 0)
    .executeTakeFirst();
  if (numUpdatedRows > 0n) await addLine(transaction, id, now, 'ended');
}

async function beginIncident(
  transaction: Transaction<Schema>,
  since: number,
  lost: readonly Lost[],
  now: number,
): Promise<void> {
  const models = JSON.stringify(lost.map(({ model }) => model).sort());
  const before = await transaction
    .selectFrom('incidents')
    .select('id')
    .where('kind', '=', 'measured')
    .where('models', '=', models)
    .where('ended_at', '>=', since - SAME_SECONDS)
    .orderBy('id', 'desc')
    .executeTakeFirst();
  if (before !== undefined) {
    const { numUpdatedRows } = await transaction
      .updateTable('incidents')
      .set({ ended_at: 0, updated_at: now })
      .where('id', '=', before.id)
      .where('ended_at', '>', 0)
      .executeTakeFirst();
    if (numUpdatedRows > 0n) await addLine(transaction, before.id, since, 'again');
    return;
  }
  const row = await transaction
    .insertInto('incidents')
    .values({
      kind: 'measured',
      models,
      begun_at: since,
      created_at: now,
      updated_at: now,
      fact: `lost ${since} ${models}`,
    })
    .onConflict((conflict) => conflict.column('fact').doNothing())
    .returning('id')
    .executeTakeFirst();
  if (row !== undefined)
    await addLine(transaction, row.id, since, lost.every(({ isPart }) => isPart) ? 'begun_part' : 'begun');
}

async function addLine(
  transaction: Transaction<Schema>,
  incident_id: number,
  at: number,
  code: LineCode,
): Promise<void> {
  await transaction
    .insertInto('incident_lines')
    .values({ incident_id, at, source: 'measured', code })
    .execute();
}

async function countRefused(store: Store, open: readonly Row<'incidents'>[], now: number): Promise<void> {
  for (const { id, models, begun_at, ended_at, refused } of open) {
    const count = await sumRefused(store, { models: modelsIn(models), begun_at, ended_at }, now);
    // Its minutes may be gone from an incident that lasts for weeks.
    if (count > refused)
      await store.db.updateTable('incidents').set({ refused: count }).where('id', '=', id).execute();
  }
}
