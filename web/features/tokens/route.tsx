/** What an address below `/token` shows: the list, or the page of one key. */
import { lazy, Suspense } from 'react';
import { Loading } from '#web/ui/feedback/loading.tsx';
import { useThingId } from '#web/ui/thing/use-thing-id.ts';
import { TokensPage } from './page.tsx';

const TokenPage = lazy(() => import('./token-page/page.tsx').then((file) => ({ default: file.TokenPage })));

export function TokensRoute() {
  const id = useThingId('/token');
  if (id === undefined) return <TokensPage />;
  return (
    <Suspense fallback={<Loading page />}>
      <TokenPage key={id} id={id} />
    </Suspense>
  );
}
