// The English version of what operators write: announcements, questions, plans. Empty: there is only the text of before.
import type { Migration } from './migration.ts';

const COLUMNS = {
  announcements: ['title_en', 'content_en'],
  faqs: ['question_en', 'answer_en'],
  plans: ['name_en', 'description_en'],
};

export const englishTexts: Migration = {
  name: '0099-english-texts',
  async up(db) {
    for (const [table, columns] of Object.entries(COLUMNS))
      for (const name of columns)
        await db.schema
          .alterTable(table)
          .addColumn(name, 'text', (column) => column.notNull().defaultTo(''))
          .execute();
  },
};
