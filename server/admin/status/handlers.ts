// Incidents for operators: theirs can be written, changed and deleted; to one that was measured they add lines.
import type { Transaction } from 'kysely';
import {
  hasText,
  hasTitle,
  endsAfterBegin,
  incidentFields,
  MOST_INCIDENTS,
  type Incident,
  type IncidentFields,
  type incidents,
} from '#contract/admin/incidents.ts';
import { invalidField } from '#contract/problem-words.ts';
import { editedFields, refuseConflict } from '#server/admin/based-on.ts';
import { nowSeconds, type Clock } from '#server/admin/clock.ts';
import type { Handlers } from '#server/admin/context.ts';
import { lockRow } from '#server/platform/store/locks.ts';
import type { Schema } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import { readIncidents } from './incidents.ts';
import { createLineHandlers, requireIncident, targetOf } from './lines.ts';
import { sumRefused } from './refused.ts';

export function createIncidentHandlers(dependencies: Clock & { store: Store }): Handlers<typeof incidents> {
  const { store } = dependencies;
  const { db } = store;
  const now = () => nowSeconds(dependencies);
  const columnsOf = async ({ title_zh, title_en, models, begun_at, ended_at }: IncidentFields) => ({
    title_zh,
    title_en,
    models: JSON.stringify(models),
    begun_at,
    ended_at,
    refused: await sumRefused(store, { models, begun_at, ended_at }, now()),
    updated_at: now(),
  });

  return {
    list: () => readIncidents(db, { most: MOST_INCIDENTS }),

    async create({ body: { text_zh, text_en, ...fields } }, context) {
      refuseBlank(fields, { text_zh, text_en });
      const columns = await columnsOf(fields);
      return await db.transaction().execute(async (transaction) => {
        const { id } = await transaction
          .insertInto('incidents')
          .values({ ...columns, created_at: now() })
          .returning('id')
          .executeTakeFirstOrThrow();
        await transaction
          .insertInto('incident_lines')
          .values({ incident_id: id, at: Math.min(fields.begun_at, now()), text_zh, text_en })
          .execute();
        const made = await requireIncident(transaction, id);
        await context.audit(transaction, 'incident.create', targetOf(id), undefined, made);
        return made;
      });
    },

    async change({ params: { id }, body }, context) {
      return await db.transaction().execute(async (transaction) => {
        const present = await lockWritten(store, transaction, id);
        await refuseConflict(transaction, { fields: incidentFields, body, present, target: targetOf(id) });
        const fields = { ...present, ...editedFields(incidentFields, body) };
        refuseBlank(fields);
        if (!endsAfterBegin(fields)) throw invalidField('ended_at', 'after_start');
        await transaction
          .updateTable('incidents')
          .set(await columnsOf(fields))
          .where('id', '=', id)
          .execute();
        const changed = await requireIncident(transaction, id);
        await context.audit(transaction, 'incident.update', targetOf(id), present, changed);
        return changed;
      });
    },

    ...createLineHandlers(dependencies),

    async remove({ params: { id } }, context) {
      await db.transaction().execute(async (transaction) => {
        const before = await lockWritten(store, transaction, id);
        await transaction.deleteFrom('incident_lines').where('incident_id', '=', id).execute();
        await transaction.deleteFrom('incidents').where('id', '=', id).execute();
        await context.audit(transaction, 'incident.delete', targetOf(id), before);
      });
      return null;
    },
  };
}

function refuseBlank(
  fields: Pick<IncidentFields, 'title_zh' | 'title_en'>,
  text?: { text_zh: string; text_en: string },
): void {
  if (!hasTitle(fields)) throw invalidField('title_en', 'required');
  if (text !== undefined && !hasText(text)) throw invalidField('text_en', 'required');
}

/** An operator's, locked until the change is written. */
async function lockWritten(store: Store, transaction: Transaction<Schema>, id: number): Promise<Incident> {
  await lockRow(store, transaction, 'incidents', id);
  const found = await requireIncident(transaction, id);
  if (found.kind === 'measured') throw invalidField('kind', 'fixed');
  return found;
}
