// What the checks need of the rest of the server.
import type { JobView } from '#contract/operating/jobs.ts';
import type { Settings } from '#contract/settings.ts';
import type { PriceRefusal, PriceSnapshot } from '#server/money/prices/price.ts';
import type { OrganizationView } from '#contract/admin/organizations.ts';
import type { BudgetView } from '#contract/admin/organization-budgets.ts';
import type { RequestContext } from '#server/admin/context.ts';
import type { Clock } from '#server/admin/clock.ts';
import type { OfferMargins, RecentMargins } from '#server/admin/recent-margins.ts';
import type { Row } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';

/** What of an organization may need somebody, as far as the reader's role goes. Oldest first. */
export interface OrganizationFacts {
  budgets: BudgetView[];
  requests: { id: number; budget: string; member: string; amount: number; created_at: number }[];
  /** Also those that ended lately. */
  invitations: { id: number; to: string; created_at: number; expires_at: number }[];
  /** Out of the organization, which the reader may accept. */
  moves: { id: number; amount: number; created_at: number }[];
  /** Undefined: it is not suspended. `reason` may be blank. */
  suspension: { reason: string; members: number } | undefined;
  /** Of the ownership, not answered. */
  offer: OrganizationView['ownership_offer'];
  /** Undefined: not for the reader's role. */
  signOn: SignOnFacts | undefined;
}

/** What of its sign-on went wrong lately, and SCIM tokens with those that were revoked. */
export interface SignOnFacts {
  /** Those whose TXT record is gone; with `verified_at` 0 the domain was lost by it. */
  domains: {
    id: number;
    domain: string;
    verified_at: number;
    missing_since: number;
    ends_at: number;
    record_name: string;
  }[];
  /** One for each reason and whom it is about, the oldest first. */
  troubles: Row<'sign_on_troubles'>[];
  tokens: Pick<Row<'scim_tokens'>, 'id' | 'name' | 'created_at' | 'last_used_at' | 'revoked_at'>[];
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
