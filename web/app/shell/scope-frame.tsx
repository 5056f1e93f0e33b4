/** Around the pages of whoever acts for an organization: what it is, that it is suspended, or that it cannot be opened. */
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, type ReactNode } from 'react';
import { ApiError } from '#web/api/errors.ts';
import { organizationQuery } from '#web/api/queries.ts';
import { useScope } from '#web/api/scope.ts';
import { loadPart } from '#web/ui/feedback/load-part.ts';

const ScopeNotice = lazy(() =>
  loadPart(async () => ({ default: (await import('./scope-notice.tsx')).ScopeNotice })),
);
const ScopeGone = lazy(() =>
  loadPart(async () => ({ default: (await import('./scope-notice.tsx')).ScopeGone })),
);

const GONE: readonly (string | undefined)[] = ['organization_missing', 'organizations_disabled'];

export function ScopeFrame({ children }: { children: ReactNode }) {
  const scope = useScope();
  const { error } = useQuery({ ...organizationQuery, enabled: scope !== undefined });
  if (scope === undefined) return children;
  if (error instanceof ApiError && GONE.includes(error.code))
    return (
      <Suspense>
        <ScopeGone message={error.message} />
      </Suspense>
    );
  return (
    <>
      <Suspense>
        <ScopeNotice scope={scope} />
      </Suspense>
      {children}
    </>
  );
}
