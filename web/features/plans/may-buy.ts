/** Whether the reader may buy plans: for their own account, and for an organization that their role pays for. */
import { mayChange, useScope } from '#web/api/scope.ts';

export function useMayBuy(): boolean {
  const scope = useScope();
  return scope === undefined || mayChange(scope, 'billing.manage');
}
