/** Logo, public links, palette, balance, announcements, theme, language, account. On the phone: mark, title, balance, one action. */
import { Button, UnstyledButton } from '@mantine/core';
import { Link, useRouterState } from '@tanstack/react-router';
import { IconSearch } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useScope } from '#web/api/scope.ts';
import { useUser } from '#web/api/session.ts';
import { useStatus } from '#web/api/status.ts';
import { operatorItem } from '#web/app/operator-pages.ts';
import { openPalette, PALETTE_KEYS } from '#web/app/palette/host.tsx';
import { KeyHint } from '#web/ui/badge/tag.tsx';
import { Brand, DEFAULT_LOGO, DEFAULT_NAME } from '#web/ui/brand/logo.tsx';
import { usePhone } from '#web/ui/page/breakpoints.ts';
import { LanguageSwitch } from '#web/ui/preferences/language-switch.tsx';
import { ThemeMenu } from '#web/ui/preferences/theme-menu.tsx';
import { BalanceChip } from './balance-chip.tsx';
import { Bell } from './bell.tsx';
import { ScopePlace } from './scope-place.tsx';
import { TopLinks } from './top-links.tsx';
import { UserMenu } from './user-menu.tsx';
import classes from './top-bar.module.css';

interface TopBarProps {
  onTitleSlot: (element: HTMLElement | null) => void;
  onActionSlot: (element: HTMLElement | null) => void;
}

export function TopBar({ onTitleSlot, onActionSlot }: TopBarProps) {
  const { t } = useTranslation('shell');
  const phone = usePhone();
  const user = useUser();
  const scope = useScope();
  const status = useStatus();
  const pathname = useRouterState({ select: (state) => state.location.pathname });
  const name = status?.system_name ?? DEFAULT_NAME;
  const logo = status?.logo ?? DEFAULT_LOGO;
  const signIn = (
    <>
      <Button component={Link} to="/login" variant="subtle">
        {t('nav.login')}
      </Button>
      {status?.register_enabled === false ? null : (
        <Button component={Link} to="/register">
          {t('nav.register')}
        </Button>
      )}
    </>
  );
  if (phone) {
    return (
      <header className={classes.top}>
        <Link to="/" reloadDocument className={classes.topMark} aria-label={t('toHome', { name })}>
          <Brand name={name} logo={logo} markOnly />
        </Link>
        <div className={classes.topTitle} data-visitor={user ? undefined : true} ref={onTitleSlot} />
        <div className="row6 push-right">
          {/* Operator pages need the room for their title and two actions. */}
          {user && scope === undefined && !operatorItem(pathname) ? <BalanceChip /> : null}
          {user ? <ScopePlace isTile /> : null}
          <Bell />
          <div className={classes.topAction} ref={onActionSlot} />
          {user ? null : (
            <>
              <LanguageSwitch />
              <ThemeMenu />
              {signIn}
            </>
          )}
        </div>
      </header>
    );
  }
  return (
    <header className={classes.top}>
      <Link to="/" reloadDocument className={classes.topLogo} aria-label={t('toHome', { name })}>
        <Brand name={name} logo={logo} />
      </Link>
      <TopLinks />
      <div className="row6 push-right">
        {user ? <ScopePlace /> : null}
        <UnstyledButton
          className={`row8 size13 ${classes.paletteButton}`}
          aria-label={`${t('palette.open')} ${PALETTE_KEYS}`}
          onClick={openPalette}
        >
          <IconSearch size={15} stroke={1.6} aria-hidden />
          <span>{t('palette.open')}</span>
          <KeyHint>{PALETTE_KEYS}</KeyHint>
        </UnstyledButton>
        {user ? <BalanceChip /> : null}
        <Bell />
        <ThemeMenu />
        <LanguageSwitch />
        {user ? <UserMenu user={user} /> : signIn}
      </div>
    </header>
  );
}
