// Notices to users and operators: what happened, the ways each receiver chose, and one delivery for each way.
import { index, TableMaker, uniqueWhere, type Migration } from './migration.ts';

export const notices: Migration = {
  name: '0047-notices',
  async up(db, dialect) {
    await new TableMaker(db, dialect, 'notices')
      .id()
      .requiredIntegers('created_at', 'user_id', 'dispatched_at')
      .requiredText('event', 'details')
      .nullableUniqueText('once_key')
      .create();
    await index(db, 'notices', ['dispatched_at', 'id']);
    await index(db, 'notices', ['user_id', 'id']);

    await new TableMaker(db, dialect, 'notice_ways')
      .id()
      .requiredIntegers('user_id', 'created_at')
      .requiredText('kind', 'config', 'events')
      .text('name')
      .textWith('language', 'zh')
      .flag('is_enabled', 1)
      .create();
    await index(db, 'notice_ways', ['user_id', 'id']);
    // The mail way replaces a default, so there is at most one.
    await uniqueWhere(db, 'notice_ways', 'user_id', `"kind" = 'mail'`);

    await new TableMaker(db, dialect, 'notice_deliveries')
      .id()
      .requiredIntegers('created_at', 'notice_id', 'way_id', 'user_id')
      .requiredText('kind')
      .text('way_name')
      .oneOf('status', ['pending', 'sending', 'sent', 'dead', 'mailed'], 'pending')
      .integers('tries', 'next_try_at', 'sent_at')
      .nullableIntegers('mail_id')
      .text('error')
      .create();
    await index(db, 'notice_deliveries', ['notice_id', 'way_id'], true);
    await index(db, 'notice_deliveries', ['status', 'next_try_at']);
    await index(db, 'notice_deliveries', ['user_id', 'id']);
  },
};
