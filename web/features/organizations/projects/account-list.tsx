/** The service accounts of an organization. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { ServiceAccountView } from '#contract/admin/organization-projects.ts';
import { gridError } from '#web/api/errors.ts';
import { holderQueries } from '#web/api/holders.ts';
import { EmptyState } from '#web/ui/feedback/states.tsx';
import { Count } from '#web/ui/format/amount.tsx';
import { Moment } from '#web/ui/format/moment.tsx';
import { CardHead, CardLine } from '#web/ui/grid/card-line.tsx';
import { menuColumn } from '#web/ui/grid/columns.ts';
import { DataGrid } from '#web/ui/grid/data-grid.tsx';
import { gridQuery, searchOfQuery } from '#web/ui/grid/search.ts';
import type { GridColumn } from '#web/ui/grid/types.ts';
import { AddButton } from '#web/ui/page/add-button.tsx';
import { AccountMenu } from './menus.tsx';
import type { ListProps } from './project-list.tsx';

export function AccountList({ search, change, manages, onAdd }: ListProps & { onAdd: () => void }) {
  const { t } = useTranslation('organizations');
  const query = gridQuery(search);
  const list = useQuery(holderQueries.serviceAccounts());
  const from = (query.page - 1) * query.pageSize;
  const menu = (account: ServiceAccountView) => <AccountMenu account={account} manages={manages} />;
  const card = (account: ServiceAccountView) => (
    <>
      <CardHead name={account.name}>{menu(account)}</CardHead>
      <CardLine>
        <span className="cut">{account.project_name}</span>
        <span className="nowrap">
          {t('projects.column.tokens')} {account.tokens}
        </span>
      </CardLine>
    </>
  );
  return (
    <DataGrid
      name="service-accounts"
      label={t('projects.tab.accounts')}
      columns={useAccountColumns(menu)}
      rows={list.data?.slice(from, from + query.pageSize)}
      total={list.data?.length ?? 0}
      rowId={({ id }) => String(id)}
      rowName={({ name }) => name}
      query={query}
      onQueryChange={(next) => change(searchOfQuery(next))}
      refreshing={list.isFetching && list.data !== undefined}
      error={gridError(list.error)}
      onRefresh={() => void list.refetch()}
      empty={
        <EmptyState
          title={t('projects.emptyAccounts')}
          text={t('projects.emptyAccountsText')}
          action={manages ? <AddButton label={t('projects.action.addAccount')} onClick={onAdd} /> : undefined}
        />
      }
      card={card}
    />
  );
}

function useAccountColumns(
  menu: (account: ServiceAccountView) => ReactNode,
): GridColumn<ServiceAccountView>[] {
  const { t } = useTranslation('organizations');
  return [
    {
      id: 'name',
      header: t('projects.column.name'),
      minWidth: 180,
      fixed: true,
      cell: ({ name }) => <b title={name}>{name}</b>,
      csv: ({ name }) => name,
      skeleton: 'text',
    },
    {
      id: 'project',
      header: t('projects.column.project'),
      width: 160,
      cell: ({ project_name }) => project_name,
      csv: ({ project_name }) => project_name,
      skeleton: 'text',
    },
    {
      id: 'tokens',
      header: t('projects.column.tokens'),
      width: 96,
      align: 'right',
      cell: ({ tokens }) => <Count value={tokens} />,
      csv: ({ tokens }) => tokens,
      skeleton: 'number',
    },
    {
      id: 'by',
      header: t('projects.column.by'),
      width: 140,
      leaves: 1,
      cell: ({ created_by_name }) => created_by_name,
      skeleton: 'text',
    },
    {
      id: 'created',
      header: t('projects.column.created'),
      width: 142,
      leaves: 2,
      cell: ({ created_at }) => <Moment timestamp={created_at} absolute />,
      skeleton: 'text',
    },
    menuColumn(t('projects.column.actions'), menu),
  ];
}
