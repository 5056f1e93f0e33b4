// The way of one running call through the targets of its virtual model.
import type { Held } from '#server/relay/money/demand.ts';
import type { VirtualModel } from './book.ts';
import type { OpenTarget } from './plan.ts';

export interface Route {
  readonly virtual: VirtualModel;
  /** That the call is sent to now. */
  current: OpenTarget;
  /** Not tried yet, in order. */
  readonly ahead: OpenTarget[];
  readonly held: Held;
  /** The target sent nothing in its time, and the attempt was ended for that. */
  isLate: boolean;
}
