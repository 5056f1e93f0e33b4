/** The frame of every page in an organization: says that the organization is suspended, or that it cannot be opened. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ApiError } from '#web/api/errors.ts';
import { organizationQuery } from '#web/api/queries.ts';
import { useScope } from '#web/api/scope.ts';
import { ScopeGone, ScopeNotice } from './scope-notice.tsx';

const GONE: readonly (string | undefined)[] = ['organization_missing', 'organizations_disabled'];

export function ScopeFrame({ children }: { children: ReactNode }) {
  const scope = useScope();
  const { error } = useQuery({ ...organizationQuery, enabled: scope !== undefined });
  if (scope === undefined) return children;
  if (error instanceof ApiError && GONE.includes(error.code))
    return <ScopeGone isOff={error.code === 'organizations_disabled'} />;
  return (
    <>
      <ScopeNotice scope={scope} />
      {children}
    </>
  );
}
