/** What the reader may do with a member. Nothing: no menu. */
import { ActionIcon, Menu } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import {
  IconCrown,
  IconDoorExit,
  IconDots,
  IconKey,
  IconListDetails,
  IconUserCog,
  IconUserMinus,
} from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { hasRight, mayManage, type OrganizationRole } from '#contract/admin/organization-rights.ts';
import type { MemberView } from '#contract/admin/organizations.ts';

import { useLeave } from './use-leave.ts';

export type MemberDialogName = 'role' | 'remove' | 'offer';

interface MemberMenuProps {
  member: MemberView;
  /** The reader's own. */
  role: OrganizationRole;
  isSelf: boolean;
  onOpen: (dialog: MemberDialogName) => void;
}

const SIZE = { size: 15, stroke: 1.6 };

export function MemberMenu({ member, role, isSelf, onOpen }: MemberMenuProps) {
  const { t } = useTranslation('organizations');
  const { user_id: id, username } = member;
  const manages = !isSelf && mayManage(role, member.role);
  const offers = !isSelf && hasRight(role, 'ownership.hand_over') && member.role !== 'owner';
  const seesKeys = hasRight(role, 'tokens.read_all');
  const seesCalls = hasRight(role, 'usage.all');
  const leave = useLeave();
  if (!isSelf && !manages && !offers && !seesKeys && !seesCalls) return null;
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon size={24} aria-label={t('members.menu', { name: username })}>
          <IconDots size={16} stroke={1.6} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {seesKeys ? (
          <Menu.Item
            leftSection={<IconKey {...SIZE} />}
            renderRoot={(props) => <Link {...props} to="/token" search={{ member: id }} />}
          >
            {t('members.action.keys')}
          </Menu.Item>
        ) : null}
        {seesCalls ? (
          <Menu.Item
            leftSection={<IconListDetails {...SIZE} />}
            renderRoot={(props) => <Link {...props} to="/log" search={{ member: id }} />}
          >
            {t('members.action.log')}
          </Menu.Item>
        ) : null}
        {isSelf || manages || offers ? <Menu.Divider /> : null}
        {isSelf ? (
          <Menu.Item data-danger leftSection={<IconDoorExit {...SIZE} />} onClick={leave}>
            {t('members.action.leave')}
          </Menu.Item>
        ) : null}
        {manages ? (
          <Menu.Item leftSection={<IconUserCog {...SIZE} />} onClick={() => onOpen('role')}>
            {t('members.action.role')}
          </Menu.Item>
        ) : null}
        {offers ? (
          <Menu.Item leftSection={<IconCrown {...SIZE} />} onClick={() => onOpen('offer')}>
            {t('members.action.offer')}
          </Menu.Item>
        ) : null}
        {manages ? (
          <Menu.Item data-danger leftSection={<IconUserMinus {...SIZE} />} onClick={() => onOpen('remove')}>
            {t('members.action.remove')}
          </Menu.Item>
        ) : null}
      </Menu.Dropdown>
    </Menu>
  );
}
