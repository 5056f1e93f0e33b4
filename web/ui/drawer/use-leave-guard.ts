/** Asks before a change of the address (by a button, row, link or the browser history) closes a form with unsaved changes. */
import { useBlocker } from '@tanstack/react-router';
import { mayDiscard, type Unsaved } from '#web/ui/input/unsaved.ts';

interface Place {
  pathname: string;
  search: object;
}

/** The parameters that open a drawer or a view; pages and filters of a list leave the drawer open. */
const DRAWER_PARAMS = ['new', 'quick', 'edit', 'connect', 'card', 'simulate', 'view', 'tab'] as const;

export function closesForm(current: Place, next: Place): boolean {
  const [before, after] = [current.search, next.search] as Record<string, unknown>[];
  return current.pathname !== next.pathname || DRAWER_PARAMS.some((name) => before?.[name] !== after?.[name]);
}

const NOTHING: Unsaved = { count: () => 0, isLostByReload: () => false, end: () => undefined };

export function useLeaveGuard(unsaved: Unsaved = NOTHING): void {
  useBlocker({
    // After an expired session the draft waits for the next sign-in.
    shouldBlockFn: async ({ current, next }) =>
      next.pathname !== '/login' && closesForm(current, next) && !(await mayDiscard(unsaved)),
    enableBeforeUnload: unsaved.isLostByReload,
    disabled: unsaved === NOTHING,
  });
}
