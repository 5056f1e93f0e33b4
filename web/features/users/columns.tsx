/** The columns of the user list. Name, group, status and balance are always shown. */
import type { ReactNode } from 'react';
import type { useTranslation } from 'react-i18next';
import type { ManagedUser } from '#contract/admin/users.ts';
import { GroupTag } from '#web/ui/badge/tag.tsx';
import { Count, Quota } from '#web/ui/format/amount.tsx';
import { Moment } from '#web/ui/format/moment.tsx';
import { csvTime, menuColumn } from '#web/ui/grid/columns.ts';
import type { GridColumn } from '#web/ui/grid/types.ts';
import { BalanceCell, BindingsCell, Hidden, InvitesCell, NameCell, RoleCell, StateCell } from './cells.tsx';
import { isHidden, roleName, userState, type Me } from './user-state.ts';

interface ColumnOptions {
  t: ReturnType<typeof useTranslation<'users'>>['t'];
  me: Me;
  menu: (user: ManagedUser) => ReactNode;
}

export function userColumns({ t, me, menu }: ColumnOptions): GridColumn<ManagedUser>[] {
  const shown = (user: ManagedUser, node: ReactNode) => (isHidden(user, me) ? <Hidden /> : node);
  return [
    {
      id: 'id',
      header: t('column.id'),
      width: 64,
      align: 'right',
      leaves: 9,
      sortKey: 'id',
      cell: (user) => user.id,
      csv: (user) => user.id,
      skeleton: 'number',
    },
    {
      id: 'name',
      header: t('column.name'),
      minWidth: 138,
      fixed: true,
      sortKey: 'username',
      cell: (user) => <NameCell user={user} own={user.id === me.id} />,
      csv: (user) => user.username,
      skeleton: 'text',
    },
    {
      id: 'role',
      header: t('column.role'),
      width: 120,
      leaves: 8,
      cell: (user) => <RoleCell user={user} />,
      csv: (user) => t(`role.${roleName(user.role)}`),
      skeleton: 'text',
    },
    {
      id: 'group',
      header: t('column.group'),
      width: 92,
      cell: (user) => <GroupTag group={user.group} />,
      csv: (user) => user.group,
      skeleton: 'text',
    },
    {
      id: 'status',
      header: t('column.status'),
      width: 106,
      cell: (user) => <StateCell user={user} />,
      csv: (user) => t(`status.${userState(user)}`),
      skeleton: 'status',
    },
    {
      id: 'balance',
      header: t('column.balance'),
      width: 142,
      align: 'right',
      sortKey: 'quota',
      cell: (user) => <BalanceCell user={user} hidden={isHidden(user, me)} />,
      csv: (user) => user.quota,
      skeleton: 'bar',
    },
    {
      id: 'used',
      header: t('column.used'),
      width: 92,
      align: 'right',
      leaves: 7,
      sortKey: 'used_quota',
      cell: (user) => shown(user, <Quota quota={user.used_quota} />),
      csv: (user) => user.used_quota,
      skeleton: 'number',
    },
    {
      id: 'requests',
      header: t('column.requests'),
      width: 82,
      align: 'right',
      leaves: 6,
      sortKey: 'request_count',
      cell: (user) => shown(user, <Count value={user.request_count} />),
      csv: (user) => user.request_count,
      skeleton: 'number',
    },
    {
      id: 'bindings',
      header: t('column.bindings'),
      width: 84,
      leaves: 5,
      cell: (user) => <BindingsCell user={user} hidden={isHidden(user, me)} />,
      skeleton: 'text',
    },
    {
      id: 'last-seen',
      header: t('column.lastSeen'),
      width: 124,
      leaves: 4,
      sortKey: 'last_login_at',
      cell: (user) => shown(user, <Moment timestamp={user.last_login_at} />),
      csv: (user) => csvTime(user.last_login_at),
      skeleton: 'text',
    },
    {
      id: 'invites',
      header: t('column.invites'),
      width: 96,
      leaves: 3,
      sortKey: 'aff_count',
      cell: (user) => <InvitesCell user={user} hidden={isHidden(user, me)} />,
      csv: (user) => user.aff_count,
      skeleton: 'text',
    },
    {
      id: 'email',
      header: t('column.email'),
      width: 180,
      leaves: 2,
      hidden: true,
      cell: (user) => user.email,
      csv: (user) => user.email,
      skeleton: 'text',
    },
    {
      id: 'created',
      header: t('column.created'),
      width: 142,
      leaves: 1,
      hidden: true,
      sortKey: 'created_at',
      cell: (user) => <Moment timestamp={user.created_at} absolute />,
      csv: (user) => csvTime(user.created_at),
      skeleton: 'text',
    },
    menuColumn(t('column.actions'), menu),
  ];
}
