// Every endpoint of the API, by noun.
import { adminKeys } from './admin/admin-keys.ts';
import { agents } from './money/resellers.ts';
import { announcements } from './admin/announcements.ts';
import { incidents } from './admin/incidents.ts';
import { attention } from './admin/attention.ts';
import { audit } from './admin/audit.ts';
import { chats } from './admin/chats.ts';
import { checkIn } from './money/check-in.ts';
import { channelPages } from './admin/channel-page.ts';
import { channels } from './relay/channels.ts';
import { channelCosts } from './money/channel-costs.ts';
import { channelUpstream } from './relay/channel-upstream.ts';
import { cluster } from './operating/cluster.ts';
import { dashboard } from './admin/dashboard.ts';
import { drawing } from './relay/drawing.ts';
import { faq } from './admin/faq.ts';
import { firstRun } from './admin/first-run.ts';
import { jobs } from './operating/jobs.ts';
import { logs } from './admin/logs.ts';
import { mail } from './admin/mail.ts';
import { margins } from './money/margins.ts';
import { modelPages } from './admin/models.ts';
import { notices, operatorNotices } from './admin/notices.ts';
import { options } from './options.ts';
import { orders } from './money/orders.ts';
import { organizationAudit } from './admin/organization-audit.ts';
import { budgets } from './admin/organization-budgets.ts';
import { moves } from './admin/organization-moves.ts';
import { invitations } from './admin/organization-invitations.ts';
import { organizationManagement } from './admin/organization-management.ts';
import { projects, serviceAccounts } from './admin/organization-projects.ts';
import { members, organizations } from './admin/organizations.ts';
import { outsideLogins } from './admin/outside-logins.ts';
import { overview } from './admin/overview.ts';
import { plans } from './money/plans.ts';
import { playground } from './admin/playground.ts';
import { priceBook } from './money/price-book.ts';
import { pricing } from './money/pricing.ts';
import { receipts } from './money/receipts.ts';
import { redemptions } from './money/redemptions.ts';
import { rerating } from './money/rerating.ts';
import { security } from './admin/security.ts';
import { self } from './admin/self.ts';
import { emails, session, signIn } from './admin/session.ts';
import { organizationSignOn, signOn } from './admin/sign-on.ts';
import { site } from './admin/site.ts';
import { statements } from './money/statements.ts';
import { supplierPages } from './suppliers/supplier-page.ts';
import { suppliers } from './suppliers/suppliers.ts';
import { answerCache } from './relay/answer-cache.ts';
import { shadowCalls } from './relay/shadow-calls.ts';
import { virtualModels } from './relay/virtual-models.ts';
import { tasks } from './relay/tasks.ts';
import { tokens } from './admin/tokens.ts';
import { userManagement } from './admin/user-management.ts';
import { users } from './admin/users.ts';
import { wallet } from './money/wallet.ts';

export const api = {
  options,
  site,
  session,
  signIn,
  emails,
  outsideLogins,
  security,
  self,
  mail,
  users,
  userManagement,
  audit,
  jobs,
  cluster,
  tokens,
  adminKeys,
  redemptions,
  wallet,
  checkIn,
  statements,
  logs,
  channels,
  channelPages,
  modelPages,
  channelUpstream,
  channelCosts,
  virtualModels,
  answerCache,
  shadowCalls,
  playground,
  chats,
  pricing,
  priceBook,
  suppliers,
  supplierPages,
  dashboard,
  margins,
  drawing,
  tasks,
  orders,
  agents,
  receipts,
  plans,
  rerating,
  notices,
  operatorNotices,
  announcements,
  incidents,
  faq,
  firstRun,
  attention,
  overview,
  organizations,
  members,
  invitations,
  projects,
  serviceAccounts,
  budgets,
  moves,
  organizationManagement,
  organizationAudit,
  organizationSignOn,
  signOn,
};
export type TollgateApi = typeof api;
