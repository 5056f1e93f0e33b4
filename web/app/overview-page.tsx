/** /overview joins features that do not import each other: the overview, commands for keys, and the newest rows of the log. */
import { lazy, Suspense, type ComponentProps } from 'react';
import { loadMessages } from '#web/i18n/i18n.ts';
import { loadPart } from '#web/ui/feedback/load-part.ts';
import { OverviewPage } from '#web/features/overview/page.tsx';

const Connect = lazy(() =>
  loadPart(async () => {
    const [part] = await Promise.all([
      import('#web/features/tokens/connect/row.tsx'),
      loadMessages('tokens'),
    ]);
    return { default: part.ConnectRow };
  }),
);

const Calls = lazy(() =>
  loadPart(async () => {
    const [part] = await Promise.all([import('#web/features/logs/latest.tsx'), loadMessages('logs')]);
    return { default: part.LatestCalls };
  }),
);

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
