// What the audit page needs from the application.
import type { Store } from '#server/store/store.ts';

export interface AuditDependencies {
  store: Store;
  /** The id of the first row whose hash or link is wrong; null when the chain is whole. */
  brokenRow: () => Promise<number | null>;
}
