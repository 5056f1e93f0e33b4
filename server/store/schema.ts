// The one database schema, as types: the same names on SQLite and PostgreSQL. Booleans are 0/1, times are unix seconds
// (milliseconds only where the name says so), JSON is text, money is a safe integer of quota units.
import type { Insertable, Selectable, Updateable } from 'kysely';
import type {
  UsersTable,
  SessionsTable,
  VerificationCodesTable,
  TotpSecretsTable,
  RecoveryCodesTable,
  PasskeysTable,
  UsedProofsTable,
  LoginAttemptsTable,
} from './tables/accounts.ts';
import type {
  AgentsTable,
  DividendPositionTable,
  DividendsTable,
  DividendSpendTable,
  WithdrawalsTable,
} from './tables/agents.ts';
import type {
  TokensTable,
  ChannelsTable,
  AbilitiesTable,
  ChannelHoursTable,
  ChannelErrorsTable,
  RefusedCallsTable,
  LogsTable,
  LogCleaningTable,
  UsageHoursTable,
  UsageRollupTable,
  LimitWindowsTable,
  TasksTable,
  FilesTable,
  MediaTable,
  StoredResponsesTable,
} from './tables/relay.ts';
import type {
  HoldsTable,
  LedgerTable,
  LedgerSumsTable,
  OrderEventsTable,
  OrdersTable,
  RedemptionsTable,
  RefundsTable,
} from './tables/money.ts';
import type { PlansTable, SubscriptionsTable } from './tables/plans.ts';
import type {
  OptionsTable,
  OptionHistoryTable,
  LogExportTable,
  NodeDrainsTable,
  NodeReportsTable,
  NodesTable,
  LeasesTable,
  JobsTable,
  ChangesTable,
  AuditTable,
  MailsTable,
} from './tables/operations.ts';
import type { AnnouncementsTable, FaqsTable } from './tables/content.ts';
import type { AppliedConfigurationsTable, ImportedRowsTable, ImportsTable } from './tables/moving.ts';
import type { NoticeDeliveriesTable, NoticesTable, NoticeWaysTable } from './tables/notices.ts';

export interface Schema {
  users: UsersTable;
  tokens: TokensTable;
  channels: ChannelsTable;
  abilities: AbilitiesTable;
  channel_hours: ChannelHoursTable;
  channel_errors: ChannelErrorsTable;
  refused_calls: RefusedCallsTable;
  options: OptionsTable;
  option_history: OptionHistoryTable;
  redemptions: RedemptionsTable;
  logs: LogsTable;
  log_cleaning: LogCleaningTable;
  usage_hours: UsageHoursTable;
  usage_rollup: UsageRollupTable;
  holds: HoldsTable;
  ledger: LedgerTable;
  ledger_sums: LedgerSumsTable;
  orders: OrdersTable;
  order_events: OrderEventsTable;
  refunds: RefundsTable;
  agents: AgentsTable;
  dividends: DividendsTable;
  dividend_position: DividendPositionTable;
  dividend_spend: DividendSpendTable;
  withdrawals: WithdrawalsTable;
  plans: PlansTable;
  subscriptions: SubscriptionsTable;
  sessions: SessionsTable;
  nodes: NodesTable;
  node_reports: NodeReportsTable;
  node_drains: NodeDrainsTable;
  log_export: LogExportTable;
  audit: AuditTable;
  verification_codes: VerificationCodesTable;
  mails: MailsTable;
  notices: NoticesTable;
  notice_ways: NoticeWaysTable;
  notice_deliveries: NoticeDeliveriesTable;
  announcements: AnnouncementsTable;
  faqs: FaqsTable;
  limit_windows: LimitWindowsTable;
  leases: LeasesTable;
  jobs: JobsTable;
  changes: ChangesTable;
  tasks: TasksTable;
  files: FilesTable;
  media: MediaTable;
  stored_responses: StoredResponsesTable;
  totp_secrets: TotpSecretsTable;
  recovery_codes: RecoveryCodesTable;
  passkeys: PasskeysTable;
  used_proofs: UsedProofsTable;
  login_attempts: LoginAttemptsTable;
  imports: ImportsTable;
  imported_rows: ImportedRowsTable;
  applied_configurations: AppliedConfigurationsTable;
}

export type TableName = keyof Schema;
export type Row<T extends TableName> = Selectable<Schema[T]>;
export type NewRow<T extends TableName> = Insertable<Schema[T]>;
export type RowChange<T extends TableName> = Updateable<Schema[T]>;

export type { Flag } from './tables/column.ts';
export type { OrderStatus } from './tables/money.ts';
