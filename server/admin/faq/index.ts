// Frequently asked questions in the operator's order. Answers are cleaned when they are saved.
import type { Transaction } from 'kysely';
import { unixSeconds } from '#contract/time.ts';
import { editedFields, refuseConflict } from '#server/admin/based-on.ts';
import type { Handlers } from '#server/admin/context.ts';
import { AppError } from '#contract/errors.ts';
import { MOST_QUESTIONS, questionFields, type faq, type Question } from '#contract/admin/faq.ts';
import { cleanedMarkdown } from '#server/platform/settings/site-content.ts';
import { lockRow } from '#server/platform/store/locks.ts';
import type { Row, Schema } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';

export function createFaqHandlers({ store }: { store: Store }): Handlers<typeof faq> {
  const { db } = store;
  return {
    list: () => questionsInOrder({ db }),
    async create({ body }, context) {
      return await db.transaction().execute(async (transaction) => {
        const all = await inOrder(transaction);
        if (all.length >= MOST_QUESTIONS) throw new AppError('faq_full', { most: MOST_QUESTIONS });
        const row = await transaction
          .insertInto('faqs')
          .values({
            ...columnsOf(body),
            created_at: unixSeconds(),
            position: (all.at(-1)?.position ?? 0) + 1,
          })
          .returningAll()
          .executeTakeFirstOrThrow();
        await context.audit(transaction, 'faq.create', `faq:${row.id}`, undefined, viewOf(row));
        return viewOf(row);
      });
    },
    async change({ params, body }, context) {
      return await db.transaction().execute(async (transaction) => {
        const before = await lockRow(store, transaction, 'faqs', params.id);
        if (!before) throw new AppError('not_found');
        const present = viewOf(before);
        const save = { fields: questionFields, body, present, target: `faq:${params.id}` as const };
        await refuseConflict(transaction, save);
        const row = await transaction
          .updateTable('faqs')
          .set(columnsOf({ ...present, ...editedFields(questionFields, body) }))
          .where('id', '=', params.id)
          .returningAll()
          .executeTakeFirstOrThrow();
        await context.audit(transaction, 'faq.update', `faq:${row.id}`, present, viewOf(row));
        return viewOf(row);
      });
    },
    async order({ body: { ids } }, context) {
      return await db.transaction().execute(async (transaction) => {
        const before = await inOrder(transaction);
        const places = new Map(ids.map((id, index) => [id, index - ids.length]));
        const after = before.toSorted(
          (left, right) => (places.get(left.id) ?? 0) - (places.get(right.id) ?? 0),
        );
        for (const [index, { id }] of after.entries())
          await transaction
            .updateTable('faqs')
            .set({ position: index + 1 })
            .where('id', '=', id)
            .execute();
        const idsOf = (rows: readonly Row<'faqs'>[]) => ({ ids: rows.map(({ id }) => id) });
        await context.audit(transaction, 'faq.order', 'faq', idsOf(before), idsOf(after));
        return after.map(viewOf);
      });
    },
    async remove({ params }, context) {
      await db.transaction().execute(async (transaction) => {
        const row = await transaction
          .deleteFrom('faqs')
          .where('id', '=', params.id)
          .returningAll()
          .executeTakeFirst();
        if (!row) throw new AppError('not_found');
        await context.audit(transaction, 'faq.delete', `faq:${row.id}`, viewOf(row));
      });
      return null;
    },
  };
}

export const questionsInOrder = async ({ db }: Pick<Store, 'db'>): Promise<Question[]> =>
  (await inOrder(db)).map(viewOf);

async function inOrder(db: Store['db'] | Transaction<Schema>): Promise<Row<'faqs'>[]> {
  return await db.selectFrom('faqs').selectAll().orderBy('position').orderBy('id').execute();
}

function columnsOf({ question, question_en, answer, answer_en }: Omit<Question, 'id'>) {
  return {
    question,
    question_en,
    answer: cleanedMarkdown(answer).text,
    answer_en: cleanedMarkdown(answer_en).text,
  };
}

const viewOf = ({ id, question, question_en, answer, answer_en }: Row<'faqs'>): Question => ({
  id,
  question,
  question_en,
  answer,
  answer_en,
});
