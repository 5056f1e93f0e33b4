/** What an address below `/order` shows: the list, or the page of one order. */
import { Navigate } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { Loading } from '#web/ui/feedback/loading.tsx';
import { useThingId } from '#web/ui/thing/use-thing-id.ts';
import { OrdersPage } from './page.tsx';
import { useOrderSearch } from './search.ts';

const OrderPage = lazy(() => import('./order-page/page.tsx').then((file) => ({ default: file.OrderPage })));

export function OrdersRoute() {
  const [search] = useOrderSearch();
  const id = useThingId('/order');
  if (id === undefined && search.open !== undefined)
    return <Navigate to="/order/$id" params={{ id: String(search.open) }} replace />;
  if (id === undefined) return <OrdersPage />;
  return (
    <Suspense fallback={<Loading page />}>
      <OrderPage key={id} id={id} />
    </Suspense>
  );
}
