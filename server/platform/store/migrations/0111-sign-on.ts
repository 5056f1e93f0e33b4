// Single sign-on of organizations: the provider, proven mail domains, groups, the people that the provider knows, and the tokens of
// SCIM; which projects a member may use, and through which organization a session came (docs/adr/0111).
import { sql } from 'kysely';
import { index, TableMaker, type DialectName, type Migration, type MigrationDatabase } from './migration.ts';

/** Never owner: ownership is offered and accepted. */
const GIVEN_ROLES = ['admin', 'billing', 'member', 'viewer'];

export const signOn: Migration = {
  name: '0111-sign-on',
  async up(db, dialect) {
    await createTables(db, dialect);
    await db.schema
      .alterTable('organization_members')
      .addColumn('project_ids', 'text', (column) => column.notNull().defaultTo(''))
      .execute();
    await db.schema
      .alterTable('sessions')
      .addColumn('organization_id', sql.raw(dialect === 'sqlite' ? 'integer' : 'bigint'), (column) =>
        column.notNull().defaultTo(0),
      )
      .execute();
  },
};

async function createTables(db: MigrationDatabase, dialect: DialectName): Promise<void> {
  const table = (name: string) => new TableMaker(db, dialect, name);
  await table('sign_on_providers')
    .requiredIntegers('organization_id')
    .requiredText('issuer', 'client_id', 'secret_sealed')
    .text('scopes', 'groups_claim')
    .oneOf('default_role', GIVEN_ROLES, 'member')
    .flags('enabled', 'required')
    .requiredIntegers('created_at', 'changed_at')
    .primaryKey('organization_id')
    .create();

  await table('sign_on_domains')
    .id()
    .requiredIntegers('organization_id')
    .requiredText('domain', 'proof')
    .requiredIntegers('created_at')
    .integers('verified_at')
    .create();
  await index(db, 'sign_on_domains', ['organization_id', 'domain'], true);
  await sql`create unique index "sign_on_domains_verified" on "sign_on_domains" ("domain")
    where "verified_at" > 0`.execute(db);

  await table('sign_on_groups')
    .id()
    .requiredIntegers('organization_id')
    .requiredText('name')
    .text('external_id')
    .oneOf('role', ['', ...GIVEN_ROLES], '')
    .text('project_ids')
    .flags('by_scim')
    .requiredIntegers('created_at', 'changed_at')
    .integer('version', 1)
    .create();
  await sql`create unique index "sign_on_groups_name" on "sign_on_groups" ("organization_id", lower("name"))`.execute(
    db,
  );

  await table('sign_on_people')
    .id()
    .requiredIntegers('organization_id', 'user_id')
    .requiredText('email', 'user_name')
    .text('subject', 'external_id', 'attributes', 'claimed_groups')
    .flag('active', 1)
    .flags('by_scim')
    .requiredIntegers('created_at', 'changed_at')
    .integer('version', 1)
    .create();
  await index(db, 'sign_on_people', ['organization_id', 'user_id'], true);
  await index(db, 'sign_on_people', ['user_id']);
  await sql`create unique index "sign_on_people_user_name"
    on "sign_on_people" ("organization_id", lower("user_name"))`.execute(db);
  await sql`create unique index "sign_on_people_subject" on "sign_on_people" ("organization_id", "subject")
    where "subject" <> ''`.execute(db);
  await index(db, 'sign_on_people', ['organization_id', 'external_id']);

  await table('sign_on_group_people')
    .requiredIntegers('group_id', 'person_id')
    .primaryKey('group_id', 'person_id')
    .create();
  await index(db, 'sign_on_group_people', ['person_id']);

  await table('scim_tokens')
    .id()
    .requiredIntegers('organization_id')
    .requiredText('name')
    .uniqueText('token_digest')
    .text('hint')
    .requiredIntegers('created_by', 'created_at')
    .integers('last_used_at')
    .create();
  await index(db, 'scim_tokens', ['organization_id']);
}
