// Moving in from LiteLLM with organizations, teams and budgets, from a dump into SQLite and from a server into PostgreSQL.
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ROLE } from '#contract/access.ts';
import { insertUser } from '#server/admin/write-user.ts';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import { importLiteLlm, openImportSource, readLiteLlm } from '#server/operating/import-export/index.ts';
import { createLog } from '#server/platform/log.ts';
import { openSettings } from '#server/platform/settings/settings.ts';
import type { Store } from '#server/platform/store/store.ts';
import { temporaryPlace } from '#tests/support/databases.ts';
import { placeWithStore } from './bring.ts';
import { checkSpending } from './budget-spending.ts';
import { KEYS, writeDump, writeServer } from './litellm-teams-source.ts';

setDefaultTimeout(240_000);
const DOLLAR = 500_000;
const folder = mkdtempSync(path.join(tmpdir(), 'tollgate-litellm-teams-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const keys = path.join(folder, 'keys.csv');
const known = Object.entries(KEYS).filter(([name]) => name !== 'unknown');
writeFileSync(keys, ['key', ...known.map(([, key]) => key), ''].join('\n'));

async function bring(store: Store, place: string, isDry: boolean): Promise<string> {
  const settings = await openSettings(store, createLog({ level: 'error' }));
  const source = await openImportSource(place);
  try {
    const input = await readLiteLlm({ source, keys, variables: {} });
    const parts = { store, settings, optionAudit: async () => {} };
    return (await importLiteLlm(input, parts, { isDry, overwrites: false })).lines(isDry).join('\n');
  } finally {
    await source.close();
    settings.close();
  }
}

const all = async ({ db }: Store) => ({
  users: await db.selectFrom('users').selectAll().orderBy('id').execute(),
  organizations: await db.selectFrom('organizations').selectAll().orderBy('id').execute(),
  members: await db.selectFrom('organization_members').selectAll().orderBy('id').execute(),
  projects: await db.selectFrom('projects').selectAll().orderBy('id').execute(),
  accounts: await db.selectFrom('service_accounts').selectAll().orderBy('id').execute(),
  tokens: await db.selectFrom('tokens').selectAll().orderBy('id').execute(),
  budgets: await db.selectFrom('budgets').selectAll().orderBy('id').execute(),
  counters: await db.selectFrom('budget_counters').selectAll().orderBy('id').execute(),
  ledger: await db.selectFrom('ledger').selectAll().orderBy('id').execute(),
});

async function checkRows(store: Store): Promise<void> {
  const rows = await all(store);
  const nameOf = (id: number) => rows.users.find((user) => user.id === id)?.username;
  const accounts = rows.users.filter(({ kind }) => kind === 'organization');
  expect(
    accounts.map(({ username, quota, requests_per_minute, tokens_per_minute, concurrent_calls, status }) => [
      username,
      quota / DOLLAR,
      requests_per_minute,
      tokens_per_minute,
      concurrent_calls,
      status,
    ]),
  ).toEqual([
    ['@acme', 75, 50, 5000, 0, 1],
    ['@solo', 6, 0, 0, 3, 1],
    ['@shut', 0, 0, 0, 0, 2],
  ]);
  const members = rows.members.map(({ organization_id, user_id, role }) =>
    [nameOf(organization_id), nameOf(user_id), role].join(' '),
  );
  expect(members.toSorted()).toEqual([
    '@acme ann owner',
    '@acme ben member',
    '@shut root owner',
    '@solo ann member',
    '@solo cat owner',
  ]);
  expect(
    rows.projects.map(({ organization_id, name, models, requests_per_minute }) =>
      [nameOf(organization_id), name, models, requests_per_minute].join(' | '),
    ),
  ).toEqual([
    '@acme | default | gpt-4o,claude | 0',
    '@acme | Research | gpt-4o | 30',
    '@acme | Ops | gpt-4o,claude | 0',
    '@solo | default |  | 0',
    '@solo | Solo |  | 0',
    '@shut | default |  | 0',
    '@shut | Shut |  | 0',
  ]);
  expect(
    rows.budgets.map(({ id, name, subject, period, quota, is_hard }) => {
      const { spent, brought } = rows.counters.find(({ budget_id }) => budget_id === id) ?? {};
      expect(spent).toBe(brought ?? -1);
      return [name, subject, period, quota / DOLLAR, (spent ?? 0) / DOLLAR, is_hard].join(' ');
    }),
  ).toEqual([
    'Acme organization month 100 25 1',
    'Acme (soft) organization month 80 25 0',
    'Research: ben member week 5 1.25 1',
    'Research project week 40 12.5 1',
    'Ops project week 7 1 1',
    'Solo project total 10 4 1',
    'ben key token day 2 0.5 1',
    'cat key token day 1 0 1',
  ]);
  expect(
    rows.tokens.map((token) => {
      const holder =
        nameOf(token.member_id) ??
        rows.accounts.find(({ id }) => id === token.service_account_id)?.name ??
        '';
      const project = rows.projects.find(({ id }) => id === token.project_id)?.name ?? '';
      const left = token.unlimited_quota === 1 ? 'no limit' : token.remain_quota / DOLLAR;
      return [token.name, nameOf(token.user_id), project, holder, left, token.requests_per_minute].join(
        ' | ',
      );
    }),
  ).toEqual([
    'ben key | @acme | Research | ben | no limit | 9',
    'robot | @acme | Research | Research | 2 | 0',
    'cat key | @solo | Solo | cat | no limit | 0',
    'shut key | @shut | Shut | Shut | no limit | 0',
    'acme key | @acme | default | LiteLLM | no limit | 0',
  ]);
  expect(rows.tokens.map((token) => token.project_requests_per_minute)).toEqual([30, 30, 0, 0, 0]);
}

describe.each(['sqlite', 'postgres'] as const)('LiteLLM with teams into %s', (label) => {
  test('organizations, teams, members, keys and budgets are brought once; the rest is named; budgets refuse to the unit', async () => {
    const { place, store } = await placeWithStore(label);
    const sourcePlace = label === 'postgres' ? await temporaryPlace('postgres') : undefined;
    const source =
      sourcePlace?.databaseUrl === undefined
        ? writeDump(path.join(folder, 'litellm.sql'))
        : await writeServer(sourcePlace.databaseUrl);
    await store.db
      .transaction()
      .execute((transaction) => insertUser(transaction, { username: 'root', role: ROLE.root }));
    const before = await all(store);
    const dry = await bring(store, source, true);
    expect(await all(store)).toEqual(before);
    const made = await bring(store, source, false);
    expect(made).toBe(dry.replaceAll('would be brought', 'brought'));
    for (const line of [
      'organizations 3 found, 3 brought',
      'members      5 found, 4 brought',
      'left behind: 1 (its user is not brought): u9 of Solo',
      'projects     5 found, 4 brought',
      'left behind: 1 (max_budget is not a number): Broken',
      'budgets      9 found, 8 brought',
      'left behind: 1 (an end user is no account here: an organization makes a budget of the tag user): customer-7',
      'tokens       7 found, 5 brought',
      'its team or organization is not brought): broken key',
      'give the keys by --keys, or make new ones): lost key',
      'budget Ops: a window of 14d does not exist here, brought as $7 for a week',
      'key acme key: u7 is not a member, a service account has it',
      'member Ops: ben: admin of the team Ops only, brought as a member of Acme',
      'member ben: budgets of a team count the calls in all teams of Acme',
      'organization Shut: blocked at the source, brought suspended',
      'The super admin owns the organizations that have no members.',
      'Organizations are off (OrganizationsEnabled)',
    ])
      expect(made).toContain(line);
    await checkRows(store);
    expect(await checkInvariants(store)).toEqual([]);

    const after = await all(store);
    const again = await bring(store, source, false);
    expect(await all(store)).toEqual(after);
    expect(again).toContain('budgets      7 found, 0 brought, 6 were brought before');
    // The day's budget of the member's key leaves 1.5 dollars, before the member's 3.75, the team's 27.5 and the organization's 75.
    await checkSpending({ store, dataDir: place.dataDir }, [
      [KEYS.member, 1.5 * DOLLAR],
      [KEYS.service, 2 * DOLLAR],
      [KEYS.solo, DOLLAR],
    ]);
    await store.close();
    await place.remove();
    await sourcePlace?.remove();
  });
});

test('what was archived or deleted here stays so: new budgets and keys of it are left behind and named', async () => {
  const { place, store } = await placeWithStore('sqlite');
  const source = writeDump(path.join(folder, 'again.sql'));
  await store.db
    .transaction()
    .execute((transaction) => insertUser(transaction, { username: 'root', role: ROLE.root }));
  await bring(store, source, false);
  const { projects, organizations } = await all(store);
  const idOf = (rows: { id: number; name: string }[], wanted: string) =>
    rows.find(({ name }) => name === wanted)?.id ?? 0;
  await store.db
    .updateTable('projects')
    .set({ archived_at: 1 })
    .where('id', '=', idOf(projects, 'Research'))
    .execute();
  await store.db
    .updateTable('organizations')
    .set({ deleted_at: 1 })
    .where('id', '=', idOf(organizations, 'Shut'))
    .execute();
  // As if they were new at the source.
  await store.db
    .deleteFrom('imported_rows')
    .where('kind', 'in', ['budgets', 'tokens'])
    .where((builder) =>
      builder.or([
        builder('source_id', '=', 'team t1'),
        builder('row_id', '=', builder.selectFrom('tokens').select('id').where('name', '=', 'shut key')),
      ]),
    )
    .execute();
  const text = await bring(store, source, false);
  expect(text).toContain('left behind: 1 (it was deleted here): Shut');
  expect(text).toContain('its team or organization is not brought): shut key');
  expect(text).toMatch(/budgets +7 found, 0 brought, 5 were brought before/);
  expect(text).toContain('): Research 2');
  expect(await checkInvariants(store)).toEqual([]);
  await store.close();
  await place.remove();
});
