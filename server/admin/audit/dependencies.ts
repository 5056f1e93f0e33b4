// What the audit page needs from the application.
import type { AuditFault } from '#contract/admin/audit.ts';
import type { Store } from '#server/platform/store/store.ts';

export interface AuditDependencies {
  store: Store;
  /** How many rows the trail has, the hash of the last one, and what is wrong with it; null when it is whole. */
  checkTrail: () => Promise<{
    rows: number;
    head: string;
    fault: AuditFault | null;
    brokenId: number | null;
  }>;
}
