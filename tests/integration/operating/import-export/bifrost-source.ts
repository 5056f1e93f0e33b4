// A database of Bifrost as its ORM makes it, with the columns that the import reads, and the same governance as a config.json.
import { Database } from 'bun:sqlite';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';

export const KEYS = {
  team: 'sk-bf-11111111-aaaa',
  customer: 'sk-bf-22222222-bbbb',
  free: 'sk-bf-33333333-cccc',
  hidden: 'sk-bf-44444444-dddd',
} as const;

type Row = Record<string, string | number | boolean | null | object>;

const HOUR = 3_600_000;
/** As the driver writes times. */
const ago = (hours: number) =>
  `${new Date(Date.now() - hours * HOUR).toISOString().replace('T', ' ').slice(0, 23)}000000+00:00`;

const every = [{ provider: 'openai', allowed_models: ['*'], blacklisted_models: [] }];

export const governance = () => ({
  customers: [{ id: 'c1', name: 'Acme', rate_limit_id: 'r1', calendar_aligned: false }] as Row[],
  teams: [
    { id: 't1', name: 'Research', customer_id: 'c1', rate_limit_id: 'r2', calendar_aligned: false },
    { id: 't2', name: 'Solo', customer_id: null, rate_limit_id: null, calendar_aligned: true },
  ] as Row[],
  virtual_keys: [
    {
      id: 'k1',
      name: 'robot',
      value: KEYS.team,
      team_id: 't1',
      is_active: true,
      rate_limit_id: 'r1',
      provider_configs: [
        { provider: 'openai', allowed_models: ['gpt-4o'], blacklisted_models: [] },
        { provider: 'anthropic', allowed_models: ['claude'], blacklisted_models: ['claude-old'] },
      ],
    },
    {
      id: 'k2',
      name: 'office',
      value: KEYS.customer,
      customer_id: 'c1',
      is_active: false,
      provider_configs: every,
    },
    { id: 'k3', name: 'free', value: 'env.FREE_KEY', is_active: true, provider_configs: every },
    { id: 'k4', name: 'hidden', value: KEYS.hidden, team_id: 't2', is_active: true, provider_configs: [] },
    { id: 'k5', name: 'lost', value: 'vault.path', team_id: 't2', is_active: true, provider_configs: every },
  ] as Row[],
  budgets: [
    budget('b1', 'customer_id', 'c1', [100, '1M', ago(1), 30]),
    budget('b2', 'team_id', 't1', [10, '1w', ago(2), 4]),
    budget('b3', 'team_id', 't1', [3, '1d', ago(25), 2.9]),
    budget('b4', 'team_id', 't2', [24, '12h', ago(1), 1]),
    budget('b5', 'virtual_key_id', 'k1', [2, '1d', ago(3), 0.5]),
    budget('b7', 'provider_config_id', '1', [1, '1d', ago(3), 0]),
    budget('b6', 'virtual_key_id', 'k3', [5, '1Y', ago(3), 0.25]),
  ] as Row[],
  rate_limits: [limit('r1', [60, '1m'], [9000, '1m']), limit('r2', [500, '1h'], [null, null])] as Row[],
});

function budget(
  id: string,
  owner: string,
  of: string,
  [max, duration, reset, usage]: [number, string, string, number],
): Row {
  const owners = {
    customer_id: null,
    team_id: null,
    virtual_key_id: null,
    provider_config_id: null,
    [owner]: of,
  };
  return { id, max_limit: max, reset_duration: duration, last_reset: reset, current_usage: usage, ...owners };
}

type Limit = [max: number | null, duration: string | null];
function limit(id: string, [requests, requestEvery]: Limit, [tokens, tokenEvery]: Limit): Row {
  return {
    id,
    request_max_limit: requests,
    request_reset_duration: requestEvery,
    token_max_limit: tokens,
    token_reset_duration: tokenEvery,
  };
}

export function writeFile(file: string): string {
  writeFileSync(file, JSON.stringify({ providers: {}, governance: governance() }, null, 2));
  return file;
}

/** The key `hidden` is encrypted. */
export function writeDatabase(file: string): string {
  const { virtual_keys, ...others } = governance();
  const providers = virtual_keys.flatMap(({ id, provider_configs }) =>
    (provider_configs as Row[]).map((row) => ({ ...row, virtual_key_id: id })),
  );
  const keys = virtual_keys.map((row) => {
    const { name = '', value = '' } = row as Record<string, string>;
    const stored: Row = {
      ...row,
      value: name === 'hidden' ? 'c2VjcmV0' : value,
      value_hash: createHash('sha256').update(value).digest('hex'),
      encryption_status: name === 'hidden' ? 'encrypted' : 'plain_text',
    };
    delete stored['provider_configs'];
    return stored;
  });
  const db = new Database(file, { create: true });
  for (const [name, rows] of Object.entries({
    ...others,
    virtual_keys: keys,
    virtual_key_provider_configs: providers,
  })) {
    const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
    db.run(`CREATE TABLE \`governance_${name}\` (${columns.map((column) => `\`${column}\``).join(',')})`);
    const insert = db.query(
      `INSERT INTO \`governance_${name}\` VALUES (${columns.map(() => '?').join(',')})`,
    );
    for (const row of rows as Row[]) insert.run(...columns.map((column) => cellOf(row[column] ?? null)));
  }
  db.close();
  return file;
}

const cellOf = (value: Row[string]) =>
  typeof value === 'object' && value !== null
    ? JSON.stringify(value)
    : typeof value === 'boolean'
      ? Number(value)
      : value;
