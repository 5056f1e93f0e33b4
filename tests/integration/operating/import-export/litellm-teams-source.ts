// A database of LiteLLM with organizations, teams and budgets: on the PostgreSQL server of the tests, or as `pg_dump` writes it.
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { Client } from 'pg';

export const KEYS = {
  member: 'sk-of-ben-in-research',
  service: 'sk-of-research',
  solo: 'sk-of-cat-in-solo',
  shut: 'sk-of-shut',
  organization: 'sk-of-acme',
  broken: 'sk-of-broken',
  unknown: 'sk-nobody-has-it',
} as const;
const hash = (key: string) => createHash('sha256').update(key).digest('hex');

type Cell = string | number | boolean | null | string[] | object[];
interface Table {
  columns: Record<string, string>;
  rows: Cell[][];
}

const at = (seconds: number) =>
  new Date(Date.now() + seconds * 1000).toISOString().replace('T', ' ').replace('Z', '');
const LATER = at(86_400);
const BEFORE = at(-3600);

const LIMITS = {
  max_budget: 'double precision',
  soft_budget: 'double precision',
  budget_duration: 'text',
  budget_reset_at: 'timestamp(3)',
  rpm_limit: 'bigint',
  tpm_limit: 'bigint',
  max_parallel_requests: 'integer',
} as const;

const UNLIMITED: Cell[] = [null, null, null, null, null, null, null];
const DAY_THAT_IS_OVER: Cell[] = [1, null, '1d', BEFORE, null, null, null];

const roles = (...list: [user: string, role: string][]) => list.map(([user_id, role]) => ({ user_id, role }));
const WEEK: Cell[] = [40, null, '7d', LATER, 30, null, null];
const TWO_WEEKS: Cell[] = [14, null, '14d', LATER, null, null, null];
const SOLO = roles(['u1', 'user'], ['u3', 'admin'], ['u9', 'user']);

export const tables = (): Record<string, Table> => ({
  LiteLLM_BudgetTable: {
    columns: { budget_id: 'text', ...LIMITS, model_max_budget: 'jsonb', allowed_models: 'text[]' },
    rows: [
      ['b-org', 100, 80, '30d', LATER, 50, 5000, null, [], []],
      ['b-member', 5, null, '7d', LATER, null, null, null, [], []],
      ['b-key', 2, null, '24h', LATER, 9, null, null, [], []],
    ],
  },
  LiteLLM_OrganizationTable: {
    columns: {
      organization_id: 'text',
      organization_alias: 'text',
      budget_id: 'text',
      models: 'text[]',
      spend: 'double precision',
    },
    rows: [['o1', 'Acme', 'b-org', ['gpt-4o', 'claude'], 25]],
  },
  LiteLLM_OrganizationMembership: {
    columns: {
      user_id: 'text',
      organization_id: 'text',
      user_role: 'text',
      spend: 'double precision',
      budget_id: 'text',
    },
    rows: [
      ['u1', 'o1', 'org_admin', 0, null],
      ['u2', 'o1', 'internal_user', 0, null],
    ],
  },
  LiteLLM_TeamTable: {
    columns: {
      team_id: 'text',
      team_alias: 'text',
      organization_id: 'text',
      admins: 'text[]',
      members: 'text[]',
      members_with_roles: 'jsonb',
      spend: 'double precision',
      models: 'text[]',
      blocked: 'boolean',
      ...LIMITS,
    },
    rows: [
      [
        't1',
        'Research',
        'o1',
        [],
        [],
        roles(['u1', 'admin'], ['u2', 'user']),
        12.5,
        ['gpt-4o'],
        false,
        ...WEEK,
      ],
      ['t2', 'Ops', 'o1', [], [], roles(['u2', 'admin']), 1, [], false, ...TWO_WEEKS],
      ['t3', 'Solo', null, [], [], SOLO, 4, ['all-proxy-models'], false, 10, ...UNLIMITED.slice(2), 3],
      ['t4', 'Shut', null, [], [], [], 0, [], true, ...UNLIMITED],
      ['t5', 'Broken', null, [], [], [], 0, [], false, 'Infinity', ...UNLIMITED.slice(1)],
    ],
  },
  LiteLLM_TeamMembership: {
    columns: { user_id: 'text', team_id: 'text', spend: 'double precision', budget_id: 'text' },
    rows: [['u2', 't1', 1.25, 'b-member']],
  },
  LiteLLM_UserTable: {
    columns: {
      user_id: 'text',
      user_alias: 'text',
      user_email: 'text',
      spend: 'double precision',
      ...LIMITS,
    },
    rows: ['ann', 'ben', 'cat'].map((name, index) => [
      `u${index + 1}`,
      name,
      `${name}@example.com`,
      0,
      ...UNLIMITED,
    ]),
  },
  LiteLLM_VerificationToken: {
    columns: {
      token: 'text',
      key_alias: 'text',
      user_id: 'text',
      team_id: 'text',
      organization_id: 'text',
      budget_id: 'text',
      models: 'text[]',
      spend: 'double precision',
      blocked: 'boolean',
      ...LIMITS,
    },
    rows: [
      [hash(KEYS.member), 'ben key', 'u2', 't1', 'o1', 'b-key', ['all-team-models'], 0.5, null, ...UNLIMITED],
      [hash(KEYS.service), 'robot', null, 't1', null, null, [], 1, null, 3, ...UNLIMITED.slice(1)],
      [hash(KEYS.solo), 'cat key', 'u3', 't3', null, null, ['gpt-4o'], 0.9, null, ...DAY_THAT_IS_OVER],
      [hash(KEYS.shut), 'shut key', null, 't4', null, null, [], 0, null, ...UNLIMITED],
      [hash(KEYS.organization), 'acme key', 'u7', null, 'o1', null, [], 0, null, ...UNLIMITED],
      [hash(KEYS.broken), 'broken key', null, 't5', null, null, [], 0, null, ...UNLIMITED],
      [hash(KEYS.unknown), 'lost key', null, 't1', null, null, [], 0, null, ...UNLIMITED],
    ],
  },
  LiteLLM_EndUserTable: {
    columns: { user_id: 'text', spend: 'double precision', budget_id: 'text', blocked: 'boolean' },
    rows: [['customer-7', 1, 'b-key', false]],
  },
});

function textOf(cell: Cell, type: string): string | null {
  if (cell === null) return null;
  if (type === 'jsonb') return JSON.stringify(cell);
  if (type === 'boolean') return cell === true ? 't' : 'f';
  return Array.isArray(cell) ? `{${cell.map((item) => JSON.stringify(item)).join(',')}}` : String(cell);
}

const ofRow = ({ columns }: Table, row: Cell[]) =>
  Object.values(columns).map((type, index) => textOf(row[index] ?? null, type));

export async function writeServer(url: string): Promise<string> {
  const client = new Client({ connectionString: url });
  await client.connect();
  for (const [name, table] of Object.entries(tables())) {
    const types = Object.values(table.columns);
    const columns = Object.entries(table.columns).map(([column, type]) => `"${column}" ${type}`);
    await client.query(`create table "${name}" (${columns.join(', ')})`);
    const values = types.map((type, index) => `$${index + 1}::text::${type}`).join(', ');
    for (const row of table.rows)
      await client.query(`insert into "${name}" values (${values})`, ofRow(table, row));
  }
  await client.end();
  return url;
}

export function writeDump(file: string): string {
  const made = Object.entries(tables()).map(([name, table]) => {
    const columns = Object.keys(table.columns);
    const lines = table.rows.map((row) =>
      ofRow(table, row)
        .map((text) => text ?? String.raw`\N`)
        .join('\t'),
    );
    const types = columns.map((column) => `    ${column} ${table.columns[column]}`);
    return [
      `CREATE TABLE public."${name}" (\n${types.join(',\n')}\n);`,
      `COPY public."${name}" (${columns.join(', ')}) FROM stdin;\n${[...lines, String.raw`\.`].join('\n')}\n`,
    ].join('\n\n');
  });
  writeFileSync(
    file,
    `--\n-- PostgreSQL database dump\n--\n\nSET client_encoding = 'UTF8';\n\n${made.join('\n\n')}\n`,
  );
  return file;
}
