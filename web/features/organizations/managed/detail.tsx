/** An organization below its row: the facts that the list has no room for, and its people. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { MemberView } from '#contract/admin/organizations.ts';
import { errorMessage } from '#web/api/errors.ts';
import { Loading } from '#web/ui/feedback/loading.tsx';
import { ErrorState } from '#web/ui/feedback/states.tsx';
import { Quota } from '#web/ui/format/amount.tsx';
import { Moment } from '#web/ui/format/moment.tsx';
import { groupDigits } from '#web/ui/format/number.ts';
import { FactList } from '#web/ui/thing/facts.tsx';
import { ThingColumns, ThingPanel } from '#web/ui/thing/panel.tsx';
import { ThingTable, type ThingColumn } from '#web/ui/thing/thing-table.tsx';
import { useRoleName } from '#web/features/organizations/role-words.ts';
import { managedQueries } from './queries.ts';

export function ManagedDetail({ id }: { id: number }) {
  const { t } = useTranslation('organizations');
  const roleName = useRoleName();
  const { data, error, refetch } = useQuery(managedQueries.one(id));
  if (error && !data) return <ErrorState message={errorMessage(error)} onRetry={() => void refetch()} />;
  if (!data) return <Loading />;
  return (
    <ThingColumns kind="facts">
      <ThingPanel title={data.username} isFlush>
        <FactList
          facts={[
            data.suspended_reason !== '' && {
              label: t('managed.reason'),
              value: data.suspended_reason,
              tone: 'danger',
            },
            { label: t('managed.createdBy'), value: data.created_by_name },
            { label: t('managed.requests'), value: groupDigits(data.request_count) },
            data.held_quota > 0 && {
              label: t('managed.held'),
              value: <Quota quota={data.held_quota} />,
            },
          ]}
        />
      </ThingPanel>
      <ThingPanel title={t('managed.people')} isFlush>
        <ThingTable
          label={t('managed.people')}
          rows={data.people}
          rowKey={({ user_id }) => user_id}
          columns={peopleColumns(t, roleName)}
        />
      </ThingPanel>
    </ThingColumns>
  );
}

function peopleColumns(
  t: ReturnType<typeof useTranslation<'organizations'>>['t'],
  roleName: ReturnType<typeof useRoleName>,
): ThingColumn<MemberView>[] {
  return [
    {
      key: 'name',
      head: t('members.column.name'),
      cell: ({ user_id, username }) => (
        <Link to="/user/$id" params={{ id: String(user_id) }} className="quiet-link">
          {username}
        </Link>
      ),
    },
    { key: 'role', head: t('members.column.role'), cell: ({ role }) => roleName(role) },
    {
      key: 'tokens',
      head: t('members.column.tokens'),
      isNumber: true,
      cell: ({ tokens }) => groupDigits(tokens),
    },
    {
      key: 'joined',
      head: t('members.column.joined'),
      isWide: true,
      cell: ({ joined_at }) => <Moment timestamp={joined_at} absolute />,
    },
  ];
}
