// Organizations: an account that people act for. Members, invitations, projects and service accounts; what a token, a log row and
// an audit row belong to (docs/adr/0108-an-organisation-is-an-account.md).
import { sql } from 'kysely';
import { index, TableMaker, type DialectName, type Migration, type MigrationDatabase } from './migration.ts';

const ROLES = ['owner', 'admin', 'billing', 'member', 'viewer'];

export const organizations: Migration = {
  name: '0108-organizations',
  async up(db, dialect) {
    await createTables(db, dialect);
    const integer = sql.raw(dialect === 'sqlite' ? 'integer' : 'bigint');
    const addInteger = async (table: string, ...columns: string[]) => {
      for (const column of columns)
        await db.schema
          .alterTable(table)
          .addColumn(column, integer, (builder) => builder.notNull().defaultTo(0))
          .execute();
    };
    await db.schema
      .alterTable('users')
      .addColumn('kind', 'text', (column) => column.notNull().defaultTo('person'))
      .execute();
    await addInteger('tokens', 'member_id', 'project_id', 'service_account_id');
    await addInteger('logs', 'member_id', 'project_id', 'service_account_id');
    await addInteger('tasks', 'member_id', 'project_id');
    await addInteger('audit', 'organization_id');
  },
};

async function createTables(db: MigrationDatabase, dialect: DialectName): Promise<void> {
  const table = (name: string) => new TableMaker(db, dialect, name);
  await table('organizations')
    .requiredIntegers('id')
    .requiredText('name')
    .requiredIntegers('created_at', 'created_by')
    .text('company_name', 'company_address', 'tax_id', 'billing_email')
    .nullableIntegers('deleted_at')
    .primaryKey('id')
    .create();

  await table('organization_members')
    .id()
    .requiredIntegers('organization_id', 'user_id')
    .oneOf('role', ROLES, 'member')
    .oneOf('source', ['created', 'invited', 'sign_on', 'scim', 'admin'], 'invited')
    .requiredIntegers('joined_at')
    .integers('left_at')
    .create();
  await sql`create unique index "organization_members_now"
    on "organization_members" ("organization_id", "user_id") where "left_at" = 0`.execute(db);
  await index(db, 'organization_members', ['user_id']);

  await table('organization_invitations')
    .id()
    .requiredIntegers('organization_id')
    .oneOf('kind', ['join', 'ownership'], 'join')
    .text('email')
    .integers('user_id')
    .oneOf('role', ROLES, 'member')
    .textWith('then_role', '')
    .nullableUniqueText('token_digest')
    .requiredIntegers('invited_by', 'created_at', 'expires_at')
    .integers('sent_at')
    .oneOf('status', ['open', 'accepted', 'declined', 'revoked'], 'open')
    .integers('answered_at', 'answered_by')
    .create();
  await index(db, 'organization_invitations', ['organization_id']);
  await index(db, 'organization_invitations', ['user_id']);
  await index(db, 'organization_invitations', ['email']);

  await table('projects')
    .id()
    .requiredIntegers('organization_id')
    .requiredText('name')
    .flags('is_default')
    .text('models', 'allow_ips')
    .requiredIntegers('created_at')
    .integers('archived_at')
    .create();
  await index(db, 'projects', ['organization_id']);

  await table('service_accounts')
    .id()
    .requiredIntegers('organization_id', 'project_id')
    .requiredText('name')
    .requiredIntegers('created_by', 'created_at')
    .integers('deleted_at')
    .create();
  await index(db, 'service_accounts', ['organization_id']);
}
