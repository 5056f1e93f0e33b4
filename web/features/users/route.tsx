/** What an address below `/user` shows: the list, or the page of one user. A form opened from the list leaves the list behind it. */
import { Navigate, useLocation } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { Loading } from '#web/ui/feedback/loading.tsx';
import { useAddress } from '#web/ui/address/use-address.ts';
import { loadUserPage } from './load-user-page.ts';
import { UsersPage } from './page.tsx';
import { userSearch } from './search.ts';
import { formOfPath, userOfPath } from './use-user-address.ts';

const UserPage = lazy(() => loadUserPage().then((file) => ({ default: file.UserPage })));

export function UsersRoute() {
  const pathname = useLocation({ select: (location) => location.pathname });
  const overList = useLocation({ select: ({ state }) => state.overList === true });
  const [search] = useAddress(userSearch);
  const id = userOfPath(pathname);
  const form = formOfPath(pathname);
  if (id === undefined && form === undefined && search.card !== undefined)
    return <Navigate to="/user/$id" params={{ id: String(search.card) }} replace />;
  if (id === undefined || (form !== undefined && overList)) return <UsersPage />;
  return (
    <Suspense fallback={<Loading page />}>
      <UserPage key={id} id={id} isEdited={form !== undefined} />
    </Suspense>
  );
}
