/** The spaces in the top bar, in the place of the link to the console; each opens its first page. */
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useRouterState } from '@tanstack/react-router';
import { isCurrent } from '#web/app/navigation.ts';
import { useNavigationItems, useSpaces } from '#web/app/use-navigation.ts';
import classes from './top-bar.module.css';

export function SpaceSwitch() {
  const { t } = useTranslation('shell');
  const { spaces, current, enter } = useSpaces();
  const items = useNavigationItems();
  const pathname = useRouterState({ select: (state) => state.location.pathname });
  const inConsole = items.some((item) => item.place === 'console' && isCurrent(item, pathname));
  return (
    <span className={classes.spaces} role="group" aria-label={t('nav.console')}>
      {spaces.map(({ name, menu }) => (
        <Link
          key={name}
          to={menu[0]?.item.path ?? '/token'}
          aria-current={inConsole && name === current ? 'page' : undefined}
          onClick={() => enter(name)}
        >
          {t(`space.${name}`)}
        </Link>
      ))}
    </span>
  );
}
