// What server/admin/notices needs from the application.
import type { Egress } from '#server/platform/egress/index.ts';
import type { NoticeParts } from '#server/platform/notices/index.ts';

export interface NoticeDependencies extends NoticeParts {
  egress: Pick<Egress, 'fetch' | 'check'>;
}

/** Whose destinations and notices a handler works on: the caller's, or those of the operators. */
export type Receiver = 'caller' | 'operators';
