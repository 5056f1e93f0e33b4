// Names of the schemas in the API description: those of the contract's exports (`tokenView` → `TokenView`).
import { z } from 'zod';
import * as audit from '#contract/audit.ts';
import * as channelFields from '#contract/channel-fields.ts';
import * as channelUpstream from '#contract/channel-upstream.ts';
import * as checkIn from '#contract/check-in.ts';
import * as dashboard from '#contract/dashboard.ts';
import * as drawing from '#contract/drawing.ts';
import * as jobs from '#contract/jobs.ts';
import * as logs from '#contract/logs.ts';
import * as mail from '#contract/mail.ts';
import * as options from '#contract/options.ts';
import * as orders from '#contract/orders.ts';
import * as plans from '#contract/plans.ts';
import * as priceBook from '#contract/price-book-views.ts';
import * as pricing from '#contract/pricing.ts';
import * as receipts from '#contract/receipts.ts';
import * as redemptions from '#contract/redemptions.ts';
import * as security from '#contract/security.ts';
import * as session from '#contract/session.ts';
import * as site from '#contract/site.ts';
import * as statements from '#contract/statements.ts';
import * as tokens from '#contract/tokens.ts';
import * as userManagement from '#contract/user-management.ts';
import * as users from '#contract/users.ts';
import * as wallet from '#contract/wallet.ts';

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
