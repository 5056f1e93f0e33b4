// What server/admin/chats needs from the application.
import type { Clock } from '#server/admin/clock.ts';
import type { Store } from '#server/platform/store/store.ts';

export interface ChatDependencies extends Clock {
  store: Store;
}
