/** The entries of a space, for the side menu and the phone's drawer. */
import { ActionIcon, Tooltip } from '@mantine/core';
import { Link, useRouterState } from '@tanstack/react-router';
import { IconChevronDown } from '@tabler/icons-react';
import { lazy, Suspense, useId, useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { isCurrent } from '#web/app/navigation.ts';
import { sumOf, type NeedCount, type NeedCounts } from '#web/app/needs.ts';
import type { MenuEntry } from '#web/app/spaces.ts';
import type { LinkedItem } from '#web/app/use-navigation.ts';
import { loadPart } from '#web/ui/feedback/load-part.ts';
import { hasNeeds, NeedMark } from './need-mark.tsx';
import classes from './menu.module.css';

const ChatSubmenu = lazy(() =>
  loadPart(async () => ({ default: (await import('./chat-submenu.tsx')).ChatSubmenu })),
);

interface MenuListProps {
  /** Above the entries; none where there is only one space. */
  label?: string | undefined;
  menu: readonly MenuEntry<LinkedItem>[];
  needs: NeedCounts;
  collapsed?: boolean;
  /** The menu of another space: the page that one is on may stand in it too, and is not the current one there. */
  isElsewhere?: boolean;
  onNavigate?: (() => void) | undefined;
}

export function MenuList({
  label,
  menu,
  needs,
  collapsed = false,
  isElsewhere = false,
  onNavigate,
}: MenuListProps) {
  const pathname = useRouterState({ select: (state) => state.location.pathname });
  const [unfolded, setUnfolded] = useState<readonly string[]>([]);
  const toggle = (name: string) =>
    setUnfolded(unfolded.includes(name) ? unfolded.filter((each) => each !== name) : [...unfolded, name]);
  return (
    <div className={classes.menuGroup}>
      {label ? <p className={`tiny ${classes.menuLabel}`}>{label}</p> : null}
      <ul>
        {menu.map(({ item, holds }) => {
          const all = [item, ...holds];
          const isHere = !isElsewhere && all.some((each) => isCurrent(each, pathname));
          // The narrow bar has no room for branches: all of them stand below each other.
          const isBranch = !collapsed && holds.length > 0;
          const isFolded = isBranch && !isHere && !unfolded.includes(item.name);
          const entries = all.map((each) => (
            <Entry
              key={each.name}
              item={each}
              // What a folded entry holds is counted at the entry itself.
              needs={
                isFolded && each === item
                  ? sumOf(all.map(({ path }) => needs.get(path)))
                  : needs.get(each.path)
              }
              collapsed={collapsed}
              isElsewhere={isElsewhere}
              onNavigate={onNavigate}
            />
          ));
          if (!isBranch) return entries.map((entry) => <li key={entry.key}>{entry}</li>);
          return (
            <li key={item.name}>
              <Branch
                item={item}
                holds={holds}
                entries={entries}
                isHere={isHere}
                isOpen={!isFolded}
                onToggle={() => toggle(item.name)}
              />
            </li>
          );
        })}
      </ul>
    </div>
  );
}

interface EntryProps {
  item: LinkedItem;
  needs: NeedCount | undefined;
  collapsed: boolean;
  isElsewhere: boolean;
  onNavigate: (() => void) | undefined;
}

function Entry({ item, needs, collapsed, isElsewhere, onNavigate }: EntryProps) {
  const { t } = useTranslation('shell');
  const described = useId();
  const pathname = useRouterState({ select: (state) => state.location.pathname });
  // When the chat links are listed below, the open chat's link is the current one.
  const hasLinks = item.name === 'chat' && !collapsed;
  const isHere = hasLinks ? pathname === item.path : isCurrent(item, pathname);
  const current = isHere && !isElsewhere;
  const name = t(`nav.${item.name}`);
  const entry = (
    <Tooltip label={name} position="right" disabled={!collapsed}>
      <Link
        to={item.path}
        search={item.search}
        activeOptions={{ exact: hasLinks }}
        className={classes.menuItem}
        aria-current={current ? 'page' : undefined}
        aria-label={collapsed ? name : undefined}
        aria-describedby={hasNeeds(needs) ? described : undefined}
        onClick={onNavigate}
      >
        <item.icon size={16} stroke={1.6} aria-hidden />
        {collapsed ? null : <span>{name}</span>}
        <NeedMark count={needs} id={described} small={collapsed} />
      </Link>
    </Tooltip>
  );
  if (!hasLinks) return entry;
  return (
    <Suspense fallback={entry}>
      <ChatSubmenu onNavigate={onNavigate}>{entry}</ChatSubmenu>
    </Suspense>
  );
}

interface BranchProps {
  item: LinkedItem;
  holds: readonly LinkedItem[];
  /** The entry itself, then what it holds. */
  entries: readonly ReactNode[];
  isHere: boolean;
  isOpen: boolean;
  onToggle: () => void;
}

/** Open while one is in it, or by a click. */
function Branch({ item, holds, entries, isHere, isOpen, onToggle }: BranchProps) {
  const { t } = useTranslation('shell');
  const list = useId();
  const [entry, ...held] = entries;
  return (
    <>
      <div className={classes.parent}>
        {entry}
        <ActionIcon
          size={24}
          disabled={isHere}
          aria-expanded={isOpen}
          aria-controls={list}
          aria-label={t('unfold', { name: t(`nav.${item.name}`) })}
          onClick={onToggle}
        >
          <IconChevronDown size={14} stroke={1.6} aria-hidden />
        </ActionIcon>
      </div>
      <ul id={list} hidden={!isOpen} className={classes.submenu}>
        {holds.map(({ name }, index) => (
          <li key={name}>{held[index]}</li>
        ))}
      </ul>
    </>
  );
}
