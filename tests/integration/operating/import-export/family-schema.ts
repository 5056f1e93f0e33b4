// Databases of one-api and new-api in the schema that their own migrations make, as statements for SQLite, PostgreSQL or MySQL.

export type SourceDialect = 'sqlite' | 'postgres' | 'mysql';
type Value = string | number | boolean | null;
type Row = Record<string, Value>;

const TYPES: Record<SourceDialect, Record<string, string>> = {
  sqlite: {
    id: 'integer PRIMARY KEY AUTOINCREMENT',
    int: 'bigint',
    text: 'text',
    flag: 'numeric',
    real: 'real',
    time: 'datetime',
    json: 'json',
    key: 'char(48)',
  },
  postgres: {
    id: 'bigserial PRIMARY KEY',
    int: 'bigint',
    text: 'text',
    flag: 'boolean',
    real: 'numeric',
    time: 'timestamptz',
    json: 'json',
    key: 'char(48)',
  },
  mysql: {
    id: 'bigint AUTO_INCREMENT PRIMARY KEY',
    int: 'bigint',
    text: 'longtext',
    flag: 'boolean',
    real: 'double',
    time: 'datetime(3)',
    json: 'json',
    key: 'char(48)',
  },
};

type Columns = Record<string, keyof (typeof TYPES)['sqlite']>;

const tokenBase: Columns = {
  id: 'id',
  user_id: 'int',
  key: 'key',
  status: 'int',
  name: 'text',
  created_time: 'int',
  accessed_time: 'int',
  expired_time: 'int',
  remain_quota: 'int',
  unlimited_quota: 'flag',
  used_quota: 'int',
};
const channelBase: Columns = {
  id: 'id',
  type: 'int',
  key: 'text',
  status: 'int',
  name: 'text',
  weight: 'int',
  created_time: 'int',
  test_time: 'int',
  response_time: 'int',
  base_url: 'text',
  other: 'text',
  balance: 'real',
  balance_updated_time: 'int',
  models: 'text',
  group: 'text',
  used_quota: 'int',
  model_mapping: 'text',
  priority: 'int',
};
const userBase: Columns = {
  id: 'id',
  username: 'text',
  password: 'text',
  display_name: 'text',
  role: 'int',
  status: 'int',
  email: 'text',
  github_id: 'text',
  wechat_id: 'text',
  oidc_id: 'text',
  access_token: 'text',
  quota: 'int',
  used_quota: 'int',
  request_count: 'int',
  group: 'text',
  aff_code: 'text',
  inviter_id: 'int',
};
const logBase: Columns = {
  id: 'id',
  user_id: 'int',
  created_at: 'int',
  type: 'int',
  content: 'text',
  username: 'text',
  token_name: 'text',
  model_name: 'text',
  quota: 'int',
  prompt_tokens: 'int',
  completion_tokens: 'int',
  channel_id: 'int',
  is_stream: 'flag',
};
const redemptionBase: Columns = {
  id: 'id',
  user_id: 'int',
  key: 'text',
  status: 'int',
  name: 'text',
  quota: 'int',
  created_time: 'int',
  redeemed_time: 'int',
};

export const NEW_API_TABLES: Record<string, Columns> = {
  users: {
    ...userBase,
    telegram_id: 'text',
    linux_do_id: 'text',
    aff_count: 'int',
    aff_quota: 'int',
    aff_history: 'int',
    deleted_at: 'time',
    setting: 'text',
    remark: 'text',
    stripe_customer: 'text',
    created_at: 'int',
    last_login_at: 'int',
  },
  tokens: {
    ...tokenBase,
    model_limits_enabled: 'flag',
    model_limits: 'text',
    allow_ips: 'text',
    group: 'text',
    deleted_at: 'time',
  },
  channels: {
    ...channelBase,
    open_ai_organization: 'text',
    test_model: 'text',
    status_code_mapping: 'text',
    auto_ban: 'int',
    other_info: 'text',
    tag: 'text',
    setting: 'text',
    param_override: 'text',
    header_override: 'text',
    remark: 'text',
    channel_info: 'json',
    settings: 'text',
  },
  options: { key: 'text', value: 'text' },
  redemptions: { ...redemptionBase, used_user_id: 'int', deleted_at: 'time', expired_time: 'int' },
  top_ups: {
    id: 'id',
    user_id: 'int',
    amount: 'int',
    money: 'real',
    trade_no: 'text',
    payment_method: 'text',
    payment_provider: 'text',
    create_time: 'int',
    complete_time: 'int',
    status: 'text',
  },
  logs: {
    ...logBase,
    use_time: 'int',
    token_id: 'int',
    group: 'text',
    ip: 'text',
    request_id: 'text',
    other: 'text',
  },
  two_fas: { id: 'id', user_id: 'int', secret: 'text', is_enabled: 'flag', deleted_at: 'time' },
};

export const ONE_API_TABLES: Record<string, Columns> = {
  users: { ...userBase, lark_id: 'text' },
  tokens: { ...tokenBase, models: 'text', subnet: 'text' },
  channels: { ...channelBase, config: 'text', system_prompt: 'text' },
  options: { key: 'text', value: 'text' },
  redemptions: redemptionBase,
  logs: { ...logBase, request_id: 'text', elapsed_time: 'int', system_prompt_reset: 'flag' },
};

export type FamilyRows = Record<string, Row[]>;

const quotes: Record<SourceDialect, string> = { sqlite: '`', postgres: '"', mysql: '`' };

export function literal(value: Value, dialect: SourceDialect): string {
  if (value === null) return 'NULL';
  if (typeof value === 'boolean') return dialect === 'postgres' ? String(value) : value ? '1' : '0';
  if (typeof value === 'number') return String(value);
  const text =
    dialect === 'mysql' ? value.replaceAll('\\', String.raw`\\`).replaceAll('\n', String.raw`\n`) : value;
  return `'${text.replaceAll("'", "''")}'`;
}

/** One statement for each table, and one for each row. */
export function statements(
  tables: Record<string, Columns>,
  rows: FamilyRows,
  dialect: SourceDialect,
): string[] {
  const quote = (name: string) => quotes[dialect] + name + quotes[dialect];
  return Object.entries(tables).flatMap(([table, columns]) => [
    `CREATE TABLE ${quote(table)} (${Object.entries(columns)
      .map(([name, type]) => `${quote(name)} ${TYPES[dialect][type]}`)
      .join(', ')})`,
    ...(rows[table] ?? []).map((row) => {
      const names = Object.keys(columns).filter((name) => row[name] !== undefined);
      const values = names.map((name) => literal(row[name] ?? null, dialect));
      return `INSERT INTO ${quote(table)} (${names.map(quote).join(', ')}) VALUES (${values.join(', ')})`;
    }),
  ]);
}
