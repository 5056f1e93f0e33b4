// Every endpoint of the API, by noun.
import { adminKeys } from './admin-keys.ts';
import { agents } from './agents.ts';
import { announcements } from './announcements.ts';
import { audit } from './audit.ts';
import { checkIn } from './check-in.ts';
import { channels } from './channels.ts';
import { channelCosts } from './channel-costs.ts';
import { channelUpstream } from './channel-upstream.ts';
import { cluster } from './cluster.ts';
import { dashboard } from './dashboard.ts';
import { drawing } from './drawing.ts';
import { faq } from './faq.ts';
import { firstRun } from './first-run.ts';
import { jobs } from './jobs.ts';
import { logs } from './logs.ts';
import { mail } from './mail.ts';
import { margins } from './margins.ts';
import { notices, operatorNotices } from './notices.ts';
import { options } from './options.ts';
import { orders } from './orders.ts';
import { outsideLogins } from './outside-logins.ts';
import { plans } from './plans.ts';
import { priceBook } from './price-book.ts';
import { pricing } from './pricing.ts';
import { receipts } from './receipts.ts';
import { redemptions } from './redemptions.ts';
import { rerating } from './rerating.ts';
import { security } from './security.ts';
import { self } from './self.ts';
import { emails, session, signIn } from './session.ts';
import { site } from './site.ts';
import { statements } from './statements.ts';
import { suppliers } from './suppliers.ts';
import { tasks } from './tasks.ts';
import { tokens } from './tokens.ts';
import { userManagement } from './user-management.ts';
import { users } from './users.ts';
import { wallet } from './wallet.ts';

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
  channelUpstream,
  channelCosts,
  pricing,
  priceBook,
  suppliers,
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
  faq,
  firstRun,
};
export type TollgateApi = typeof api;
