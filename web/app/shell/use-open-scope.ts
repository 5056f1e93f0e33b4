/** Acts for another account: asks about what is not saved, then loads the page anew. */
import { useRouterState } from '@tanstack/react-router';
import { openScope, type Scope } from '#web/api/scope.ts';
import { storedAccount } from '#web/api/session.ts';
import { removeDrafts } from '#web/ui/input/draft.ts';
import { mayDiscardAll } from '#web/ui/input/unsaved.ts';

/** Lists that every account has; other pages belong to one thing or to one account. */
const SHARED: readonly string[] = ['/token', '/log', '/detail', '/task', '/midjourney', '/topup', '/plan'];

/** Without a scope: the reader's own account. A list stays open; a new organization begins with its overview. */
export function useOpenScope({ isNew = false } = {}): (scope: Scope | undefined) => void {
  const pathname = useRouterState({ select: (state) => state.location.pathname });
  const first = (scope: Scope | undefined) => (scope === undefined ? '/overview' : '/organization');
  return (scope) =>
    void mayDiscardAll().then((may) => {
      const account = storedAccount();
      if (!may || account === undefined) return;
      removeDrafts();
      openScope(scope, account.id, !isNew && SHARED.includes(pathname) ? pathname : first(scope));
    });
}
