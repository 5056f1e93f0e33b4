import { expect, test } from 'bun:test';
import { BUDGETS_OF_UTC } from '#contract/money/budget-windows.ts';
import { unixSeconds } from '#contract/time.ts';
import { Report } from '#server/operating/import-export/import/report.ts';
import { scaleOf } from '#server/operating/import-export/import/scale.ts';
import type { OrganizationJob } from '#server/operating/import-export/organizations/model.ts';
import { Fields } from '#server/operating/import-export/source/fields.ts';
import type { Source, SourceRow } from '#server/operating/import-export/source/source.ts';
import { readTeamTables } from './team-tables.ts';
import { readTeams } from './teams.ts';

const NOW = unixSeconds();
const users = [
  { user_id: 'u1', user_alias: 'ann', user_email: 'Ann@Example.com' },
  { user_id: 'u2', user_email: 'ben@example.com' },
];

async function read(rows: Record<string, SourceRow[]>) {
  const source = {
    columns: async (table: string) => new Set(Object.keys(rows[table]?.[0] ?? {})),
    all: async (table: string) => rows[table] ?? [],
  } as unknown as Source;
  const report = new Report();
  const job = { report, scale: scaleOf(100, 100), clock: { now: NOW, zones: BUDGETS_OF_UTC } };
  const tables = await readTeamTables(source);
  const teams = await readTeams(job as unknown as OrganizationJob, tables);
  return { ...teams, report, lines: report.lines(true).join('\n') };
}

test('members are found by their address, and those of old versions in two lists', async () => {
  const { organizations } = await read({
    LiteLLM_UserTable: users,
    LiteLLM_TeamTable: [
      {
        team_id: 't1',
        members_with_roles:
          '[{"user_email":"ann@example.com","role":"admin"},{"user_id":"u2","role":"user"}]',
      },
      { team_id: 't2', members_with_roles: '{}', admins: '{u2}', members: '{u1,u2}' },
    ],
  });
  expect(organizations.map(({ members }) => members.map(({ user, role }) => `${user} ${role}`))).toEqual([
    ['u1 admin', 'u2 member'],
    ['u2 admin', 'u1 member'],
  ]);
});

test('the budget of the row comes before the shared one; a window that is over counts nothing', async () => {
  const shared = {
    budget_id: 'b1',
    max_budget: 9,
    soft_budget: 5,
    budget_duration: '7d',
    budget_reset_at: NOW + 60,
  };
  const { organizations } = await read({
    LiteLLM_BudgetTable: [shared],
    LiteLLM_OrganizationTable: [
      { organization_id: 'o1', organization_alias: 'Acme', budget_id: 'b1', spend: 2 },
    ],
    LiteLLM_TeamTable: [
      {
        team_id: 't1',
        organization_id: 'o1',
        max_budget: 4,
        spend: 3,
        budget_duration: '1d',
        budget_reset_at: NOW - 60,
      },
      { team_id: 't2', organization_id: 'o1', max_budget: 4, spend: 3, budget_duration: 'often' },
    ],
  });
  const [acme] = organizations;
  const plain = (budgets = acme?.budgets) =>
    budgets?.map(({ quota, spent, isHard, window }) => [quota, spent, isHard, window.period]);
  expect(plain()).toEqual([
    [900, 200, true, 'week'],
    [500, 200, false, 'week'],
  ]);
  expect(acme?.projects.map(({ budgets }) => plain(budgets))).toEqual([
    [[400, 0, true, 'day']],
    [[400, 300, true, 'total']],
  ]);
});

test('a blocked team closes its keys, or the organization that is made of it', async () => {
  const { organizations } = await read({
    LiteLLM_OrganizationTable: [{ organization_id: 'o1', organization_alias: 'Acme' }],
    LiteLLM_TeamTable: [
      { team_id: 't1', organization_id: 'o1', blocked: true },
      { team_id: 't2', organization_id: null, blocked: true },
    ],
  });
  expect(organizations.map(({ isBlocked, projects }) => [isBlocked, projects[0]?.isBlocked])).toEqual([
    [false, true],
    [true, false],
  ]);
});

test('teams and keys of an organization that cannot be read stay behind with it; budgets of models are named', async () => {
  const { organizations, placeOf, report, lines } = await read({
    LiteLLM_BudgetTable: [{ budget_id: 'b1', max_budget: '1e300' }],
    LiteLLM_OrganizationTable: [
      { organization_id: 'o1', organization_alias: 'Acme', budget_id: 'b1', spend: 2 },
    ],
    LiteLLM_TeamTable: [
      { team_id: 't1', team_alias: 'Research', organization_id: 'o1' },
      { team_id: 't2', team_alias: 'Solo', model_max_budget: '{"gpt-4o":{"budget_limit":1}}' },
    ],
  });
  expect(organizations.map(({ name }) => name)).toEqual(['Solo']);
  expect(lines).toContain('left behind: 1 (max_budget is past the cap): Acme');
  expect(lines).toContain('left behind: 1 (its organization is not brought): Research');
  expect(lines).toContain('make it anew): Solo');
  expect(report.found.get('budgets')).toBe(1);
  const place = (row: SourceRow) => placeOf(new Fields(row))?.organization;
  expect(place({ team_id: 't1' })).toBe('team t1');
  expect(place({ organization_id: 'o1' })).toBe('organization o1');
  expect(place({ user_id: 'u1' })).toBeUndefined();
});
