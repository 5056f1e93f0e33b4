// Wrong passwords and codes are counted where every node sees them.
import { index, TableMaker, type Migration } from './migration.ts';

export const loginAttempts: Migration = {
  name: '0031-login-attempts',
  async up(db, dialect) {
    await new TableMaker(db, dialect, 'login_attempts')
      .requiredText('kind', 'digest')
      .integers('failures', 'blocked_until_ms', 'last_at_ms')
      .flags('known')
      .primaryKey('kind', 'digest')
      .create();
    await index(db, 'login_attempts', ['last_at_ms']);
  },
};
