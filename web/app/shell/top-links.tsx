/** The links of the top bar. Those that have no room stand in a menu at its end; on the phone all are in the drawer. */
import { ActionIcon, Menu } from '@mantine/core';
import { Link, useRouterState } from '@tanstack/react-router';
import { IconDots } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { isCurrent, isDocument, type DocumentItem } from '#web/app/navigation.ts';
import { useNavigationItems, useSpaces, useTopItems, type LinkedItem } from '#web/app/use-navigation.ts';
import { useScope } from '#web/api/scope.ts';
import { useNarrow, useTight } from '#web/ui/page/breakpoints.ts';
import { SpaceSwitch } from './space-switch.tsx';
import classes from './top-bar.module.css';

interface TopLinkProps {
  item: LinkedItem | DocumentItem;
  className?: string | undefined;
  onClick?: () => void;
  /** The name of the page by default. */
  children?: ReactNode;
}

/** To a page of the console, or to one that the server renders, which loads a document. */
export function TopLink({ item, children, ...more }: TopLinkProps) {
  const { t } = useTranslation('shell');
  const pathname = useRouterState({ select: (state) => state.location.pathname });
  const content = children ?? t(`nav.${item.name}`);
  if (isDocument(item))
    return (
      <a {...more} href={item.path}>
        {content}
      </a>
    );
  const current = isCurrent(item, pathname) ? 'page' : undefined;
  return (
    <Link {...more} to={item.path} reloadDocument={item.name === 'home'} aria-current={current}>
      {content}
    </Link>
  );
}

/** What stays beside the spaces where there is no room for all. */
const FIRST: readonly string[] = ['models', 'status', 'docs'];

export function TopLinks() {
  const { t } = useTranslation('shell');
  const items = useNavigationItems();
  const pathname = useRouterState({ select: (state) => state.location.pathname });
  const inConsole = items.some((item) => item.place !== 'top' && isCurrent(item, pathname));
  const links = useTopItems();
  const { spaces } = useSpaces();
  const scope = useScope();
  const isTight = useTight();
  const isNarrow = useNarrow();
  const hasRoom = ({ name }: { name: string }) => !isTight || (!isNarrow && FIRST.includes(name));
  const shown = links.filter(hasRoom);
  const home = shown.filter(({ name }) => name === 'home');
  return (
    <nav className={classes.topLinks} aria-label={t('mainMenu')}>
      {home.map((item) => (
        <TopLink key={item.name} item={item} />
      ))}
      {spaces.length > 1 ? (
        <SpaceSwitch />
      ) : (
        <Link to={scope ? '/organization' : '/token'} aria-current={inConsole ? 'page' : undefined}>
          {t('nav.console')}
        </Link>
      )}
      {shown.slice(home.length).map((item) => (
        <TopLink key={item.name} item={item} />
      ))}
      <MoreLinks links={links.filter((item) => !hasRoom(item))} />
    </nav>
  );
}

function MoreLinks({ links }: { links: readonly TopLinkProps['item'][] }) {
  const { t } = useTranslation('shell');
  if (links.length === 0) return null;
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <ActionIcon size={30} className={classes.moreLinks} aria-label={t('morePages')}>
          <IconDots size={16} stroke={1.6} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {links.map((item) => (
          <Menu.Item
            key={item.name}
            leftSection={<item.icon size={15} stroke={1.6} aria-hidden />}
            renderRoot={(props) => <TopLink {...props} item={item} />}
          >
            {t(`nav.${item.name}`)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
