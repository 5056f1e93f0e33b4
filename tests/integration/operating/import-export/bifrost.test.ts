// Moving in from Bifrost: its governance, from its database and from its config.json.
import { afterAll, describe, expect, setDefaultTimeout, spyOn, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ROLE } from '#contract/access.ts';
import { insertUser } from '#server/admin/write-user.ts';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import {
  importBifrost,
  isBifrost,
  openImportSource,
  readBifrost,
} from '#server/operating/import-export/index.ts';
import { readBifrostFile } from '#server/operating/import-export/bifrost/tables.ts';
import { runCommandLine } from '#server/cli/commands.ts';
import { createLog } from '#server/platform/log.ts';
import { openSettings } from '#server/platform/settings/settings.ts';
import type { Store } from '#server/platform/store/store.ts';
import { placeWithStore } from './bring.ts';
import { checkSpending } from './budget-spending.ts';
import { KEYS, writeDatabase, writeFile } from './bifrost-source.ts';

setDefaultTimeout(240_000);
const DOLLAR = 500_000;
const folder = mkdtempSync(path.join(tmpdir(), 'tollgate-bifrost-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const keys = path.join(folder, 'keys.csv');
writeFileSync(keys, `key\n${KEYS.hidden}\n`);

async function bring(store: Store, from: string, isDry: boolean): Promise<string> {
  const settings = await openSettings(store, createLog({ level: 'error' }));
  const source = from.endsWith('.json') ? undefined : await openImportSource(from);
  try {
    if (source !== undefined) expect(await isBifrost(source)).toBe(true);
    const variables = { FREE_KEY: KEYS.free };
    const input = await readBifrost({ from: source ?? from, keys, variables });
    const parts = { store, settings, optionAudit: async () => {} };
    return (await importBifrost(input, parts, { isDry, overwrites: false })).lines(isDry).join('\n');
  } finally {
    await source?.close();
    settings.close();
  }
}

const all = async ({ db }: Store) => ({
  users: await db.selectFrom('users').selectAll().orderBy('id').execute(),
  projects: await db.selectFrom('projects').selectAll().orderBy('id').execute(),
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
    accounts.map(({ username, quota, requests_per_minute, tokens_per_minute }) =>
      [username, quota / DOLLAR, requests_per_minute, tokens_per_minute].join(' '),
    ),
  ).toEqual(['@acme 70 60 9000', '@solo 47 0 0', '@bifrost 0 0 0']);
  expect(
    rows.budgets.map(({ id, name, subject, period, quota, is_hard }) => {
      const { spent = -1 } = rows.counters.find(({ budget_id }) => budget_id === id) ?? {};
      return [name, subject, period, quota / DOLLAR, spent / DOLLAR, is_hard].join(' ');
    }),
  ).toEqual([
    'Acme organization month 100 30 1',
    'Research (1w) project week 10 4 1',
    'Research (1d) project day 3 0 1',
    'Solo project day 48 1 1',
    'robot token day 2 0.5 1',
    'free token month 0.416666 0.25 1',
  ]);
  expect(
    rows.tokens.map((token) => {
      const project = rows.projects.find(({ id }) => id === token.project_id)?.name ?? '';
      const { name, status, model_limits, requests_per_minute } = token;
      return [name, nameOf(token.user_id), project, status, model_limits, requests_per_minute].join(' | ');
    }),
  ).toEqual([
    'robot | @acme | Research | 1 | gpt-4o,claude | 60',
    'office | @acme | default | 2 |  | 0',
    'free | @bifrost | default | 1 |  | 0',
    'hidden | @solo | Solo | 2 |  | 0',
  ]);
}

describe.each(['sqlite', 'postgres'] as const)('Bifrost into %s', (label) => {
  test('customers, teams, keys and budgets are brought once; the rest is named; budgets refuse to the unit', async () => {
    const { place, store } = await placeWithStore(label);
    // One of them reads the database, the other config.json.
    const isFile = label === 'postgres';
    const from = isFile
      ? writeFile(path.join(folder, 'config.json'))
      : writeDatabase(path.join(folder, 'config.db'));
    if (isFile) writeFileSync(keys, 'key\n');
    await store.db
      .transaction()
      .execute((transaction) => insertUser(transaction, { username: 'root', role: ROLE.root }));
    const before = await all(store);
    const dry = await bring(store, from, true);
    expect(await all(store)).toEqual(before);
    const made = await bring(store, from, false);
    expect(made).toBe(dry.replaceAll('would be brought', 'brought'));
    for (const line of [
      'organizations 3 found, 3 brought',
      'projects     2 found, 2 brought',
      'budgets      7 found, 6 brought',
      'left behind: 1 (it is for one provider or model of a key, make it anew): b7',
      'tokens       5 found, 4 brought',
      'give it by --keys or --env, or make a new one): lost',
      'rate limit of Research: 500 requests in 1h is not brought, limits here are per minute',
      'The providers of a key are not brought: its calls take the channels of their model and group.',
      'The super admin owns the organizations that have no members.',
      'key robot: its list of refused models is not brought',
      'key hidden: no model is allowed at the source, brought disabled',
      'budget Solo: a window of 12h does not exist here, brought as $48 for a day',
      'Providers with their keys are not brought: add them as channels.',
    ])
      expect(made).toContain(line);
    await checkRows(store);
    expect(await checkInvariants(store)).toEqual([]);
    const after = await all(store);
    await bring(store, from, false);
    expect(await all(store)).toEqual(after);
    // The key's day leaves 1.5 dollars, its team's day 3 and week 6, the organization's month 70.
    await checkSpending({ store, dataDir: place.dataDir }, [[KEYS.team, 1.5 * DOLLAR]]);
    await store.close();
    await place.remove();
  });
});

test('the command reads config.json, and changes nothing without --apply', async () => {
  const { place, store } = await placeWithStore('sqlite');
  await store.db
    .transaction()
    .execute((transaction) => insertUser(transaction, { username: 'root', role: ROLE.root }));
  await store.close();
  const lines: string[] = [];
  const spy = spyOn(console, 'log').mockImplementation((text: string) => void lines.push(text));
  try {
    const args = ['import', writeFile(path.join(folder, 'by-command.json'))];
    const variables = { DATA_DIR: place.dataDir };
    expect(await runCommandLine(args, variables)).toBe(0);
    expect(lines).toContain('organizations 3 found, 3 would be brought');
    expect(await runCommandLine([...args, '--apply'], variables)).toBe(0);
    expect(lines).toContain('organizations 3 found, 3 brought');
    expect(await runCommandLine([...args, '--apply'], variables)).toBe(0);
    expect(lines).toContain('organizations 3 found, 0 brought, 3 were brought before');
  } finally {
    spy.mockRestore();
    await place.remove();
  }
});

test('a file that is no configuration of Bifrost is refused with the place', () => {
  expect(() => readBifrostFile('{')).toThrow('not valid JSON');
  expect(() => readBifrostFile('{"providers":{}}')).toThrow('governance cannot be read');
  expect(() => readBifrostFile('{"governance":{"teams":3}}')).toThrow('governance.teams cannot be read');
});
