// Troubles of an organization's sign-on, as they happen; since when the proof of a mail domain is gone; SCIM tokens that were revoked,
// so that a provider that still uses one can be named.
import { sql } from 'kysely';
import { index, TableMaker, type Migration } from './migration.ts';

const REASONS = [
  'unreachable',
  'secret',
  'clock',
  'answer',
  'unverified',
  'foreign',
  'scim_refused',
  'scim_revoked',
];

export const signOnTroubles: Migration = {
  name: '0118-sign-on-troubles',
  async up(db, dialect) {
    await new TableMaker(db, dialect, 'sign_on_troubles')
      .requiredIntegers('organization_id')
      .oneOf('reason', REASONS, 'unreachable')
      .text('subject', 'detail')
      .requiredIntegers('first_at', 'last_at')
      .integer('count', 1)
      .primaryKey('organization_id', 'reason', 'subject')
      .create();
    await index(db, 'sign_on_troubles', ['last_at']);
    const integer = sql.raw(dialect === 'sqlite' ? 'integer' : 'bigint');
    for (const [table, name] of [
      ['sign_on_domains', 'read_at'],
      ['sign_on_domains', 'missing_since'],
      ['scim_tokens', 'revoked_at'],
    ] as const)
      await db.schema
        .alterTable(table)
        .addColumn(name, integer, (column) => column.notNull().defaultTo(0))
        .execute();
  },
};
