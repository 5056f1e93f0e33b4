// Lines of an incident: what operators say while it goes on.
import type { Transaction } from 'kysely';
import { hasText, type Incident, type incidents } from '#contract/admin/incidents.ts';
import { AppError } from '#contract/errors.ts';
import { invalidField } from '#contract/problem-words.ts';
import { nowSeconds, type Clock } from '#server/admin/clock.ts';
import type { Handlers } from '#server/admin/context.ts';
import type { Schema } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import { readIncident } from './incidents.ts';

export const targetOf = (id: number) => `incident:${id}` as const;

export async function requireIncident(transaction: Transaction<Schema>, id: number): Promise<Incident> {
  const found = await readIncident(transaction, id);
  if (found === undefined) throw new AppError('not_found');
  return found;
}

export function createLineHandlers(
  dependencies: Clock & { store: Store },
): Pick<Handlers<typeof incidents>, 'addLine' | 'removeLine'> {
  const { db } = dependencies.store;
  const now = () => nowSeconds(dependencies);
  return {
    async addLine({ params: { id }, body: { text_zh, text_en, is_over } }, context) {
      if (!hasText({ text_zh, text_en })) throw invalidField('text_en', 'required');
      return await db.transaction().execute(async (transaction) => {
        const before = await requireIncident(transaction, id);
        // What was measured ends by fact.
        if (is_over && before.kind === 'measured') throw invalidField('is_over', 'fixed');
        await transaction
          .insertInto('incident_lines')
          .values({ incident_id: id, at: now(), text_zh, text_en })
          .execute();
        await transaction
          .updateTable('incidents')
          .set({ updated_at: now(), ...(is_over && before.ended_at === 0 ? { ended_at: now() } : {}) })
          .where('id', '=', id)
          .execute();
        const after = await requireIncident(transaction, id);
        await context.audit(transaction, 'incident.add_line', targetOf(id), before, after);
        return after;
      });
    },

    async removeLine({ params: { id, line } }, context) {
      return await db.transaction().execute(async (transaction) => {
        const before = await requireIncident(transaction, id);
        const { numDeletedRows } = await transaction
          .deleteFrom('incident_lines')
          .where('id', '=', line)
          .where('incident_id', '=', id)
          .where('source', '=', 'operator')
          .executeTakeFirst();
        if (numDeletedRows === 0n) throw new AppError('not_found');
        const after = await requireIncident(transaction, id);
        await context.audit(transaction, 'incident.remove_line', targetOf(id), before, after);
        return after;
      });
    },
  };
}
