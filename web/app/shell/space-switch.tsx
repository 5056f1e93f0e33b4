/** The spaces in the top bar, in the place of the link to the console; each opens its first page. */
import { useNavigate, useRouter, useRouterState } from '@tanstack/react-router';
import { useId, type MouseEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { isCurrent } from '#web/app/navigation.ts';
import { needsOfSpace } from '#web/app/needs.ts';
import { useNeedCounts } from '#web/app/use-needs.ts';
import { useNavigationItems, useSpaces, type OpenSpace } from '#web/app/use-navigation.ts';
import { hasNeeds, NeedMark } from './need-mark.tsx';
import classes from './top-bar.module.css';

export function SpaceSwitch() {
  const { t } = useTranslation('shell');
  const { spaces, current, enter } = useSpaces();
  const items = useNavigationItems();
  const counts = useNeedCounts();
  const described = useId();
  const router = useRouter();
  const navigate = useNavigate();
  const pathname = useRouterState({ select: (state) => state.location.pathname });
  const inConsole = items.some((item) => item.place === 'console' && isCurrent(item, pathname));
  const firstOf = ({ menu }: OpenSpace) => menu[0]?.item.path ?? '/token';
  const open = (event: MouseEvent, space: OpenSpace) => {
    // A new tab or window is the browser's.
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    enter(space.name);
    void navigate({ to: firstOf(space) });
  };
  return (
    <span className={classes.spaces} role="group" aria-label={t('nav.console')}>
      {spaces.map((space) => {
        const isHere = inConsole && space.name === current;
        // In the space that one is in, the side menu counts.
        const needs = isHere ? undefined : needsOfSpace(space.name, space.menu, counts);
        return (
          // Not the router's link: two spaces may begin with the same page, and only one of them is the current one.
          <a
            key={space.name}
            href={router.buildLocation({ to: firstOf(space) }).href}
            aria-current={isHere ? 'page' : undefined}
            aria-describedby={hasNeeds(needs) ? `${described}${space.name}` : undefined}
            onClick={(event) => open(event, space)}
          >
            {t(`space.${space.name}`)}
            <NeedMark count={needs} id={`${described}${space.name}`} />
          </a>
        );
      })}
    </span>
  );
}
