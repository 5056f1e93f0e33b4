// Bound accounts of other sites get the name that their owner knows; the id stays what identifies them.
import type { Migration } from './migration.ts';

const COLUMNS = ['github_name', 'wechat_name', 'telegram_name', 'linux_do_name', 'oidc_name'] as const;

export const outsideNames: Migration = {
  name: '0094-outside-names',
  async up(db) {
    for (const name of COLUMNS)
      await db.schema
        .alterTable('users')
        .addColumn(name, 'text', (column) => column.notNull().defaultTo(''))
        .execute();
  },
};
