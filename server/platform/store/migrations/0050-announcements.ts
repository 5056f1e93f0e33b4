// Announcements with a time from and until which they are shown, and questions with their answers.
import { index, TableMaker, type Migration } from './migration.ts';

export const announcements: Migration = {
  name: '0050-announcements',
  async up(db, dialect) {
    await new TableMaker(db, dialect, 'announcements')
      .id()
      .requiredIntegers('created_at', 'updated_at')
      .requiredText('content')
      .text('title')
      .oneOf('level', ['info', 'success', 'warning', 'error'], 'info')
      .oneOf('audience', ['everybody', 'users'], 'everybody')
      .integers('from_at', 'until_at')
      .flag('is_pinned', 0)
      .create();

    await new TableMaker(db, dialect, 'faqs')
      .id()
      .requiredIntegers('created_at', 'position')
      .requiredText('question', 'answer')
      .create();
    await index(db, 'faqs', ['position', 'id']);
  },
};
