/** The place of the switch between the reader's own account and organizations. Nothing for a person without one. */
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { ownOrganizationsQuery } from '#web/api/queries.ts';
import { useScope } from '#web/api/scope.ts';
import { useUser } from '#web/api/session.ts';
import { useStatus } from '#web/api/status.ts';
import { loadPart } from '#web/ui/feedback/load-part.ts';

const ScopeMenu = lazy(() =>
  loadPart(async () => ({ default: (await import('./scope-menu.tsx')).ScopeMenu })),
);
const NewOrganization = lazy(() =>
  loadPart(async () => ({ default: (await import('./new-organization.tsx')).NewOrganization })),
);

export function useOwnOrganizations() {
  const user = useUser();
  const isOn = useStatus()?.organizations === true;
  const { data } = useQuery({ ...ownOrganizationsQuery, enabled: isOn && user !== undefined });
  return isOn ? data : undefined;
}

/** `isTile`: only what the reader acts for, in the phone's top bar. */
export function ScopePlace({ isTile = false }: { isTile?: boolean }) {
  const scope = useScope();
  const own = useOwnOrganizations();
  const hasOne = own !== undefined && (own.items.length > 0 || own.invited > 0);
  if (scope === undefined && (isTile || !hasOne)) return null;
  return (
    <Suspense>
      <ScopeMenu isTile={isTile} />
    </Suspense>
  );
}

/** Where a person without an organization makes one; others do it in the switch. */
export function useMayCreateFirst(): boolean {
  const own = useOwnOrganizations();
  return own !== undefined && own.can_create && own.items.length === 0 && own.invited === 0;
}

export function NewOrganizationPlace({ onClose }: { onClose: () => void }) {
  return (
    <Suspense>
      <NewOrganization onClose={onClose} />
    </Suspense>
  );
}
