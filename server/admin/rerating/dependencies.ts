// What re-rating needs from the application.
import type { Store } from '#server/platform/store/store.ts';

export interface ReratingDependencies {
  store: Store;
  /** Lets the job begin at once instead of at its next turn. */
  wake: () => void;
}
