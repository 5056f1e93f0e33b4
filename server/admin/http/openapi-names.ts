// Names of the schemas in the API description: those of the contract's exports (`tokenView` → `TokenView`).
import { z } from 'zod';
import * as audit from '#contract/admin/audit.ts';
import * as channelFields from '#contract/relay/channel-fields.ts';
import * as channelUpstream from '#contract/relay/channel-upstream.ts';
import * as checkIn from '#contract/money/check-in.ts';
import * as dashboard from '#contract/admin/dashboard.ts';
import * as drawing from '#contract/relay/drawing.ts';
import * as jobs from '#contract/operating/jobs.ts';
import * as logs from '#contract/admin/logs.ts';
import * as mail from '#contract/admin/mail.ts';
import * as options from '#contract/options.ts';
import * as orders from '#contract/money/orders.ts';
import * as plans from '#contract/money/plans.ts';
import * as priceBook from '#contract/money/price-book-views.ts';
import * as pricing from '#contract/money/pricing.ts';
import * as receipts from '#contract/money/receipts.ts';
import * as redemptions from '#contract/money/redemptions.ts';
import * as security from '#contract/admin/security.ts';
import * as session from '#contract/admin/session.ts';
import * as site from '#contract/admin/site.ts';
import * as statements from '#contract/money/statements.ts';
import * as tokens from '#contract/admin/tokens.ts';
import * as userManagement from '#contract/admin/user-management.ts';
import * as users from '#contract/admin/users.ts';
import * as wallet from '#contract/money/wallet.ts';

const MODULES: readonly Record<string, unknown>[] = [
  audit,
  channelFields,
  channelUpstream,
  checkIn,
  dashboard,
  drawing,
  jobs,
  logs,
  mail,
  options,
  orders,
  plans,
  priceBook,
  pricing,
  receipts,
  redemptions,
  security,
  session,
  site,
  statements,
  tokens,
  userManagement,
  users,
  wallet,
];

export const pascalCase = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

/** Schema → name; only schemas of objects, the others are short. */
export function exportedNames(): Map<z.ZodType, string> {
  const names = new Map<z.ZodType, string>();
  for (const [name, value] of MODULES.flatMap((module) => Object.entries(module)))
    if (value instanceof z.ZodObject && !names.has(value)) names.set(value, pascalCase(name));
  return names;
}
