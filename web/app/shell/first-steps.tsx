/** What is left to set up, above the pages that the super admin opens first; loads only where something is left. */
import { useQuery } from '@tanstack/react-query';
import { useRouterState } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { isRoot } from '#contract/access.ts';
import { firstRunQuery } from '#web/api/queries.ts';
import { useUser } from '#web/api/session.ts';
import { loadMessages } from '#web/i18n/i18n.ts';
import { loadPart } from '#web/ui/feedback/load-part.ts';

const Panel = lazy(() =>
  loadPart(async () => {
    const [part] = await Promise.all([
      import('#web/features/first-run/panel.tsx'),
      loadMessages('first-run'),
    ]);
    return { default: part.FirstStepsPanel };
  }),
);

const PAGES: readonly string[] = ['/token', '/detail'];

export function FirstSteps() {
  const user = useUser();
  const pathname = useRouterState({ select: (state) => state.location.pathname });
  const isAsked =
    user !== undefined && isRoot(user.role) && !user.password_is_initial && PAGES.includes(pathname);
  const { data } = useQuery({ ...firstRunQuery, enabled: isAsked });
  if (!isAsked || data?.is_shown !== true) return null;
  return (
    <Suspense>
      <Panel steps={data.steps} />
    </Suspense>
  );
}
