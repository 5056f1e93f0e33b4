/** The list of users, with the form that the URL selects. */
import { ActionIcon, Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { IconKey } from '@tabler/icons-react';
import { lazy, Suspense, useEffect, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ManagedUser } from '#contract/admin/users.ts';
import { gridError } from '#web/api/errors.ts';
import { useUser } from '#web/api/session.ts';
import { EmptyState } from '#web/ui/feedback/states.tsx';
import { DataGrid } from '#web/ui/grid/data-grid.tsx';
import { addressProps, gridQuery } from '#web/ui/grid/search.ts';
import { AddButton, AddIcon } from '#web/ui/page/add-button.tsx';
import { Page } from '#web/ui/page/page.tsx';
import { ResellerDialog } from './reseller-dialog.tsx';
import { UserCardRow } from './card-row.tsx';
import { userColumns } from './columns.tsx';
import { FindKeyDialog } from './find-key.tsx';
import { useUserFacets } from './facets.tsx';
import { fetchAllUsers, userQueries, type UserFilter } from './queries.ts';
import { keepPastedKey, keyIn } from './pasted-key.ts';
import { loadUserPage } from './load-user-page.ts';
import { RowMenu } from './row-menu.tsx';
import { useUserActions } from './use-user-actions.tsx';
import { useUserAddress } from './use-user-address.ts';
import { closedBy, isHidden, userState, type Me } from './user-state.ts';
import classes from './users.module.css';

// Drawers are not part of the first load; they are prefetched while the user reads the list.
const loadForm = () => import('./user-drawer.tsx');
const UserDrawer = lazy(() => loadForm().then((file) => ({ default: file.UserDrawer })));

const SIGNED_OUT: Me = { id: 0, role: 0 };

export function UsersPage() {
  const { t } = useTranslation('users');
  const address = useUserAddress();
  const { search, change, form, open } = address;
  const user = useUser();
  const me = user ?? SIGNED_OUT;
  const filter: UserFilter = { q: search.q, group: search.group, role: search.role, state: search.state };
  const query = gridQuery(search);
  const list = useQuery(userQueries.list(filter, query));
  const groups = useQuery(userQueries.groups());
  const facets = useUserFacets(search, change, groups.data);
  const actions = useUserActions();
  const [agent, setAgent] = useState<ManagedUser>();

  const openNew = () => open('add');
  const findKey = () => change({ find_key: true });
  /** A key is looked up by its own dialog: a search for it would put it into the address. */
  const takeKey = (text: string): boolean => {
    const key = keyIn(text);
    if (key === undefined) return false;
    keepPastedKey(key);
    findKey();
    return true;
  };
  const { search: searchField, onQueryChange } = addressProps(search, change, t('search'));
  const navigate = useNavigate();
  const openCard = (target: ManagedUser) =>
    void navigate({ to: '/user/$id', params: { id: String(target.id) } });
  const peek = (target: ManagedUser) => {
    if (!isHidden(target, me)) openCard(target);
  };
  const edit = (target: ManagedUser) => {
    if (!closedBy(target, me)) open(target.id);
  };
  const menu = (target: ManagedUser) => (
    <RowMenu user={target} me={me} actions={actions} onEdit={edit} onCard={openCard} onAgent={setAgent} />
  );
  const card = (target: ManagedUser) => <UserCardRow user={target} me={me} menu={menu(target)} />;
  const columns = useMemo(
    () => userColumns({ t, me, menu }),
    // oxlint-disable-next-line react/exhaustive-deps -- the menu reads the newest state when it is opened
    [t, me.id, me.role, form],
  );
  const data = list.data;
  const listed = data !== undefined;
  useEffect(() => {
    if (listed) void Promise.all([loadForm(), loadUserPage()]);
  }, [listed]);

  const drawer =
    form === undefined ? null : (
      <UserDrawer open={form} groups={groups.data} onClose={() => open(undefined)} />
    );

  return (
    <Page
      title={t('title')}
      summary={data && [{ value: data.total, label: t('summary.total', { count: data.total }) }]}
      actions={
        <>
          <Button variant="default" leftSection={<IconKey size={15} stroke={1.6} />} onClick={findKey}>
            {t('findKey.title')}
          </Button>
          <AddButton label={t('action.add')} onClick={openNew} />
        </>
      }
      phoneAction={
        <span className={classes.phoneActions}>
          <ActionIcon variant="default" size={36} aria-label={t('findKey.title')} onClick={findKey}>
            <IconKey size={18} stroke={1.6} />
          </ActionIcon>
          <AddIcon label={t('action.add')} onClick={openNew} />
        </span>
      }
      drawer={<Suspense>{drawer}</Suspense>}
    >
      <DataGrid
        name="users"
        label={t('list')}
        columns={columns}
        rows={data?.items}
        total={data?.total ?? 0}
        rowId={(row) => String(row.id)}
        rowName={(row) => row.username}
        query={query}
        search={{ ...searchField, takeOver: takeKey }}
        onQueryChange={onQueryChange}
        facets={facets}
        onClearFilters={() =>
          change({ q: undefined, group: undefined, role: undefined, state: undefined, page: undefined })
        }
        refreshing={list.isFetching && data !== undefined}
        error={gridError(list.error)}
        onRefresh={() => void list.refetch()}
        empty={<EmptyState title={t('empty.title')} text={t('empty.text')} />}
        fetchAll={() => fetchAllUsers(filter, query.sort)}
        onOpen={peek}
        onEdit={edit}
        openRowId={String(form ?? '')}
        isMuted={(row) => userState(row) === 'deleted'}
        card={card}
      />
      {search.find_key ? <FindKeyDialog onClose={() => change({ find_key: undefined })} /> : null}
      {agent ? <ResellerDialog user={agent} onClose={() => setAgent(undefined)} /> : null}
    </Page>
  );
}
