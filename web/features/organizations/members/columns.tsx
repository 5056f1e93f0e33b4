/** The columns of the members and their card on the phone. */
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { MemberView } from '#contract/admin/organizations.ts';
import { Empty } from '#web/ui/badge/empty.tsx';
import { Tag } from '#web/ui/badge/tag.tsx';
import { Count } from '#web/ui/format/amount.tsx';
import { Moment } from '#web/ui/format/moment.tsx';
import { CardHead, CardLine } from '#web/ui/grid/card-line.tsx';
import { csvTime, menuColumn } from '#web/ui/grid/columns.ts';
import type { GridColumn } from '#web/ui/grid/types.ts';
import { useRoleName } from '#web/features/organizations/role-words.ts';

export function MemberName({ member, isSelf }: { member: MemberView; isSelf: boolean }) {
  const { t } = useTranslation('organizations');
  const { username, display_name } = member;
  return (
    <span className="row6 shrink">
      <b className="cut" title={username}>
        {display_name || username}
      </b>
      {display_name && display_name !== username ? <span className="note cut gives">{username}</span> : null}
      {isSelf ? (
        <span className="fixed">
          <Tag>{t('members.you')}</Tag>
        </span>
      ) : null}
    </span>
  );
}

interface ColumnOptions {
  manages: boolean;
  selfId: number | undefined;
  menu: (member: MemberView) => ReactNode;
}

export function useMemberColumns({ manages, selfId, menu }: ColumnOptions): GridColumn<MemberView>[] {
  const { t } = useTranslation('organizations');
  const roleName = useRoleName();
  const columns: (GridColumn<MemberView> | false)[] = [
    {
      id: 'name',
      header: t('members.column.name'),
      minWidth: 220,
      fixed: true,
      cell: (member) => <MemberName member={member} isSelf={member.user_id === selfId} />,
      csv: ({ username }) => username,
      skeleton: 'text',
    },
    {
      id: 'role',
      header: t('members.column.role'),
      width: 96,
      fixed: true,
      cell: ({ role }) => roleName(role),
      csv: ({ role }) => role,
      skeleton: 'text',
    },
    manages && {
      id: 'email',
      header: t('members.column.email'),
      width: 220,
      leaves: 3,
      cell: ({ email }) => email || <Empty />,
      csv: ({ email }) => email,
      skeleton: 'text',
    },
    {
      id: 'tokens',
      header: t('members.column.tokens'),
      width: 90,
      align: 'right',
      leaves: 4,
      cell: ({ tokens }) => <Count value={tokens} />,
      csv: ({ tokens }) => tokens,
      skeleton: 'number',
    },
    {
      id: 'source',
      header: t('members.column.source'),
      width: 150,
      leaves: 1,
      cell: ({ source }) => t(`members.source.${source}`),
      skeleton: 'text',
    },
    {
      id: 'joined',
      header: t('members.column.joined'),
      width: 142,
      leaves: 2,
      cell: ({ joined_at }) => <Moment timestamp={joined_at} absolute />,
      csv: ({ joined_at }) => csvTime(joined_at),
      skeleton: 'text',
    },
    menuColumn(t('members.column.actions'), menu),
  ];
  return columns.filter((column) => column !== false);
}

export function MemberCard({
  member,
  isSelf,
  menu,
}: {
  member: MemberView;
  isSelf: boolean;
  menu: ReactNode;
}) {
  const { t } = useTranslation('organizations');
  const roleName = useRoleName();
  return (
    <>
      <CardHead name={<MemberName member={member} isSelf={isSelf} />}>
        {roleName(member.role)}
        {menu}
      </CardHead>
      <CardLine>
        <span className="cut">{member.email || t(`members.joinedBy.${member.source}`)}</span>
        <span className="nowrap">
          {t('members.column.tokens')} {member.tokens}
        </span>
      </CardLine>
    </>
  );
}
