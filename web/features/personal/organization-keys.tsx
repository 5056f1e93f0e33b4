/** The admin keys of an organization: they manage it and read its reports, as the member who made each. */
import { ActionIcon } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { ADMIN_KEYS_MAX, type AdminKeyView } from '#contract/admin/admin-keys.ts';
import { gridError } from '#web/api/errors.ts';
import { NoticeLine } from '#web/ui/feedback/notice.tsx';
import { EmptyState } from '#web/ui/feedback/states.tsx';
import { Moment } from '#web/ui/format/moment.tsx';
import { CardHead, CardLine } from '#web/ui/grid/card-line.tsx';
import { menuColumn } from '#web/ui/grid/columns.ts';
import { DataGrid } from '#web/ui/grid/data-grid.tsx';
import type { GridColumn } from '#web/ui/grid/types.ts';
import { AddButton, AddIcon } from '#web/ui/page/add-button.tsx';
import { Page } from '#web/ui/page/page.tsx';
import { LastUsed, useAdminKeys } from './use-admin-keys.tsx';

/** All on one page. */
const QUERY = { page: 1, pageSize: 100 } as const;

export function OrganizationKeysPage() {
  const { t } = useTranslation('personal');
  const { keys, create, revoke, dialogs } = useAdminKeys(false);
  const add = t('adminKeys.create');
  const menu = (key: AdminKeyView) => (
    <ActionIcon
      size={24}
      aria-label={`${t('adminKeys.revoke')} ${key.name}`}
      onClick={(event) => {
        event.stopPropagation();
        revoke(key);
      }}
    >
      <IconTrash size={15} stroke={1.6} />
    </ActionIcon>
  );
  const card = (key: AdminKeyView) => (
    <>
      <CardHead name={key.name}>{menu(key)}</CardHead>
      <CardLine>
        <code className="cut">{key.key}</code>
        <span className="nowrap muted">
          <LastUsed adminKey={key} />
        </span>
      </CardLine>
    </>
  );
  return (
    <Page
      title={t('organizationKeys.title')}
      summary={
        keys.data && [{ value: keys.data.length, label: t('organizationKeys.of', { limit: ADMIN_KEYS_MAX }) }]
      }
      actions={<AddButton label={add} onClick={create} />}
      phoneAction={<AddIcon label={add} onClick={create} />}
    >
      <DataGrid
        name="admin-keys"
        label={t('organizationKeys.title')}
        columns={useKeyColumns(menu)}
        rows={keys.data}
        total={keys.data?.length ?? 0}
        rowId={({ id }) => String(id)}
        rowName={({ name }) => name}
        query={QUERY}
        onQueryChange={() => undefined}
        notice={<NoticeLine>{t('organizationKeys.text')}</NoticeLine>}
        refreshing={keys.isFetching && keys.data !== undefined}
        error={gridError(keys.error)}
        onRefresh={() => void keys.refetch()}
        empty={
          <EmptyState
            title={t('adminKeys.none')}
            text={t('organizationKeys.empty')}
            action={<AddButton label={add} onClick={create} />}
          />
        }
        card={card}
      />
      {dialogs}
    </Page>
  );
}

function useKeyColumns(menu: (key: AdminKeyView) => ReactNode): GridColumn<AdminKeyView>[] {
  const { t } = useTranslation('personal');
  return [
    {
      id: 'name',
      header: t('adminKeys.name'),
      minWidth: 180,
      fixed: true,
      cell: ({ name }) => <b title={name}>{name}</b>,
      csv: ({ name }) => name,
      skeleton: 'text',
    },
    {
      id: 'key',
      header: t('organizationKeys.key'),
      width: 200,
      cell: ({ key }) => <code>{key}</code>,
      skeleton: 'text',
    },
    {
      id: 'by',
      header: t('organizationKeys.by'),
      width: 150,
      leaves: 1,
      cell: ({ created_by_name }) => created_by_name,
      csv: ({ created_by_name }) => created_by_name,
      skeleton: 'text',
    },
    {
      id: 'created',
      header: t('organizationKeys.created'),
      width: 142,
      leaves: 2,
      cell: ({ created_at }) => <Moment timestamp={created_at} absolute />,
      skeleton: 'text',
    },
    {
      id: 'used',
      header: t('organizationKeys.used'),
      width: 142,
      cell: ({ last_used_at }) =>
        last_used_at === 0 ? (
          <span className="muted">{t('adminKeys.never')}</span>
        ) : (
          <Moment timestamp={last_used_at} />
        ),
      skeleton: 'text',
    },
    menuColumn(t('organizationKeys.actions'), menu),
  ];
}
