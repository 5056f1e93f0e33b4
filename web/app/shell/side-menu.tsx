/**
 * The side menu: 208 px, collapsible to 52. The operator sets how it starts, the user's own choice wins. Pages that need
 * the width, and all pages on a tablet, start with it collapsed and remember their own choice.
 */
import { UnstyledButton } from '@mantine/core';
import { IconLayoutSidebarLeftCollapse, IconLayoutSidebarLeftExpand } from '@tabler/icons-react';
import { useRouterState } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStatus } from '#web/api/status.ts';
import { useNeedCounts } from '#web/app/use-needs.ts';
import { useSpaces } from '#web/app/use-navigation.ts';
import { useNarrow } from '#web/ui/page/breakpoints.ts';
import { MenuList } from './menu-list.tsx';
import classes from './menu.module.css';

const KEY = 'side-menu';
const WIDE_PAGES = ['/playground'];

export function SideMenu() {
  const { t } = useTranslation('shell');
  const status = useStatus();
  const { spaces, current } = useSpaces();
  const needs = useNeedCounts();
  const isWide = useRouterState({ select: (state) => WIDE_PAGES.includes(state.location.pathname) });
  const isNarrow = useNarrow();
  const key = isWide ? `${KEY}-wide` : isNarrow ? `${KEY}-narrow` : KEY;
  const [choices, setChoices] = useState<Record<string, string>>({});
  const choice = choices[key] ?? localStorage.getItem(key);
  const collapsed = choice
    ? choice === 'collapsed'
    : isWide || isNarrow || (status?.default_collapse_sidebar ?? false);
  const toggle = () => {
    const next = collapsed ? 'open' : 'collapsed';
    localStorage.setItem(key, next);
    setChoices({ ...choices, [key]: next });
  };
  const Icon = collapsed ? IconLayoutSidebarLeftExpand : IconLayoutSidebarLeftCollapse;
  const label = collapsed ? t('expand') : t('collapse');
  return (
    <nav className={classes.side} data-collapsed={collapsed || undefined} aria-label={t('sideMenu')}>
      <div className={`scroll ${classes.sideScroll}`}>
        {spaces
          .filter(({ name }) => name === current)
          .map(({ name, menu }) => (
            <MenuList key={name} menu={menu} needs={needs} collapsed={collapsed} />
          ))}
      </div>
      <UnstyledButton
        className={classes.collapse}
        onClick={toggle}
        aria-expanded={!collapsed}
        aria-label={label}
      >
        <Icon size={16} stroke={1.6} aria-hidden />
        {collapsed ? null : label}
      </UnstyledButton>
    </nav>
  );
}
