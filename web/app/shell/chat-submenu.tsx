/** The configured chat links below their menu entry; each is a page. */
import { ActionIcon } from '@mantine/core';
import { Link, useRouterState } from '@tanstack/react-router';
import { IconChevronDown } from '@tabler/icons-react';
import { useId, useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useStatus } from '#web/api/status.ts';
import { configuredLinks } from '#web/features/chat/links.ts';
import classes from './menu.module.css';

const KEY = 'chat-menu';

interface ChatSubmenuProps {
  /** The entry itself. */
  children: ReactNode;
  onNavigate?: (() => void) | undefined;
}

export function ChatSubmenu({ children, onNavigate }: ChatSubmenuProps) {
  const { t } = useTranslation('shell');
  const status = useStatus();
  const list = useId();
  const pathname = useRouterState({ select: (state) => state.location.pathname });
  const [choice, setChoice] = useState(() => localStorage.getItem(KEY));
  const links = configuredLinks(status, localStorage) ?? [];
  if (links.length === 0) return children;
  const isOpen = choice ? choice === 'open' : pathname.startsWith('/chat');
  const toggle = () => {
    const next = isOpen ? 'closed' : 'open';
    localStorage.setItem(KEY, next);
    setChoice(next);
  };
  return (
    <>
      <div className={classes.parent}>
        {children}
        <ActionIcon
          size={24}
          aria-expanded={isOpen}
          aria-controls={list}
          aria-label={t('chatLinks')}
          onClick={toggle}
        >
          <IconChevronDown size={14} stroke={1.6} aria-hidden />
        </ActionIcon>
      </div>
      <ul id={list} hidden={!isOpen} className={classes.submenu}>
        {links.map((link, index) => (
          <li key={`${index} ${link.name}`}>
            <Link
              to="/chat/$id"
              params={{ id: String(index) }}
              className={classes.menuItem}
              aria-current={pathname === `/chat/${index}` ? 'page' : undefined}
              onClick={onNavigate}
            >
              <span>{link.name}</span>
            </Link>
          </li>
        ))}
      </ul>
    </>
  );
}
