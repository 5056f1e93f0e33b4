/** The form drawer: a new user, or an existing one that is loaded first. */
import { useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { ManagedUser } from '#contract/admin/users.ts';
import { ApiError, errorMessage } from '#web/api/errors.ts';
import { Drawer } from '#web/ui/drawer/drawer.tsx';
import { Loading } from '#web/ui/feedback/loading.tsx';
import { ErrorState } from '#web/ui/feedback/states.tsx';
import { userQueries, USERS_KEY, type UserPage } from './queries.ts';
import type { OpenForm } from './use-user-address.ts';
import { UserForm } from './user-form.tsx';

interface UserDrawerProps {
  open: Exclude<OpenForm, undefined>;
  groups: readonly string[] | undefined;
  onClose: () => void;
}

export function UserDrawer({ open, groups, onClose }: UserDrawerProps) {
  if (open === 'add') return <UserForm key="add" user={undefined} groups={groups} onClose={onClose} />;
  return <EditDrawer key={open} id={open} groups={groups} onClose={onClose} />;
}

function EditDrawer({ id, groups, onClose }: Omit<UserDrawerProps, 'open'> & { id: number }) {
  const { t } = useTranslation('users');
  const client = useQueryClient();
  const { data, error, refetch } = useQuery({
    ...userQueries.one(id),
    // The row of the list is a good initial value: the form saves only differences.
    initialData: () => listedUser(client, id),
    initialDataUpdatedAt: 0,
  });
  const missing = error instanceof ApiError && error.status === 404;
  // A refetch that fails must not take the form away while the user types in it.
  if (data && !missing) return <UserForm user={data} groups={groups} onClose={onClose} />;
  return (
    <Drawer title={t('form.editTitle')} onClose={onClose}>
      {error ? (
        <ErrorState
          message={missing ? t('form.missing') : errorMessage(error)}
          onRetry={missing ? undefined : () => void refetch()}
        />
      ) : (
        <Loading shape="form" />
      )}
    </Drawer>
  );
}

function listedUser(client: QueryClient, id: number): ManagedUser | undefined {
  return client
    .getQueriesData<UserPage>({ queryKey: [...USERS_KEY, 'list'] })
    .flatMap(([, page]) => page?.items ?? [])
    .find((user) => user.id === id);
}
