/** The signed-in user and the logout. */
import { Menu, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { IconBuilding, IconLogout, IconSettings } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isAdmin, isRoot } from '#contract/access.ts';
import type { SessionUser } from '#contract/admin/session.ts';
import { useNavigationItems } from '#web/app/use-navigation.ts';
import { NewOrganizationPlace, useMayCreateFirst } from './scope-place.tsx';
import { useLogout } from './use-logout.ts';
import classes from './top-bar.module.css';

/** Two letters of the name; one character is enough in Chinese. */
export function initials(name: string): string {
  const [first = '?', second] = Array.from(name.trim());
  return /[\u4e00-\u9fff]/.test(first) ? first : `${first}${second ?? ''}`.toUpperCase();
}

export function UserMenu({ user }: { user: SessionUser }) {
  const { t } = useTranslation('shell');
  const logout = useLogout();
  const mayCreate = useMayCreateFirst();
  const [isNew, setIsNew] = useState(false);
  const settings = useNavigationItems().find((item) => item.name === 'setting');
  const name = user.display_name || user.username;
  const role = isRoot(user.role) ? 'root' : isAdmin(user.role) ? 'admin' : 'user';
  return (
    <>
      <Menu>
        <Menu.Target>
          <UnstyledButton className={classes.avatar}>
            <VisuallyHidden>{`${t('account.menu')}: ${name}`}</VisuallyHidden>
            <span aria-hidden>{initials(name)}</span>
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown>
          <div className={classes.who}>
            <b>{name}</b>
            <span>
              {user.username} · {t(`account.role.${role}`)}
            </span>
          </div>
          <Menu.Divider />
          {settings ? (
            <Menu.Item
              component={Link}
              to={settings.path}
              leftSection={<IconSettings size={15} stroke={1.6} />}
            >
              {t('account.personal')}
            </Menu.Item>
          ) : null}
          {mayCreate ? (
            <Menu.Item leftSection={<IconBuilding size={15} stroke={1.6} />} onClick={() => setIsNew(true)}>
              {t('scope.create')}
            </Menu.Item>
          ) : null}
          <Menu.Item leftSection={<IconLogout size={15} stroke={1.6} />} onClick={logout}>
            {t('account.logout')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {isNew ? <NewOrganizationPlace onClose={() => setIsNew(false)} /> : null}
    </>
  );
}
