// Which tables are written to which file when everything is moved out, and which are not, with the reason. A new table must
// be named here to compile.
import { settingOf, isSettingKey } from '#contract/settings.ts';
import { openChannelKey } from '#server/relay/channel-choice/key.ts';
import { openCode } from '#server/admin/redemptions/key.ts';
import { secretPlace } from '#server/admin/security/second-factor.ts';
import { secretPlace as signOnSecretPlace } from '#server/admin/organizations/sign-on/flow.ts';
import { openKey } from '#server/admin/tokens/key.ts';
import { openConfig } from '#server/platform/notices/index.ts';
import { openOption } from '#server/platform/settings/options.ts';
import type { Row, TableName } from '#server/platform/store/schema.ts';
import type { Vault } from '#server/platform/store/vault.ts';

interface Exported<Table extends TableName> {
  /** One line of the guide. */
  what: string;
  /** The order of rows, by which they are read page by page. */
  key: readonly (keyof Row<Table> & string)[];
  /** Columns that mean nothing outside this installation. */
  without?: readonly (keyof Row<Table> & string)[];
  /** Columns that are written only with secrets: as they are, or opened under another name. */
  secrets?: Readonly<Record<string, (row: Row<Table>, vault: Vault) => unknown>>;
  /** Columns that `secrets` replaces. */
  hides?: readonly (keyof Row<Table> & string)[];
  /** Which rows hold a secret; all when it is left out. */
  isSecret?: (row: Row<Table>) => boolean;
}

type Kinds = { [Table in TableName]: Exported<Table> | { leftOut: string } };

const OPENED = 'short-lived';

export const EXPORT_KINDS: Kinds = {
  users: {
    what: 'Accounts with balance, group and counters.',
    key: ['id'],
    without: ['access_token_digest', 'auth_version', 'password_is_initial'],
    hides: ['password_hash'],
    secrets: { password_hash: ({ password_hash }) => password_hash },
  },
  totp_secrets: {
    what: 'Accounts with a second factor.',
    key: ['user_id'],
    without: ['last_step', 'failures', 'blocked_until'],
    hides: ['secret_sealed'],
    secrets: { secret: (row, vault) => vault.open(row.secret_sealed, secretPlace(row.user_id)) },
  },
  passkeys: { what: 'Passkeys, which work only at the address they were made for.', key: ['id'] },
  tokens: {
    what: 'API keys with their limits.',
    key: ['id'],
    without: ['key_digest', 'key_hint'],
    hides: ['key_sealed'],
    secrets: { key: (row, vault) => openKey(vault, row) },
  },
  channels: {
    what: 'Upstreams with models, groups, mapping and priority.',
    key: ['id'],
    without: ['key_digest', 'key_hint', 'lessons'],
    hides: ['key_sealed', 'header_override', 'setting'],
    secrets: {
      key: (row, vault) => openChannelKey(vault, row),
      header_override: ({ header_override }) => header_override,
      setting: ({ setting }) => setting,
    },
  },
  options: {
    what: 'Settings that were saved.',
    key: ['key'],
    hides: ['value'],
    isSecret: ({ key }) => isSettingKey(key) && settingOf(key).kind === 'secret',
    secrets: { value: (row, vault) => openOption(vault, row.key, row.value) },
  },
  option_history: { what: 'Changes of settings.', key: ['id'] },
  price_versions: { what: 'Every set of prices that was in force.', key: ['id'] },
  price_drafts: { what: 'Drafts of prices.', key: ['id'] },
  price_proposals: { what: 'Prices of outside lists, and what was decided about them.', key: ['id'] },
  rerate_runs: { what: 'Re-ratings of past calls.', key: ['id'] },
  rerate_sums: {
    what: 'What a re-rating changes, by user, day and model.',
    key: ['run_id', 'user_id', 'day', 'model_name'],
  },
  rerate_parts: { what: 'Notes of re-ratings, by user and day.', key: ['id'] },
  rerate_calls: {
    what: 'Every corrected call, with its charge before and after.',
    key: ['run_id', 'log_id'],
  },
  plans: { what: 'What is sold for a time.', key: ['id'] },
  subscriptions: { what: 'What users bought of it.', key: ['id'] },
  redemptions: {
    what: 'Redemption codes.',
    key: ['id'],
    without: ['key_digest'],
    hides: ['key_sealed'],
    secrets: { key: (row, vault) => (row.key_sealed === '' ? '' : openCode(vault, row)) },
  },
  ledger: { what: 'Every movement of money; balances are its sums.', key: ['id'] },
  orders: { what: 'Online payments.', key: ['id'] },
  order_events: { what: 'How each order came to its end.', key: ['id'] },
  refunds: { what: 'Refunds of orders.', key: ['id'] },
  disputes: { what: 'Payments that a bank has claimed back.', key: ['id'] },
  agents: { what: 'Resellers.', key: ['user_id'] },
  dividends: { what: 'Dividends of resellers.', key: ['id'] },
  withdrawals: { what: 'Withdrawals of dividends.', key: ['id'] },
  logs: { what: 'The log of calls and events.', key: ['id'] },
  usage_hours: {
    what: 'Hourly figures by user, token, channel and model.',
    key: ['hour', 'user_id', 'token_id', 'channel_id', 'model_name'],
  },
  holder_hours: {
    what: 'Hourly figures of organizations by tag, member, service account, project, key and model.',
    key: [
      'user_id',
      'tag_key',
      'hour',
      'tag_value',
      'member_id',
      'service_account_id',
      'project_id',
      'token_id',
      'model_name',
    ],
  },
  suppliers: { what: 'Suppliers of channels, with what they charge.', key: ['id'] },
  virtual_models: { what: 'Virtual models: names with their targets.', key: ['id'] },
  margin_days: {
    what: 'Charges and costs by day, channel, model, group and user.',
    key: ['day', 'channel_id', 'model_name', 'group', 'user_id'],
  },
  channel_fees: { what: 'Monthly fees of channels, by day.', key: ['day', 'channel_id'] },
  cache_cells: {
    what: "What upstreams' caches of prompts saved, by hour and day.",
    key: ['seconds', 'start', 'channel_id', 'model_name'],
  },
  hedge_hours: {
    what: 'What the attempts cost that lost against another channel, by hour.',
    key: ['hour', 'channel_id', 'model_name', 'group', 'user_id'],
  },
  hedge_days: { leftOut: 'how much of the daily limit of hedged calls is used' },
  answer_cache_hours: {
    what: 'How often calls were answered with cached answers, by hour and account.',
    key: ['hour', 'user_id'],
  },
  shadows: { what: 'Comparisons of shadow calls.', key: ['id'] },
  shadow_hours: {
    what: 'What shadow calls cost, by hour.',
    key: ['hour', 'channel_id', 'model_name', 'group', 'user_id'],
  },
  shadow_days: { leftOut: 'how much of the daily limits of shadow calls is used' },
  shadow_counts: { leftOut: 'how many shadow calls were made and dropped' },
  shadow_samples: { leftOut: 'private texts of users, sealed' },
  channel_hours: { what: 'Attempts of channels by hour.', key: ['channel_id', 'hour'] },
  refused_calls: { what: 'Calls that were refused before any attempt.', key: ['id'] },
  tasks: { what: 'Drawings, songs and other tasks of upstreams.', key: ['id'] },
  files: { what: 'Files that callers uploaded to upstreams.', key: ['id'] },
  media: { leftOut: 'copies of results, which their tasks name' },
  audit: { what: 'The audit trail with its hash chain.', key: ['id'] },
  announcements: { what: 'Announcements.', key: ['id'] },
  faqs: { what: 'Questions and answers.', key: ['id'] },
  attention_snoozes: { leftOut: 'what readers of the overview chose not to see for a while' },
  kept_chats: { leftOut: 'private texts of users, sealed' },
  chat_shares: { leftOut: 'private texts of users, sealed' },
  notice_ways: {
    what: 'Where notifications are sent.',
    key: ['id'],
    hides: ['config'],
    secrets: {
      config: (row, vault) =>
        openConfig({ vault }, { userId: row.user_id, kind: row.kind, config: row.config }),
    },
  },
  notices: { what: 'Notices to users and operators.', key: ['id'] },
  notice_deliveries: { what: 'How each notification was delivered.', key: ['id'] },
  imports: { what: 'Gateways that were imported.', key: ['id'] },
  imported_rows: {
    what: 'Which row of a source became which row here.',
    key: ['import_id', 'kind', 'source_id'],
  },
  applied_configurations: { what: 'Configuration files that were applied.', key: ['id'] },
  organizations: { what: 'Organizations: accounts that several people act for.', key: ['id'] },
  organization_members: { what: 'Members of organizations, with those who left.', key: ['id'] },
  organization_invitations: { what: 'Invitations to organizations.', key: ['id'], without: ['token_digest'] },
  projects: { what: 'Projects of organizations.', key: ['id'] },
  service_accounts: { what: 'Service accounts of organizations.', key: ['id'] },
  balance_moves: { what: 'Money moved between balances of people and organizations.', key: ['id'] },
  budgets: { what: 'Budgets of organizations.', key: ['id'] },
  budget_counters: { what: 'What is spent and held of budgets.', key: ['id'] },
  budget_windows: {
    what: 'What was spent in earlier windows of budgets.',
    key: ['counter_id', 'window_start'],
  },
  budget_requests: { what: 'Requests for more of a budget.', key: ['id'] },
  supplier_counts: { leftOut: 'samples of answers that are removed after weeks' },
  supplier_scores: { what: 'Scores of channels, and which are trusted.', key: ['channel_id'] },
  supplier_probes: { what: 'Probe questions to channels and their answers.', key: ['id'] },
  supplier_bills: { what: 'Bills of suppliers.', key: ['id'] },
  supplier_bill_lines: { what: 'The lines of these bills, compared with the log.', key: ['bill_id', 'line'] },
  recovery_codes: { leftOut: 'digests under the key of this installation' },
  mails: { leftOut: 'mail that is being sent' },
  sign_on_providers: {
    what: 'Identity providers of organizations.',
    key: ['organization_id'],
    hides: ['secret_sealed'],
    secrets: {
      client_secret: ({ organization_id, secret_sealed }, vault) =>
        vault.open(secret_sealed, signOnSecretPlace(organization_id)),
    },
  },
  sign_on_domains: { what: 'Mail domains that organizations have proven.', key: ['id'] },
  sign_on_groups: { what: 'Groups of identity providers, and what they give.', key: ['id'] },
  sign_on_people: { what: 'Accounts as identity providers know them.', key: ['id'] },
  sign_on_group_people: {
    what: 'Who is in which group of an identity provider.',
    key: ['group_id', 'person_id'],
  },
  scim_tokens: { what: 'Names of SCIM tokens.', key: ['id'], without: ['token_digest'] },
  sign_on_troubles: { leftOut: 'troubles of the last days, which are found again' },
  sessions: { leftOut: OPENED },
  verification_codes: { leftOut: OPENED },
  used_proofs: { leftOut: OPENED },
  login_attempts: { leftOut: OPENED },
  limit_windows: { leftOut: OPENED },
  holds: { leftOut: 'money held by running calls; the balance still contains it' },
  stored_responses: { leftOut: 'conversations that expire' },
  conversations: { leftOut: 'conversations that expire' },
  conversation_items: { leftOut: 'conversations that expire' },
  realtime_secrets: { leftOut: OPENED },
  abilities: { leftOut: 'made from channels' },
  usage_rollup: { leftOut: 'made from usage_hours' },
  cost_days: { leftOut: 'made from usage_hours' },
  cost_days_summed: { leftOut: 'made from usage_hours' },
  margin_sums: { leftOut: 'made from margin_days' },
  margin_summed: { leftOut: 'made from margin_days' },
  usage_cells: {
    what: 'Calls of usage reports by hour and day, with every class of tokens.',
    key: ['seconds', 'start', 'user_id', 'token_id', 'model_name', 'kind', 'tier', 'long_context'],
  },
  holder_cells: {
    what: 'The same of organizations, also by member, service account and project.',
    key: [
      'user_id',
      'seconds',
      'start',
      'member_id',
      'service_account_id',
      'project_id',
      'token_id',
      'model_name',
      'kind',
      'tier',
      'long_context',
    ],
  },
  measured_cells: { leftOut: 'counts for public pages, removed after months' },
  incidents: { what: 'Incidents of the status page.', key: ['id'] },
  incident_lines: { what: 'Updates written to these incidents.', key: ['id'] },
  usage_positions: { leftOut: 'position of a job' },
  admin_keys: {
    what: 'Admin keys for reports, without the key, which exists nowhere.',
    key: ['id'],
    without: ['key_digest'],
  },
  ledger_sums: { leftOut: 'made from ledger' },
  dividend_spend: { leftOut: 'position of a job' },
  log_cleaning: { leftOut: 'position of a job' },
  channel_errors: { leftOut: 'the last error of a channel, which the next one replaces' },
  nodes: { leftOut: 'processes of this installation' },
  node_reports: { leftOut: 'processes of this installation' },
  node_drains: { leftOut: 'processes of this installation' },
  log_export: { leftOut: 'a position in the log of this installation' },
  leases: { leftOut: 'processes of this installation' },
  jobs: { leftOut: 'processes of this installation' },
  changes: { leftOut: 'processes of this installation' },
  audit_anchor: { leftOut: 'proven with the master key, which stays here' },
};
