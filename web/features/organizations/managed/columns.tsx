/** The columns of the list of organizations and its card on the phone. */
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { ManagedOrganization } from '#contract/admin/organization-management.ts';
import { StatusBadge } from '#web/ui/badge/status.tsx';
import { GroupTag, Tag } from '#web/ui/badge/tag.tsx';
import { Count, Quota } from '#web/ui/format/amount.tsx';
import { Moment } from '#web/ui/format/moment.tsx';
import { CardHead, CardLine } from '#web/ui/grid/card-line.tsx';
import { csvTime, menuColumn } from '#web/ui/grid/columns.ts';
import type { GridColumn } from '#web/ui/grid/types.ts';
import classes from '#web/features/organizations/organizations.module.css';

const BADGES = { active: 'enabled', suspended: 'failed', deleted: 'disabled' } as const;

function Name({ organization: { id, name } }: { organization: ManagedOrganization }) {
  return (
    <span className="row6 shrink">
      <b className="cut" title={name}>
        {name}
      </b>
      <Tag>#{id}</Tag>
    </span>
  );
}

function State({ organization: { state, suspended_reason } }: { organization: ManagedOrganization }) {
  const { t } = useTranslation('organizations');
  return (
    <span title={suspended_reason || undefined}>
      <StatusBadge kind={BADGES[state]}>{t(`managed.state.${state}`)}</StatusBadge>
    </span>
  );
}

export function Owners({ owners }: Pick<ManagedOrganization, 'owners'>) {
  const { t } = useTranslation('organizations');
  if (owners.length === 0) return <span className="warning">{t('managed.noOwner')}</span>;
  return (
    <span className="cut">
      {owners.map(({ user_id, username }, at) => (
        <span key={user_id}>
          {at > 0 ? ', ' : ''}
          <Link to="/user/$id" params={{ id: String(user_id) }} className="quiet-link">
            {username}
          </Link>
        </span>
      ))}
    </span>
  );
}

export function useManagedColumns(
  menu: (organization: ManagedOrganization) => ReactNode,
): GridColumn<ManagedOrganization>[] {
  const { t } = useTranslation('organizations');
  return [
    {
      id: 'name',
      header: t('managed.column.name'),
      minWidth: 236,
      fixed: true,
      sortKey: 'name',
      cell: (organization) => <Name organization={organization} />,
      csv: ({ name }) => name,
      skeleton: 'text',
    },
    {
      id: 'state',
      header: t('managed.column.state'),
      width: 120,
      cell: (organization) => <State organization={organization} />,
      csv: ({ state }) => t(`managed.state.${state}`),
      skeleton: 'status',
    },
    {
      id: 'group',
      header: t('managed.column.group'),
      width: 100,
      leaves: 3,
      cell: ({ group }) => <GroupTag group={group} />,
      csv: ({ group }) => group,
      skeleton: 'text',
    },
    {
      id: 'quota',
      header: t('managed.column.balance'),
      width: 96,
      align: 'right',
      sortKey: 'quota',
      cell: ({ quota }) => <Quota quota={quota} />,
      csv: ({ quota }) => quota,
      skeleton: 'number',
    },
    {
      id: 'used_quota',
      header: t('managed.column.used'),
      width: 96,
      align: 'right',
      leaves: 4,
      sortKey: 'used_quota',
      cell: ({ used_quota }) => <Quota quota={used_quota} />,
      csv: ({ used_quota }) => used_quota,
      skeleton: 'number',
    },
    {
      id: 'members',
      header: t('managed.column.members'),
      width: 88,
      align: 'right',
      sortKey: 'members',
      cell: ({ members }) => <Count value={members} />,
      csv: ({ members }) => members,
      skeleton: 'number',
    },
    {
      id: 'owners',
      header: t('managed.column.owners'),
      width: 160,
      leaves: 2,
      cell: ({ owners }) => <Owners owners={owners} />,
      csv: ({ owners }) => owners.map(({ username }) => username).join(' '),
      skeleton: 'text',
    },
    {
      id: 'created_at',
      header: t('managed.column.created'),
      width: 142,
      leaves: 1,
      sortKey: 'created_at',
      cell: ({ created_at }) => <Moment timestamp={created_at} absolute />,
      csv: ({ created_at }) => csvTime(created_at),
      skeleton: 'text',
    },
    menuColumn(t('managed.column.actions'), menu),
  ];
}

interface CardProps {
  organization: ManagedOrganization;
  menu: ReactNode;
  children: ReactNode;
}

export function ManagedCard({ organization, menu, children }: CardProps) {
  const { t } = useTranslation('organizations');
  return (
    <>
      <CardHead name={<Name organization={organization} />}>
        <State organization={organization} />
        {menu}
      </CardHead>
      <CardLine>
        <Owners owners={organization.owners} />
        <span className={`nowrap ${classes.count}`}>
          {t('managed.column.members')} {organization.members}
        </span>
        <b>
          <Quota quota={organization.quota} />
        </b>
      </CardLine>
      {children}
    </>
  );
}
