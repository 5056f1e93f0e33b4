// A change and its audit row commit together: an audit row that cannot be written rolls back the change, on every
// endpoint and both databases. The list of endpoints is generated, so that a new one cannot be missed.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { api } from '#contract/api.ts';
import type { AnyEndpoint } from '#contract/endpoint.ts';
import { sql, type Kysely } from 'kysely';
import { checkTrail } from '#server/admin/http/audit-check.ts';
import { writeAudit } from '#server/admin/http/audit.ts';
import type { Schema, TableName } from '#server/platform/store/schema.ts';
import { ROOT_PASSWORD, startApplication, type TestApplication } from '#tests/support/application.ts';
import { startIdentityProvider, type IdentityProvider } from '#tests/support/identity-provider.ts';
import { LOOPBACK_HOSTS } from '#tests/support/loopback.ts';
import { startNameServer, type NameServer } from '#tests/support/name-server.ts';
import { closeProviders, providerSettings, startProviders, type Providers } from '#mock/logins/index.ts';
import { startMailServer, type MailServer } from '#tests/support/mail-server.ts';
import { NOT_AUDITED, SCENARIOS } from './audit-scenarios.ts';
import { ORIGIN, type Stage } from './audit-stage.ts';

test('every endpoint that changes something has a scenario here, or a reason not to be audited', () => {
  const declared = Object.entries(api).flatMap(([group, endpoints]) =>
    Object.entries(endpoints as Record<string, AnyEndpoint>).flatMap(([name, { method, acts }]) =>
      method !== 'GET' || acts ? [`${group}.${name}`] : [],
    ),
  );
  const covered = new Set([...Object.keys(SCENARIOS), ...Object.keys(NOT_AUDITED)]);
  expect(declared.filter((name) => !covered.has(name))).toEqual([]);
  expect(Object.keys(NOT_AUDITED).filter((name) => !declared.includes(name) || name in SCENARIOS)).toEqual(
    [],
  );
});

test('the type of a transaction is required: the database itself is refused by the compiler', () => {
  const call = (app: TestApplication) =>
    // @ts-expect-error -- an audit row outside the transaction of its change must not compile
    writeAudit(app.store, app.store.db, {});
  expect(call).toBeFunction();
});

/** Tables written by background work or by a counted try. Of `mails` only the queue's columns: see `COUNTED_STATES`. */
const IGNORED_TABLES: readonly string[] = [
  'audit',
  'login_attempts',
  'nodes',
  'node_reports',
  'log_export',
  'supplier_counts',
  'supplier_probes',
  'changes',
  'verification_codes',
  'used_proofs',
  'usage_rollup',
  'holder_hours',
  'usage_cells',
  'holder_cells',
  'measured_cells',
  'cost_days',
  'cost_days_summed',
  'margin_sums',
  'margin_summed',
  'usage_positions',
  'channel_fees',
  'cache_cells',
  'hedge_hours',
  'hedge_days',
  'answer_cache_hours',
  'shadow_hours',
  'shadow_days',
  'shadow_counts',
  'jobs',
  'ledger_sums',
  'dividend_spend',
  'log_cleaning',
  'channel_hours',
  'channel_errors',
  'refused_calls',
  'files',
  'media',
  'rerate_parts',
  'rerate_calls',
];
const IGNORED_COLUMNS: Record<string, readonly string[]> = {
  sessions: ['flow', 'seen_at'],
  mails: ['status', 'tries', 'next_try_at', 'error', 'body', 'sent_at'],
  rerate_runs: ['state', 'position', 'rated_at', 'undone_at', 'undone_by'],
  notices: ['dispatched_at'],
  notice_deliveries: ['status', 'tries', 'next_try_at', 'error', 'sent_at'],
  totp_secrets: ['failures', 'blocked_until', 'last_step'],
  passkeys: ['counter', 'last_used_at'],
  subscriptions: ['ended_noticed', 'ending_noticed'],
};
/** A mail's status is its queue's, but that it was given up is a change. */
const COUNTED_STATES: Record<string, readonly string[]> = { mails: [`status = 'dead'`] };
/**
 * Of some tables not all rows: notices that a job writes in its own time (of a subscription that was ended, and of what needs attention),
 * leases of other jobs, and sessions that nobody is signed in with.
 */
const COUNTED_ROWS: Record<string, string> = {
  leases: `name = 'channel-tests'`,
  notices: `substr(event, 1, 13) <> 'subscription_' and substr(coalesce(once_key, ''), 1, 10) <> 'attention:'`,
  sessions: 'user_id is not null',
};
const TABLES: readonly TableName[] = [
  'audit_anchor',
  'node_drains',
  'users',
  'tokens',
  'admin_keys',
  'channels',
  'abilities',
  'options',
  'option_history',
  'price_versions',
  'price_drafts',
  'price_proposals',
  'rerate_runs',
  'rerate_sums',
  'logs',
  'ledger',
  'sessions',
  'mails',
  'leases',
  'totp_secrets',
  'recovery_codes',
  'passkeys',
  'holds',
  'tasks',
  'redemptions',
  'orders',
  'order_events',
  'refunds',
  'disputes',
  'agents',
  'dividends',
  'withdrawals',
  'plans',
  'subscriptions',
  'usage_hours',
  'margin_days',
  'suppliers',
  'limit_windows',
  'stored_responses',
  'conversations',
  'conversation_items',
  'realtime_secrets',
  'notices',
  'notice_ways',
  'notice_deliveries',
  'announcements',
  'incidents',
  'incident_lines',
  'faqs',
  'attention_snoozes',
  'kept_chats',
  'chat_shares',
  'imports',
  'imported_rows',
  'applied_configurations',
  'supplier_scores',
  'supplier_bills',
  'supplier_bill_lines',
  'organizations',
  'organization_members',
  'organization_invitations',
  'projects',
  'service_accounts',
  'budgets',
  'budget_counters',
  'budget_windows',
  'budget_requests',
  'balance_moves',
  'sign_on_providers',
  'sign_on_domains',
  'sign_on_groups',
  'sign_on_people',
  'sign_on_group_people',
  'sign_on_troubles',
  'scim_tokens',
  'virtual_models',
  'shadows',
  'shadow_samples',
];

/** One query for all tables: a snapshot is taken a thousand times, and a query for each table was most of what this file cost. */
async function snapshotQuery({ db, dialect }: TestApplication['store']): Promise<string> {
  const columnsOf = new Map(
    (await db.introspection.getTables()).map(({ name, columns }) => [name, columns.map((each) => each.name)]),
  );
  const tables = TABLES.map((table) => {
    const columns = (columnsOf.get(table) ?? []).filter((name) => !IGNORED_COLUMNS[table]?.includes(name));
    expect(columns).not.toEqual([]);
    const values = [...columns.map((name) => `"${name}"`), ...(COUNTED_STATES[table] ?? [])];
    const isSqlite = dialect === 'sqlite';
    const row = isSqlite
      ? `json_array(${values.join()})`
      : `cast(row_to_json(row(${values.join()})) as text)`;
    const rows = `select ${row} as line from ${table} where ${COUNTED_ROWS[table] ?? 'true'} order by 1`;
    return `(select ${isSqlite ? 'json_group_array' : 'json_agg'}(line) from (${rows}) as lines) as ${table}`;
  });
  return `select ${tables.join()}`;
}

/** The rows of each table, in a fixed order. */
async function snapshot(db: Kysely<Schema>, query: string): Promise<Record<string, unknown>> {
  const { rows } = await sql.raw<Record<string, unknown>>(query).execute(db);
  expect(Object.keys(rows[0] ?? {})).toHaveLength(TABLES.length);
  return rows[0] ?? {};
}

/** The database refuses audit rows while the switch is 1. */
async function plantSwitch(app: TestApplication): Promise<(isFailing: boolean) => Promise<void>> {
  const { db, dialect } = app.store;
  await sql`create table audit_switch (failing integer not null)`.execute(db);
  await sql`insert into audit_switch values (0)`.execute(db);
  const statements =
    dialect === 'sqlite'
      ? [
          `create trigger audit_refused before insert on audit when (select failing from audit_switch) = 1
           begin select raise(abort, 'injected'); end`,
        ]
      : [
          `create function refuse_audit() returns trigger language plpgsql as
           $$ begin if (select failing from audit_switch) = 1 then raise exception 'injected'; end if; return new; end $$`,
          `create trigger audit_refused before insert on audit for each row execute function refuse_audit()`,
        ];
  for (const statement of statements) await sql.raw(statement).execute(db);
  return async (isFailing) => {
    await sql`update audit_switch set failing = ${isFailing ? 1 : 0}`.execute(db);
  };
}

for (const database of ['sqlite', 'postgres'] as const) {
  describe(database, () => {
    let app: TestApplication;
    let mails: MailServer;
    let providers: Providers;
    let idp: IdentityProvider;
    let names: NameServer;
    let stage: Stage;
    let refuseAudit: (isFailing: boolean) => Promise<void>;
    let tablesQuery: string;
    beforeAll(async () => {
      [mails, providers, idp, names] = await Promise.all([
        startMailServer(),
        startProviders(),
        startIdentityProvider(),
        startNameServer(),
      ]);
      app = await startApplication({
        database,
        nameServers: [names.address],
        // The address of a user's way is public; it is saved and never called.
        environment: { EGRESS_ALLOW: `${LOOPBACK_HOSTS},93.184.215.14,*.example` },
        settings: {
          ...mails.settings,
          ...providerSettings(providers),
          ServerAddress: ORIGIN,
          OrganizationsEnabled: 'true',
          OrganizationSignOn: 'true',
          OrganizationSignOnPrivateAddresses: 'true',
        },
      });
      stage = { app, root: await app.login('root', ROOT_PASSWORD), wechat: providers.wechat, idp, names };
      refuseAudit = await plantSwitch(app);
      tablesQuery = await snapshotQuery(app.store);
    }, 120_000);
    let signedInAt = Date.now();
    beforeEach(async () => {
      // What asks for a new proof of identity asks minutes after the last one.
      if (Date.now() - signedInAt < 60_000) return;
      stage.root = await app.login('root', ROOT_PASSWORD);
      signedInAt = Date.now();
    });
    afterAll(async () => {
      await app.close();
      await mails.close();
      await closeProviders(providers);
      await idp.close();
      names.close();
    });

    const lastId = async () =>
      (await app.store.db.selectFrom('audit').select('id').orderBy('id', 'desc').limit(1).executeTakeFirst())
        ?.id ?? 0;
    const actionsAfter = async (id: number) =>
      (await app.store.db.selectFrom('audit').select('action').where('id', '>', id).execute()).map(
        ({ action }) => action,
      );

    test('every table is compared, or has a reason not to be', async () => {
      const query =
        database === 'sqlite'
          ? sql<{
              name: string;
            }>`select name from sqlite_master where type = 'table' and name not like 'sqlite_%'`
          : sql<{ name: string }>`select tablename as name from pg_tables where schemaname = 'public'`;
      const { rows } = await query.execute(app.store.db);
      const known = new Set<string>([...TABLES, ...IGNORED_TABLES, 'audit_switch']);
      expect(
        rows
          .map(({ name }) => name)
          .filter((name) => !known.has(name) && !/migration|metadata|vault|^logs_/.test(name)),
      ).toEqual([]);
    });

    describe.each(Object.entries(SCENARIOS))('%s', (_, { action, prepare, isEvent = false }) => {
      test('without its audit row nothing changes', async () => {
        const send = await prepare(stage);
        const [before, id] = [await snapshot(app.store.db, tablesQuery), await lastId()];
        await refuseAudit(true);
        const reply = await send();
        await refuseAudit(false);
        expect([reply.status, reply.body.code]).toEqual([500, 'internal']);
        expect(reply.headers.getSetCookie()).toEqual([]);
        expect(await snapshot(app.store.db, tablesQuery)).toEqual(before);
        expect(await lastId()).toBe(id);
      });

      test(`with it, ${action} is in the trail`, async () => {
        const send = await prepare(stage);
        const [before, id] = [await snapshot(app.store.db, tablesQuery), await lastId()];
        const reply = await send();
        expect(reply.status).toBe(200);
        expect(await actionsAfter(id)).toContain(action);
        if (!isEvent) expect(await snapshot(app.store.db, tablesQuery)).not.toEqual(before);
      });
    });

    test('the chain is intact after all scenarios', async () => {
      expect(await checkTrail(app.store)).toMatchObject({ fault: null });
    });

    test('concurrent changes of many users all commit, each with its row, in one chain', async () => {
      const users = await Promise.all(Array.from({ length: 12 }, () => app.actor()));
      const id = await lastId();
      await Promise.all(
        users.flatMap((user) => {
          const client = app.client(user);
          const create = () => client.tokens.create({ body: { name: 'parallel' } });
          const rename = () => client.users.changeSelf({ body: { display_name: `d${user.id}` } });
          return [create(), rename(), create(), rename(), client.self.accessToken()];
        }),
      );
      const actions = await actionsAfter(id);
      const count = (action: string) => actions.filter((each) => each === action).length;
      expect([count('token.create'), count('user.rename'), count('user.access_token')]).toEqual([24, 24, 12]);
      expect(await checkTrail(app.store)).toMatchObject({ fault: null });
    });
  });
}
