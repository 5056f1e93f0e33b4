/**
 * What has stopped or will stop, as one line above the pages on which an operator lands; loads only where there is something.
 * The overview lists all of it.
 */
import { useQuery } from '@tanstack/react-query';
import { useRouterState } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { isAdmin } from '#contract/access.ts';
import { attentionQuery } from '#web/api/queries.ts';
import { useUser } from '#web/api/session.ts';
import { loadPart } from '#web/ui/feedback/load-part.ts';

const Strip = lazy(() =>
  loadPart(async () => ({ default: (await import('./needs-strip-line.tsx')).NeedsStripLine })),
);

/** After a login with a password, after one with another account, and the page of figures. */
const LANDINGS: readonly string[] = ['/token', '/', '/detail'];

export function NeedsStrip() {
  const user = useUser();
  const pathname = useRouterState({ select: (state) => state.location.pathname });
  const isShown = user !== undefined && isAdmin(user.role) && LANDINGS.includes(pathname);
  const { data } = useQuery({ ...attentionQuery, enabled: isShown });
  const items = data?.items.filter(({ severity, is_snoozed }) => severity !== 'wait' && !is_snoozed) ?? [];
  if (!isShown || items.length === 0) return null;
  return (
    <Suspense>
      <Strip items={items} />
    </Suspense>
  );
}
