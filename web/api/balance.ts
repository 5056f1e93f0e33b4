/** The balance of the account that the reader acts for: their own, or that of an organization whose bills they may read. */
import { useQuery } from '@tanstack/react-query';
import { hasRight } from '#contract/admin/organization-rights.ts';
import { balanceQuery, selfQuery } from './queries.ts';
import { useScope } from './scope.ts';

export interface AccountBalance {
  quota: number;
  /** Known of the reader's own account only. */
  used_quota?: number;
  request_count?: number;
}

/** Whether there is one to show; undefined while it is read. */
export function useBalance(): { isReadable: boolean; balance: AccountBalance | undefined } {
  const scope = useScope();
  const isShared = scope !== undefined;
  const maySee = scope?.role !== undefined && hasRight(scope.role, 'billing.read');
  const own = useQuery({ ...selfQuery, enabled: !isShared });
  const shared = useQuery({ ...balanceQuery, enabled: maySee });
  return { isReadable: !isShared || maySee, balance: isShared ? shared.data : own.data };
}
