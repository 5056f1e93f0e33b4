/** All organizations of the site, for administrators: find, read, suspend, help. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isAdmin } from '#contract/access.ts';
import type { ManagedOrganization } from '#contract/admin/organization-management.ts';
import { gridError } from '#web/api/errors.ts';
import { useUser } from '#web/api/session.ts';
import { EmptyState, NotAllowed } from '#web/ui/feedback/states.tsx';
import { groupDigits } from '#web/ui/format/number.ts';
import { DataGrid } from '#web/ui/grid/data-grid.tsx';
import { addressProps, gridQuery } from '#web/ui/grid/search.ts';
import { Page } from '#web/ui/page/page.tsx';
import { useManagedSearch } from '#web/features/organizations/search.ts';
import { ManagedCard, useManagedColumns } from './columns.tsx';
import { ManagedDetail } from './detail.tsx';
import { ManagedDialog, type ManagedDialogName } from './dialogs.tsx';
import { ManagedMenu } from './menu.tsx';
import { managedQueries } from './queries.ts';

const STATES = ['active', 'suspended', 'deleted'] as const;

export function OrganizationsPage() {
  const { t } = useTranslation('organizations');
  const user = useUser();
  if (user === undefined || !isAdmin(user.role))
    return (
      <Page title={t('managed.title')}>
        <NotAllowed />
      </Page>
    );
  return <List />;
}

function List() {
  const { t } = useTranslation('organizations');
  const [search, change] = useManagedSearch();
  const query = gridQuery(search);
  const list = useQuery(managedQueries.list(search, query));
  const [opened, setOpened] = useState<{ organization: ManagedOrganization; dialog: ManagedDialogName }>();
  const menu = (organization: ManagedOrganization) => (
    <ManagedMenu organization={organization} onOpen={(dialog) => setOpened({ organization, dialog })} />
  );
  const detail = ({ id }: ManagedOrganization) => <ManagedDetail id={id} />;
  const card = (organization: ManagedOrganization) => (
    <ManagedCard organization={organization} menu={menu(organization)}>
      {search.open === organization.id ? detail(organization) : null}
    </ManagedCard>
  );
  return (
    <Page
      title={t('managed.title')}
      summary={list.data && [{ value: groupDigits(list.data.total), label: t('managed.total') }]}
    >
      <DataGrid
        name="organizations"
        label={t('managed.list')}
        columns={useManagedColumns(menu)}
        rows={list.data?.items}
        total={list.data?.total ?? 0}
        rowId={({ id }) => String(id)}
        rowName={({ name }) => name}
        query={query}
        {...addressProps(search, change, t('managed.search'))}
        facets={[
          {
            id: 'state',
            label: t('managed.column.state'),
            options: STATES.map((value) => ({ value, label: t(`managed.state.${value}`) })),
            value: search.state === undefined ? [] : [search.state],
            onChange: ([value]) =>
              change({ state: STATES.find((state) => state === value), page: undefined }),
          },
        ]}
        onClearFilters={() => change({ q: undefined, state: undefined, page: undefined })}
        refreshing={list.isFetching && list.data !== undefined}
        error={gridError(list.error)}
        onRefresh={() => void list.refetch()}
        empty={<EmptyState title={t('managed.empty')} text={t('managed.emptyText')} />}
        onOpen={({ id }) => change({ open: search.open === id ? undefined : id }, { replace: true })}
        openRowId={String(search.open ?? '')}
        isMuted={({ state }) => state === 'deleted'}
        detail={detail}
        detailRowId={search.open === undefined ? undefined : String(search.open)}
        card={card}
      />
      {opened ? <ManagedDialog {...opened} onClose={() => setOpened(undefined)} /> : null}
    </Page>
  );
}
