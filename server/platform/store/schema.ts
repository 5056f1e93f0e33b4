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
import type { AgentsTable, DividendsTable, DividendSpendTable, WithdrawalsTable } from './tables/agents.ts';
import type {
  AbilitiesTable,
  ChannelErrorsTable,
  ChannelHoursTable,
  ChannelsTable,
  VirtualModelsTable,
} from './tables/channels.ts';
import type {
  ChannelFeesTable,
  AnswerCacheHoursTable,
  CacheCellsTable,
  HedgeDaysTable,
  HedgeHoursTable,
  MarginDaysTable,
  MarginSummedTable,
  MarginSumsTable,
  SuppliersTable,
} from './tables/costs.ts';
import type {
  ShadowCountsTable,
  ShadowDaysTable,
  ShadowHoursTable,
  ShadowSamplesTable,
  ShadowsTable,
} from './tables/shadow-calls.ts';
import type {
  TokensTable,
  RefusedCallsTable,
  LogsTable,
  LogCleaningTable,
  HolderHoursTable,
  UsageHoursTable,
  UsageRollupTable,
  LimitWindowsTable,
  TasksTable,
  FilesTable,
  MediaTable,
} from './tables/relay.ts';
import type {
  StoredResponsesTable,
  ConversationsTable,
  ConversationItemsTable,
  RealtimeSecretsTable,
} from './tables/conversations.ts';
import type {
  HoldsTable,
  LedgerTable,
  LedgerSumsTable,
  OrderEventsTable,
  OrdersTable,
  RedemptionsTable,
  DisputesTable,
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
  AuditAnchorTable,
  AuditTable,
  MailsTable,
} from './tables/operations.ts';
import type {
  AnnouncementsTable,
  AttentionSnoozesTable,
  ChatSharesTable,
  FaqsTable,
  KeptChatsTable,
} from './tables/content.ts';
import type { IncidentLinesTable, IncidentsTable, MeasuredCellsTable } from './tables/measured.ts';
import type { AppliedConfigurationsTable, ImportedRowsTable, ImportsTable } from './tables/moving.ts';
import type { PriceDraftsTable, PriceProposalsTable, PriceVersionsTable } from './tables/prices.ts';
import type {
  AdminKeysTable,
  CostDaysSummedTable,
  CostDaysTable,
  HolderCellsTable,
  UsageCellsTable,
  UsagePositionsTable,
} from './tables/organization.ts';
import type {
  BudgetCountersTable,
  BudgetRequestsTable,
  BudgetsTable,
  BudgetWindowsTable,
} from './tables/budgets.ts';
import type {
  OrganizationInvitationsTable,
  OrganizationMembersTable,
  OrganizationsTable,
  ProjectsTable,
  BalanceMovesTable,
  ServiceAccountsTable,
} from './tables/organizations.ts';
import type {
  ScimTokensTable,
  SignOnDomainsTable,
  SignOnGroupPeopleTable,
  SignOnGroupsTable,
  SignOnPeopleTable,
  SignOnProvidersTable,
  SignOnTroublesTable,
} from './tables/sign-on.ts';
import type {
  SupplierBillLinesTable,
  SupplierBillsTable,
  SupplierCountsTable,
  SupplierProbesTable,
  SupplierScoresTable,
} from './tables/suppliers.ts';
import type { NoticeDeliveriesTable, NoticesTable, NoticeDestinationsTable } from './tables/notices.ts';
import type {
  RerateCallsTable,
  ReratePartsTable,
  RerateRunsTable,
  RerateSumsTable,
} from './tables/rerating.ts';

export interface Schema {
  users: UsersTable;
  tokens: TokensTable;
  channels: ChannelsTable;
  abilities: AbilitiesTable;
  virtual_models: VirtualModelsTable;
  channel_hours: ChannelHoursTable;
  channel_errors: ChannelErrorsTable;
  refused_calls: RefusedCallsTable;
  options: OptionsTable;
  option_history: OptionHistoryTable;
  price_versions: PriceVersionsTable;
  price_drafts: PriceDraftsTable;
  price_proposals: PriceProposalsTable;
  redemptions: RedemptionsTable;
  logs: LogsTable;
  log_cleaning: LogCleaningTable;
  usage_hours: UsageHoursTable;
  holder_hours: HolderHoursTable;
  usage_rollup: UsageRollupTable;
  suppliers: SuppliersTable;
  margin_days: MarginDaysTable;
  margin_sums: MarginSumsTable;
  margin_summed: MarginSummedTable;
  channel_fees: ChannelFeesTable;
  cache_cells: CacheCellsTable;
  hedge_hours: HedgeHoursTable;
  hedge_days: HedgeDaysTable;
  answer_cache_hours: AnswerCacheHoursTable;
  shadows: ShadowsTable;
  shadow_samples: ShadowSamplesTable;
  shadow_hours: ShadowHoursTable;
  shadow_days: ShadowDaysTable;
  shadow_counts: ShadowCountsTable;
  holds: HoldsTable;
  ledger: LedgerTable;
  ledger_sums: LedgerSumsTable;
  orders: OrdersTable;
  order_events: OrderEventsTable;
  disputes: DisputesTable;
  refunds: RefundsTable;
  agents: AgentsTable;
  dividends: DividendsTable;
  dividend_spend: DividendSpendTable;
  withdrawals: WithdrawalsTable;
  plans: PlansTable;
  subscriptions: SubscriptionsTable;
  rerate_runs: RerateRunsTable;
  rerate_sums: RerateSumsTable;
  rerate_parts: ReratePartsTable;
  rerate_calls: RerateCallsTable;
  sessions: SessionsTable;
  nodes: NodesTable;
  node_reports: NodeReportsTable;
  node_drains: NodeDrainsTable;
  log_export: LogExportTable;
  audit: AuditTable;
  audit_anchor: AuditAnchorTable;
  verification_codes: VerificationCodesTable;
  mails: MailsTable;
  notices: NoticesTable;
  notice_ways: NoticeDestinationsTable;
  notice_deliveries: NoticeDeliveriesTable;
  announcements: AnnouncementsTable;
  faqs: FaqsTable;
  attention_snoozes: AttentionSnoozesTable;
  kept_chats: KeptChatsTable;
  chat_shares: ChatSharesTable;
  limit_windows: LimitWindowsTable;
  leases: LeasesTable;
  jobs: JobsTable;
  changes: ChangesTable;
  tasks: TasksTable;
  files: FilesTable;
  media: MediaTable;
  stored_responses: StoredResponsesTable;
  conversations: ConversationsTable;
  conversation_items: ConversationItemsTable;
  realtime_secrets: RealtimeSecretsTable;
  totp_secrets: TotpSecretsTable;
  recovery_codes: RecoveryCodesTable;
  passkeys: PasskeysTable;
  used_proofs: UsedProofsTable;
  login_attempts: LoginAttemptsTable;
  imports: ImportsTable;
  imported_rows: ImportedRowsTable;
  applied_configurations: AppliedConfigurationsTable;
  admin_keys: AdminKeysTable;
  usage_cells: UsageCellsTable;
  holder_cells: HolderCellsTable;
  measured_cells: MeasuredCellsTable;
  incidents: IncidentsTable;
  incident_lines: IncidentLinesTable;
  cost_days: CostDaysTable;
  cost_days_summed: CostDaysSummedTable;
  usage_positions: UsagePositionsTable;
  supplier_counts: SupplierCountsTable;
  supplier_scores: SupplierScoresTable;
  supplier_probes: SupplierProbesTable;
  supplier_bills: SupplierBillsTable;
  supplier_bill_lines: SupplierBillLinesTable;
  organizations: OrganizationsTable;
  organization_members: OrganizationMembersTable;
  organization_invitations: OrganizationInvitationsTable;
  projects: ProjectsTable;
  service_accounts: ServiceAccountsTable;
  sign_on_providers: SignOnProvidersTable;
  sign_on_domains: SignOnDomainsTable;
  sign_on_groups: SignOnGroupsTable;
  sign_on_people: SignOnPeopleTable;
  sign_on_group_people: SignOnGroupPeopleTable;
  scim_tokens: ScimTokensTable;
  sign_on_troubles: SignOnTroublesTable;
  balance_moves: BalanceMovesTable;
  budgets: BudgetsTable;
  budget_counters: BudgetCountersTable;
  budget_windows: BudgetWindowsTable;
  budget_requests: BudgetRequestsTable;
}

export type TableName = keyof Schema;
export type Row<T extends TableName> = Selectable<Schema[T]>;
export type NewRow<T extends TableName> = Insertable<Schema[T]>;
export type RowChange<T extends TableName> = Updateable<Schema[T]>;

export type { Flag } from './tables/column.ts';
export type { OrderStatus } from './tables/money.ts';
