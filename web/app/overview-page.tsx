/** /overview joins features that do not import each other: the overview, commands for keys, and the newest rows of the log. */
import { lazy, Suspense, type ComponentProps } from 'react';
import { isAdmin } from '#contract/access.ts';
import { storedUser } from '#web/api/session.ts';
import { loadMessages } from '#web/i18n/i18n.ts';
import { loadPart } from '#web/ui/feedback/load-part.ts';
import { OverviewPage } from '#web/features/overview/page.tsx';

const connectPart = async () => {
  const [part] = await Promise.all([import('#web/features/tokens/connect/row.tsx'), loadMessages('tokens')]);
  return { default: part.ConnectRow };
};
const callsPart = async () => {
  const [part] = await Promise.all([import('#web/features/logs/latest.tsx'), loadMessages('logs')]);
  return { default: part.LatestCalls };
};
const Connect = lazy(() => loadPart(connectPart));
const Calls = lazy(() => loadPart(callsPart));

// Customers see both: they load beside the facts, not after them. A failure is shown where the part is.
const user = storedUser();
if (user !== undefined && !isAdmin(user.role))
  for (const part of [connectPart, callsPart]) void part().catch(() => undefined);

function ConnectPart(props: ComponentProps<typeof Connect>) {
  return (
    <Suspense>
      <Connect {...props} />
    </Suspense>
  );
}

export function OverviewRoutePage() {
  return (
    <OverviewPage
      Connect={ConnectPart}
      calls={
        <Suspense>
          <Calls />
        </Suspense>
      }
    />
  );
}
