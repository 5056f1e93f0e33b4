// Whom the sample organization has, what its keys are for, and its budgets. Data only.
import type { CompanyFields } from '#contract/admin/organizations.ts';
import type { BudgetSubject } from '#contract/admin/organization-budgets.ts';
import type { GivenRole } from '#contract/admin/organizations.ts';

export const ORGANIZATION = {
  name: 'Paper Boat Studio',
  owner: 'paperboat',
  /** By username: the demo sends no mail. */
  invited: 'lantern',
  /** Dollars of one top-up. */
  topUp: 20,
  tagKeys: ['team', 'env'],
  serviceAccount: 'Reader app server',
} as const;

export const COMPANY: CompanyFields = {
  company_name: 'Paper Boat Studio Ltd',
  company_address: '7 Harbour Lane\nBristol BS1 4QA',
  tax_id: 'GB 123 4567 89',
  billing_email: 'accounts@paperboat.example',
};

/** Of all calls of the demo. */
export const ORGANIZATION_PART = 1 / 6;

export interface DemoMember {
  username: string;
  role: GivenRole;
  /** Missing: one of PEOPLE. Such a member has no calls of their own. */
  displayName?: string;
}

export const MEMBERS: readonly DemoMember[] = [
  { username: 'ada', role: 'admin' },
  { username: 'mira', displayName: 'Mira Holt', role: 'billing' },
  { username: 'tomas', displayName: 'Tomas Reyes', role: 'member' },
  { username: '陈伟', displayName: '陈伟', role: 'member' },
  { username: 'jonas', displayName: 'Jonas Berg', role: 'member' },
  { username: '林小满', role: 'member' },
  { username: 'noor', displayName: 'Noor Haddad', role: 'viewer' },
];
export const NEW_MEMBERS = MEMBERS.filter(({ displayName }) => displayName !== undefined);

export const PROJECTS = ['Reader app', 'Support desk', 'Research'] as const;
type Project = (typeof PROJECTS)[number];

export interface DemoKey {
  name: string;
  /** A member; missing: the service account. */
  member?: string;
  /** Missing: the default one. */
  project?: Project;
  /** Part of the organization's calls. */
  share: number;
  tags: Readonly<Record<string, string>>;
}

export const KEYS: readonly DemoKey[] = [
  { name: 'reader-prod', project: 'Reader app', share: 36, tags: { team: 'app', env: 'prod' } },
  {
    name: 'tomas-dev',
    member: 'tomas',
    project: 'Reader app',
    share: 14,
    tags: { team: 'app', env: 'staging' },
  },
  {
    name: '开发',
    member: '陈伟',
    project: 'Reader app',
    share: 10,
    tags: { team: 'app', env: 'staging' },
  },
  {
    name: 'support-bot',
    member: 'jonas',
    project: 'Support desk',
    share: 22,
    tags: { team: 'support', env: 'prod' },
  },
  { name: '评测', member: '林小满', project: 'Research', share: 13, tags: { team: 'research' } },
  { name: 'trial', member: 'ada', share: 5, tags: {} },
];

export interface DemoBudget {
  name: string;
  subject: Exclude<BudgetSubject, 'token'>;
  /** Of the project or the member. */
  of?: string;
  tag?: { key: string; value?: string };
  period: 'week' | 'month' | 'total';
  isHard: boolean;
  /** How much of it the past calls have used, in percent. */
  usedPercent: number;
}

/** Without an end where the used part is the point: the first day of a month has spent nothing. */
export const BUDGETS: readonly DemoBudget[] = [
  { name: 'Month', subject: 'organization', period: 'month', isHard: true, usedPercent: 45 },
  {
    name: 'Reader app launch',
    subject: 'project',
    of: 'Reader app',
    period: 'total',
    isHard: true,
    usedPercent: 93,
  },
  {
    name: 'Support answers',
    subject: 'tag',
    tag: { key: 'team', value: 'support' },
    period: 'total',
    isHard: false,
    usedPercent: 86,
  },
  {
    name: 'Every environment',
    subject: 'tag',
    tag: { key: 'env' },
    period: 'month',
    isHard: false,
    usedPercent: 60,
  },
  { name: 'Tomas', subject: 'member', of: 'tomas', period: 'week', isHard: true, usedPercent: 35 },
];

export const ASKED = {
  member: 'tomas',
  budget: 'Reader app launch',
  amount: 2_500_000,
  reason: 'The beta has twice as many readers as we planned for',
} as const;
