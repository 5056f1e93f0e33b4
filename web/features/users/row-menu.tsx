/** The ⋯ menu of a row: the actions on this user, or why there are none. */
import { ActionIcon, Menu } from '@mantine/core';
import {
  IconArrowDown,
  IconArrowUp,
  IconChartBar,
  IconCircleCheck,
  IconCircleMinus,
  IconDots,
  IconListDetails,
  IconPencil,
  IconShieldOff,
  IconTrash,
  IconUserDollar,
} from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { ManageAction } from '#contract/admin/user-management.ts';
import type { ManagedUser } from '#contract/admin/users.ts';
import type { UserActions } from './use-user-actions.tsx';
import { closedBy, isHidden, openActions, userState, type Me } from './user-state.ts';
import classes from './users.module.css';

const SIZE = { size: 15, stroke: 1.6 };

const ACTIONS = {
  promote: ['promote', <IconArrowUp key="icon" {...SIZE} />],
  demote: ['demote', <IconArrowDown key="icon" {...SIZE} />],
  disable: ['disable', <IconCircleMinus key="icon" {...SIZE} />],
  enable: ['enable', <IconCircleCheck key="icon" {...SIZE} />],
  delete: ['remove', <IconTrash key="icon" {...SIZE} />],
} as const satisfies Record<ManageAction, unknown>;

interface RowMenuProps {
  user: ManagedUser;
  me: Me;
  actions: UserActions;
  onEdit: (user: ManagedUser) => void;
  onCard: (user: ManagedUser) => void;
  onAgent: (user: ManagedUser) => void;
}

export function RowMenu(props: RowMenuProps) {
  const { t: ui } = useTranslation('ui');
  const { user, me } = props;
  if (closedBy(user, me) === 'deleted') return null;
  return (
    <Menu>
      <Menu.Target>
        <ActionIcon size={24} aria-label={ui('grid.rowActions', { name: user.username })}>
          <IconDots size={15} stroke={1.6} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <ReadingItems {...props} />
        <ActingItems {...props} />
      </Menu.Dropdown>
    </Menu>
  );
}

function ReadingItems({ user, me, onCard }: RowMenuProps) {
  const { t } = useTranslation('users');
  const navigate = useNavigate();
  if (isHidden(user, me)) return null;
  return (
    <>
      <Menu.Item leftSection={<IconChartBar {...SIZE} />} onClick={() => onCard(user)}>
        {t('action.card')}
      </Menu.Item>
      <Menu.Item
        leftSection={<IconListDetails {...SIZE} />}
        onClick={() => void navigate({ to: '/log', search: { user: user.username } })}
      >
        {t('action.logs')}
      </Menu.Item>
    </>
  );
}

/** What can be done to the user, or why nothing can. */
export function ActingItems({ user, me, actions, onEdit, onAgent }: Omit<RowMenuProps, 'onCard'>) {
  const { t } = useTranslation('users');
  const closed = closedBy(user, me);
  if (closed === 'deleted') return null;
  if (closed) return <Menu.Label className={classes.closed}>{t(`closed.${closed}`)}</Menu.Label>;
  return (
    <>
      <Menu.Item leftSection={<IconPencil {...SIZE} />} onClick={() => onEdit(user)}>
        {t('action.edit')}
      </Menu.Item>
      <Menu.Item leftSection={<IconUserDollar {...SIZE} />} onClick={() => onAgent(user)}>
        {t(user.agent_rate_percent === null ? 'action.makeAgent' : 'action.editAgent')}
      </Menu.Item>
      <Menu.Divider />
      {openActions(user, me).map((action) => {
        const [name, icon] = ACTIONS[action];
        return (
          <Menu.Item
            key={action}
            leftSection={icon}
            data-danger={action === 'delete' || undefined}
            onClick={() => void actions.manage(user, action)}
          >
            {t(`action.${name}`)}
          </Menu.Item>
        );
      })}
      {user.two_factor ? (
        <Menu.Item
          leftSection={<IconShieldOff {...SIZE} />}
          onClick={() => void actions.resetTwoFactor(user)}
        >
          {t('action.resetTwoFactor')}
        </Menu.Item>
      ) : null}
      {userState(user) === 'suspended' ? (
        <Menu.Label className={classes.closed}>{t('closed.suspended')}</Menu.Label>
      ) : null}
    </>
  );
}
