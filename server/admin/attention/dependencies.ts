// What the checks need of the rest of the server.
import type { JobView } from '#contract/operating/jobs.ts';
import type { Settings } from '#contract/settings.ts';
import type { PriceRefusal, PriceSnapshot } from '#server/money/prices/price.ts';
import type { BudgetView } from '#contract/admin/organization-budgets.ts';
import type { RequestContext } from '#server/admin/context.ts';
import type { Clock } from '#server/admin/clock.ts';
import type { OfferMargins, RecentMargins } from '#server/admin/recent-margins.ts';
import type { Store } from '#server/platform/store/store.ts';

/** What of an organization may need somebody, as far as the reader's role goes. Oldest first. */
export interface OrganizationFacts {
  budgets: BudgetView[];
  requests: { id: number; budget: string; member: string; amount: number; created_at: number }[];
  /** Also those that ended lately. */
  invitations: { id: number; to: string; created_at: number; expires_at: number }[];
  /** Out of the organization, which the reader may accept. */
  moves: { id: number; amount: number; created_at: number }[];
}

export interface AttentionDependencies extends Clock {
  store: Store;
  settings: { readonly current: Settings };
  nodeId: string;
  /** What the relay would charge a call by. */
  priceOf: (model: string, group: string) => PriceSnapshot | PriceRefusal;
  /** Whether the ledger's last write succeeded. */
  isWritable: () => boolean;
  /** From the kept sums of margins. */
  margins: RecentMargins;
  offerMargins: OfferMargins;
  organizationFacts: (context: RequestContext) => Promise<OrganizationFacts>;
  jobs: () => Promise<readonly JobView[]>;
  onError?: (check: string, error: unknown) => void;
}
