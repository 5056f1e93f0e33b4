// Proofs of outside logins that are good once but carry no row of their own: a Telegram widget's hash, a WeChat code.
import { index, TableMaker, type Migration } from './migration.ts';

export const usedProofs: Migration = {
  name: '0015-used-proofs',
  async up(db, dialect) {
    await new TableMaker(db, dialect, 'used_proofs')
      .requiredText('digest')
      .requiredIntegers('expires_at')
      .primaryKey('digest')
      .create();
    await index(db, 'used_proofs', ['expires_at']);
  },
};
