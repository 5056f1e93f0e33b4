/** The phone's bottom bar: up to four pages and everything else behind the fifth item. */
import { UnstyledButton } from '@mantine/core';
import { Link, useRouterState } from '@tanstack/react-router';
import { IconDots } from '@tabler/icons-react';
import { lazy, Suspense, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isCurrent } from '#web/app/navigation.ts';
import { bottomItems } from '#web/app/spaces.ts';
import { useNavigationContext, useNavigationItems } from '#web/app/use-navigation.ts';
import { useNeedCounts } from '#web/app/use-needs.ts';
import { loadPart } from '#web/ui/feedback/load-part.ts';
import { hasNeeds, NeedMark } from './need-mark.tsx';
import classes from './menu.module.css';

const PhoneMenu = lazy(() =>
  loadPart(async () => ({ default: (await import('./phone-menu.tsx')).PhoneMenu })),
);

export function BottomBar() {
  const { t } = useTranslation('shell');
  const items = useNavigationItems();
  const context = useNavigationContext();
  const pathname = useRouterState({ select: (state) => state.location.pathname });
  const needs = useNeedCounts();
  const described = useId();
  const [open, setOpen] = useState(false);
  const shown = bottomItems(items, context);
  const isElsewhere = !shown.some((item) => isCurrent(item, pathname));
  return (
    <>
      <nav className={classes.bottom} aria-label={t('mainMenu')}>
        {shown.map((item) => (
          <Link
            key={item.name}
            to={item.path}
            className={classes.bottomItem}
            aria-current={isCurrent(item, pathname) ? 'page' : undefined}
            aria-describedby={hasNeeds(needs.get(item.path)) ? `${described}${item.name}` : undefined}
          >
            <item.icon size={18} stroke={1.6} aria-hidden />
            <span>{t(`nav.${item.name}`)}</span>
            <NeedMark count={needs.get(item.path)} id={`${described}${item.name}`} small />
          </Link>
        ))}
        <UnstyledButton
          className={classes.bottomItem}
          data-current={isElsewhere || undefined}
          aria-expanded={open}
          onClick={() => setOpen(true)}
        >
          <IconDots size={18} stroke={1.6} aria-hidden />
          <span>{t('more')}</span>
        </UnstyledButton>
      </nav>
      {open ? (
        <Suspense>
          <PhoneMenu onClose={() => setOpen(false)} />
        </Suspense>
      ) : null}
    </>
  );
}
