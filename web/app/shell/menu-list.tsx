/** The grouped entries, for the side menu and the phone's drawer. */
import { Tooltip } from '@mantine/core';
import { Link, useRouterState } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { isCurrent, type NavigationPlace } from '#web/app/navigation.ts';
import type { LinkedItem } from '#web/app/use-navigation.ts';
import { ChatSubmenu } from './chat-submenu.tsx';
import classes from './menu.module.css';

const GROUPS = [
  ['use', 'group.use'],
  ['operate', 'group.operate'],
  ['prices', 'group.prices'],
  ['settings', undefined],
] as const satisfies readonly (readonly [NavigationPlace, string | undefined])[];

interface MenuListProps {
  items: readonly LinkedItem[];
  collapsed?: boolean;
  onNavigate?: () => void;
}

export function MenuList({ items, collapsed, onNavigate }: MenuListProps) {
  const { t } = useTranslation('shell');
  const pathname = useRouterState({ select: (state) => state.location.pathname });
  return GROUPS.map(([place, label]) => {
    const group = items.filter((item) => item.place === place);
    if (group.length === 0) return null;
    return (
      <div key={place} className={classes.menuGroup}>
        {label && !collapsed ? <p className={`tiny ${classes.menuLabel}`}>{t(label)}</p> : null}
        <ul>
          {group.map((item) => {
            // When the chat links are listed below, the open chat's link is the current one.
            const hasLinks = item.name === 'chat' && !collapsed;
            const current = hasLinks ? pathname === item.path : isCurrent(item, pathname);
            const name = t(`nav.${item.name}`);
            const entry = (
              <Tooltip label={name} position="right" disabled={!collapsed}>
                <Link
                  to={item.path}
                  activeOptions={{ exact: hasLinks }}
                  className={classes.menuItem}
                  aria-current={current ? 'page' : undefined}
                  aria-label={collapsed ? name : undefined}
                  onClick={onNavigate}
                >
                  <item.icon size={16} stroke={1.6} aria-hidden />
                  {collapsed ? null : <span>{name}</span>}
                </Link>
              </Tooltip>
            );
            return (
              <li key={item.name}>
                {hasLinks ? <ChatSubmenu onNavigate={onNavigate}>{entry}</ChatSubmenu> : entry}
              </li>
            );
          })}
        </ul>
      </div>
    );
  });
}
