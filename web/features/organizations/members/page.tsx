/** The members of an organization and the invitations to it. */
import { SegmentedControl } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { hasRight } from '#contract/admin/organization-rights.ts';
import { organizationQuery } from '#web/api/queries.ts';
import { mayChange, useScope } from '#web/api/scope.ts';
import { AddButton, AddIcon } from '#web/ui/page/add-button.tsx';
import { Page } from '#web/ui/page/page.tsx';
import { organizationQueries } from '#web/features/organizations/queries.ts';
import { MEMBER_VIEWS, useMemberSearch } from '#web/features/organizations/search.ts';
import { InviteDialog } from './invite-dialog.tsx';
import { InvitationList } from './invitation-list.tsx';
import { MemberList } from './member-list.tsx';

export function MembersPage() {
  const { t } = useTranslation('organizations');
  const [search, change] = useMemberSearch();
  const scope = useScope();
  const role = scope?.role;
  const { data: organization } = useQuery(organizationQuery);
  const [isInviting, setIsInviting] = useState(search.invite === true);
  const manages = role !== undefined && hasRight(role, 'members.manage');
  const invites = mayChange(scope, 'members.manage');
  const view = manages ? (search.view ?? 'members') : 'members';
  const { data: open } = useQuery({
    ...organizationQueries.openInvitations(),
    enabled: view === 'invitations',
  });
  const invite = () => setIsInviting(true);
  return (
    <Page
      title={t('members.title')}
      summary={
        view === 'members'
          ? organization && [{ value: organization.members, label: t('members.total') }]
          : open && [{ value: open.total, label: t('members.open') }]
      }
      tabs={
        manages ? (
          <SegmentedControl
            size="xs"
            aria-label={t('members.title')}
            value={view}
            data={MEMBER_VIEWS.map((value) => ({
              value,
              label: value === 'members' ? t('members.title') : t('members.invitations'),
            }))}
            onChange={(value) => change({ view: value, q: undefined, role: undefined, page: undefined })}
          />
        ) : undefined
      }
      actions={invites ? <AddButton label={t('members.action.invite')} onClick={invite} /> : undefined}
      phoneAction={invites ? <AddIcon label={t('members.action.invite')} onClick={invite} /> : undefined}
    >
      {view === 'members' ? (
        <MemberList search={search} change={change} organization={organization} />
      ) : (
        <InvitationList search={search} change={change} onInvite={invites ? invite : undefined} />
      )}
      {isInviting ? (
        <InviteDialog
          onClose={() => {
            setIsInviting(false);
            if (search.invite) change({ invite: undefined }, { replace: true });
          }}
        />
      ) : null}
    </Page>
  );
}
