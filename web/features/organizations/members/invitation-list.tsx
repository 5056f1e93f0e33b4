/** The invitations that were sent, with what became of them. */
import { ActionIcon, Menu } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { IconDots, IconMailForward, IconMailOff } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { InvitationView } from '#contract/admin/organization-invitations.ts';
import { api } from '#web/api.ts';
import { gridError } from '#web/api/errors.ts';
import { ORGANIZATIONS_KEY } from '#web/api/holders.ts';
import type { ChangeAddress } from '#web/ui/address/use-address.ts';
import { Empty } from '#web/ui/badge/empty.tsx';
import { StatusBadge } from '#web/ui/badge/status.tsx';
import { EmptyState } from '#web/ui/feedback/states.tsx';
import { toast } from '#web/ui/feedback/toast.tsx';
import { Moment } from '#web/ui/format/moment.tsx';
import { CardHead, CardLine } from '#web/ui/grid/card-line.tsx';
import { menuColumn } from '#web/ui/grid/columns.ts';
import { DataGrid } from '#web/ui/grid/data-grid.tsx';
import { gridQuery, searchOfQuery } from '#web/ui/grid/search.ts';
import type { GridColumn } from '#web/ui/grid/types.ts';
import { AddButton } from '#web/ui/page/add-button.tsx';
import { organizationQueries } from '#web/features/organizations/queries.ts';
import { useRoleName } from '#web/features/organizations/role-words.ts';
import type { MemberSearch } from '#web/features/organizations/search.ts';

const BADGES = {
  open: 'queued',
  accepted: 'enabled',
  declined: 'disabled',
  revoked: 'disabled',
  expired: 'expired',
} as const;

interface InvitationListProps {
  search: MemberSearch;
  change: ChangeAddress<MemberSearch>;
  /** Undefined: the reader may not invite now. */
  onInvite: (() => void) | undefined;
}

export function InvitationList({ search, change, onInvite }: InvitationListProps) {
  const { t } = useTranslation('organizations');
  const roleName = useRoleName();
  const query = gridQuery(search);
  const list = useQuery(organizationQueries.invitations(query.page, query.pageSize));
  const columns = useInvitationColumns();
  const card = (invitation: InvitationView) => (
    <>
      <CardHead name={invitation.email || invitation.username}>
        <State invitation={invitation} />
        <InvitationMenu invitation={invitation} />
      </CardHead>
      <CardLine>
        <span>{roleName(invitation.role)}</span>
        <Until invitation={invitation} />
      </CardLine>
    </>
  );
  return (
    <DataGrid
      name="invitations"
      label={t('members.invitations')}
      columns={columns}
      rows={list.data?.items}
      total={list.data?.total ?? 0}
      rowId={({ id }) => String(id)}
      rowName={({ email, username }) => email || username}
      query={query}
      onQueryChange={(next) => change(searchOfQuery(next))}
      refreshing={list.isFetching && list.data !== undefined}
      error={gridError(list.error)}
      onRefresh={() => void list.refetch()}
      empty={
        <EmptyState
          title={t('members.empty')}
          text={t('members.emptyText')}
          action={onInvite ? <AddButton label={t('members.action.invite')} onClick={onInvite} /> : undefined}
        />
      }
      isMuted={({ state }) => state !== 'open'}
      card={card}
    />
  );
}

function State({ invitation: { state } }: { invitation: InvitationView }) {
  const { t } = useTranslation('organizations');
  return <StatusBadge kind={BADGES[state]}>{t(`members.state.${state}`)}</StatusBadge>;
}

/** Once it is answered or revoked, no time limit holds. */
function Until({
  invitation: { state, expires_at },
  absolute,
}: {
  invitation: InvitationView;
  absolute?: boolean;
}) {
  return state === 'open' || state === 'expired' ? (
    <Moment timestamp={expires_at} absolute={absolute} />
  ) : (
    <Empty />
  );
}

function useInvitationColumns(): GridColumn<InvitationView>[] {
  const { t } = useTranslation('organizations');
  const roleName = useRoleName();
  return [
    {
      id: 'to',
      header: t('members.column.to'),
      minWidth: 240,
      fixed: true,
      cell: ({ email, username }) => <b title={email || username}>{email || username}</b>,
      skeleton: 'text',
    },
    {
      id: 'state',
      header: t('members.column.state'),
      width: 104,
      fixed: true,
      cell: (invitation) => <State invitation={invitation} />,
      skeleton: 'status',
    },
    {
      id: 'role',
      header: t('members.column.role'),
      width: 96,
      leaves: 3,
      cell: ({ role }) => roleName(role),
      skeleton: 'text',
    },
    {
      id: 'by',
      header: t('members.column.by'),
      width: 140,
      leaves: 1,
      cell: ({ invited_by_name }) => invited_by_name,
      skeleton: 'text',
    },
    {
      id: 'sent',
      header: t('members.column.sent'),
      width: 130,
      leaves: 2,
      cell: ({ sent_at, created_at }) => <Moment timestamp={sent_at || created_at} />,
      skeleton: 'text',
    },
    {
      id: 'until',
      header: t('members.column.until'),
      width: 142,
      leaves: 4,
      cell: (invitation) => <Until invitation={invitation} absolute />,
      skeleton: 'text',
    },
    menuColumn(t('members.column.actions'), (invitation) => <InvitationMenu invitation={invitation} />),
  ];
}

const SIZE = { size: 15, stroke: 1.6 };

function InvitationMenu({ invitation: { id, email, username, state } }: { invitation: InvitationView }) {
  const { t } = useTranslation('organizations');
  const client = useQueryClient();
  const params = { id };
  const onSettled = () => client.invalidateQueries({ queryKey: ORGANIZATIONS_KEY });
  const resend = useMutation({
    mutationFn: () => api.invitations.resend({ params }),
    onSuccess: () => toast.success(t('members.resent')),
    onSettled,
  });
  const revoke = useMutation({
    mutationFn: () => api.invitations.revoke({ params }),
    onSuccess: () => toast.success(t('members.revoked')),
    onSettled,
  });
  if (state !== 'open' && state !== 'expired') return null;
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon
          size={24}
          aria-label={t('members.menu', { name: email || username })}
          loading={resend.isPending || revoke.isPending}
        >
          <IconDots size={16} stroke={1.6} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconMailForward {...SIZE} />} onClick={() => resend.mutate()}>
          {t('members.action.resend')}
        </Menu.Item>
        {state === 'open' ? (
          <Menu.Item data-danger leftSection={<IconMailOff {...SIZE} />} onClick={() => revoke.mutate()}>
            {t('members.action.revoke')}
          </Menu.Item>
        ) : null}
      </Menu.Dropdown>
    </Menu>
  );
}
