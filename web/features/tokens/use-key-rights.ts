/** What the reader may do with keys: everything in their own account, in an organization what their role says. */
import type { TokenView } from '#contract/admin/tokens.ts';
import { mayChange, useScope } from '#web/api/scope.ts';
import { useUser } from '#web/api/session.ts';

export function useKeyRights() {
  const scope = useScope();
  const user = useUser();
  const isShared = scope !== undefined;
  const makes = !isShared || mayChange(scope, 'tokens.own');
  const changesAll = !isShared || mayChange(scope, 'tokens.all');
  return {
    /** Keys have holders. */
    isShared,
    makes,
    mayChange: ({ member_id }: Pick<TokenView, 'member_id'>) =>
      changesAll || (makes && member_id !== undefined && member_id === user?.id),
  };
}
