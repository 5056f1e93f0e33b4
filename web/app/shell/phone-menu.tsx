/** The phone's menu drawer: every page, then theme, language and the account. */
import { FocusTrap, Portal } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { IconBuilding, IconLogout } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useUser } from '#web/api/session.ts';
import { withoutRepeats } from '#web/app/spaces.ts';
import { useNeedCounts } from '#web/app/use-needs.ts';
import { useSpaces, useTopItems } from '#web/app/use-navigation.ts';
import { LanguageSwitch } from '#web/ui/preferences/language-switch.tsx';
import { ThemeMenu } from '#web/ui/preferences/theme-menu.tsx';
import { MenuList } from './menu-list.tsx';
import { TopLink } from './top-links.tsx';
import { NewOrganizationPlace, ScopePlace, useMayCreateFirst } from './scope-place.tsx';
import { useLogout } from './use-logout.ts';
import classes from './menu.module.css';

export function PhoneMenu({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('shell');
  const user = useUser();
  const links = useTopItems();
  const { spaces, current, enter } = useSpaces();
  const needs = useNeedCounts();
  const menus = withoutRepeats(spaces.map(({ menu }) => menu));
  const logout = useLogout();
  const mayCreate = useMayCreateFirst();
  const [isNew, setIsNew] = useState(false);
  useHotkeys([['Escape', onClose]]);
  return (
    <Portal>
      <div className={classes.phoneBackdrop} onClick={onClose} aria-hidden />
      <FocusTrap active>
        <div className={classes.phoneMenu} role="dialog" aria-modal aria-label={t('menu')}>
          <div className={classes.phoneTop}>
            {user ? <b>{user.display_name || user.username}</b> : <b>{t('menu')}</b>}
            <LanguageSwitch />
            <ThemeMenu />
          </div>
          <ScopePlace />
          {spaces.map(({ name }, index) => (
            <MenuList
              key={name}
              label={spaces.length > 1 ? t(`space.${name}`) : undefined}
              menu={menus[index] ?? []}
              needs={needs}
              isElsewhere={name !== current}
              onNavigate={() => {
                enter(name);
                onClose();
              }}
            />
          ))}
          <ul className={classes.phoneLinks}>
            {links.map((item) => (
              <li key={item.name}>
                <TopLink item={item} className={classes.menuItem} onClick={onClose}>
                  <item.icon size={16} stroke={1.6} aria-hidden />
                  {t(`nav.${item.name}`)}
                </TopLink>
              </li>
            ))}
            {mayCreate ? (
              <li>
                <button type="button" className={classes.menuItem} onClick={() => setIsNew(true)}>
                  <IconBuilding size={16} stroke={1.6} aria-hidden />
                  {t('scope.create')}
                </button>
              </li>
            ) : null}
            {user ? (
              <li>
                <button
                  type="button"
                  className={classes.menuItem}
                  onClick={() => {
                    onClose();
                    logout();
                  }}
                >
                  <IconLogout size={16} stroke={1.6} aria-hidden />
                  {t('account.logout')}
                </button>
              </li>
            ) : null}
          </ul>
          {isNew ? <NewOrganizationPlace onClose={() => setIsNew(false)} /> : null}
        </div>
      </FocusTrap>
    </Portal>
  );
}
