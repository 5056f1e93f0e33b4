/** The list of members: role, keys, and what may be done with each. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { hasRight, ORGANIZATION_ROLES } from '#contract/admin/organization-rights.ts';
import type { MemberView, OrganizationView } from '#contract/admin/organizations.ts';
import { gridError } from '#web/api/errors.ts';
import { useUser } from '#web/api/session.ts';
import type { ChangeAddress } from '#web/ui/address/use-address.ts';
import { EmptyState } from '#web/ui/feedback/states.tsx';
import { DataGrid } from '#web/ui/grid/data-grid.tsx';
import { addressProps, gridQuery } from '#web/ui/grid/search.ts';
import { organizationQueries } from '#web/features/organizations/queries.ts';
import { useRoleName } from '#web/features/organizations/role-words.ts';
import type { MemberSearch } from '#web/features/organizations/search.ts';
import { useMemberColumns, MemberCard } from './columns.tsx';
import { MemberMenu, type MemberDialogName } from './member-menu.tsx';
import { OfferDialog } from './offer-dialog.tsx';
import { RemoveDialog } from './remove-dialog.tsx';
import { RoleDialog } from './role-dialog.tsx';

interface MemberListProps {
  search: MemberSearch;
  change: ChangeAddress<MemberSearch>;
  organization: OrganizationView | undefined;
}

export function MemberList({ search, change, organization }: MemberListProps) {
  const { t } = useTranslation('organizations');
  const roleName = useRoleName();
  const user = useUser();
  const query = gridQuery(search);
  const list = useQuery(organizationQueries.members({ q: search.q, role: search.role }, query));
  const [opened, setOpened] = useState<{ member: MemberView; dialog: MemberDialogName }>();
  const close = () => setOpened(undefined);
  const role = organization?.role;
  const manages = role !== undefined && hasRight(role, 'members.manage');
  const menu = (member: MemberView) =>
    role === undefined ? null : (
      <MemberMenu
        member={member}
        role={role}
        isSelf={member.user_id === user?.id}
        onOpen={(dialog) => setOpened({ member, dialog })}
      />
    );
  const columns = useMemberColumns({ manages, selfId: user?.id, menu });
  const card = (member: MemberView) => (
    <MemberCard member={member} isSelf={member.user_id === user?.id} menu={menu(member)} />
  );
  return (
    <>
      <DataGrid
        name="members"
        label={t('members.list')}
        columns={columns}
        rows={list.data?.items}
        total={list.data?.total ?? 0}
        rowId={({ user_id }) => String(user_id)}
        rowName={({ username }) => username}
        query={query}
        {...addressProps(search, change, t(manages ? 'members.search' : 'members.searchName'))}
        facets={[
          {
            id: 'role',
            label: t('members.column.role'),
            options: ORGANIZATION_ROLES.map((value) => ({ value, label: roleName(value) })),
            value: search.role === undefined ? [] : [search.role],
            onChange: ([value]) =>
              change({ role: ORGANIZATION_ROLES.find((each) => each === value), page: undefined }),
          },
        ]}
        onClearFilters={() => change({ q: undefined, role: undefined, page: undefined })}
        refreshing={list.isFetching && list.data !== undefined}
        error={gridError(list.error)}
        onRefresh={() => void list.refetch()}
        empty={<EmptyState title={t('members.nobody')} />}
        card={card}
      />
      {opened?.dialog === 'role' ? <RoleDialog member={opened.member} onClose={close} /> : null}
      {opened?.dialog === 'remove' ? <RemoveDialog member={opened.member} onClose={close} /> : null}
      {opened?.dialog === 'offer' ? <OfferDialog member={opened.member} onClose={close} /> : null}
    </>
  );
}
