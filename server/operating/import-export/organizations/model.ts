// Organizations as the import of any gateway reads them. Amounts are in units of this installation; ids are those of the source.
import type { CounterClock } from '#server/money/ledger/budget-counters.ts';
import type { Job } from '#server/operating/import-export/import/job.ts';
import type { KeyRow } from './key-rows.ts';
import type { BudgetWindow } from './windows.ts';

export interface OrganizationJob extends Pick<
  Job,
  'store' | 'report' | 'ids' | 'isDry' | 'importId' | 'scale'
> {
  /** Words for the sentences of the report. */
  readonly gateway: string;
  /** Why a key is left behind that is not known in the clear. */
  readonly keyMissing: string;
  readonly clock: CounterClock;
}

export interface SourceBudget {
  /** With the kind, such as `team t1 hard`. */
  id: string;
  /** Shown to those whose calls it refuses; made unlike the others of the organization. */
  name: string;
  quota: number;
  /** Charged in the window that runs; 0 when that window is over. */
  spent: number;
  isHard: boolean;
  window: BudgetWindow;
}

export interface SourceMember {
  user: string;
  role: 'admin' | 'member';
  budgets: SourceBudget[];
}

export interface SourceProject {
  id: string;
  name: string;
  models: string[];
  requestsPerMinute: number;
  tokensPerMinute: number;
  budgets: SourceBudget[];
  /** Its keys come disabled. */
  isBlocked: boolean;
}

export interface SourceOrganization {
  id: string;
  name: string;
  models: string[];
  limits: { requests_per_minute: number; tokens_per_minute: number; concurrent_calls: number };
  budgets: SourceBudget[];
  /** Each user once; the first admin becomes the owner. */
  members: SourceMember[];
  projects: SourceProject[];
  isBlocked: boolean;
}

export interface SourceKey {
  row: KeyRow;
  name: string;
  organization: string;
  /** Undefined: the default one. */
  project: SourceProject | undefined;
  /** Blank: a service account. */
  user: string;
  budgets: SourceBudget[];
}
