/** The sign-in screen: the brand on the left of wide screens, the form centred in the rest. */
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useStatus } from '#web/api/status.ts';
import { Brand, DEFAULT_LOGO, DEFAULT_NAME } from '#web/ui/brand/logo.tsx';
import { TallyWall } from '#web/ui/brand/tally-wall.tsx';
import { SiteFooter } from '#web/ui/content/footer.tsx';
import { CopyButton } from '#web/ui/copy/copy-button.tsx';
import { LanguageSwitch } from '#web/ui/preferences/language-switch.tsx';
import { ThemeMenu } from '#web/ui/preferences/theme-menu.tsx';
import { baseUrl } from '#web/ui/format/base-url.ts';
import classes from './account-frame.module.css';

export function AccountFrame({ children }: { children: ReactNode }) {
  const { t } = useTranslation(['account', 'shell']);
  const status = useStatus();
  const name = status?.system_name ?? DEFAULT_NAME;
  const logo = status?.logo ?? DEFAULT_LOGO;
  const url = baseUrl(status?.server_address, location.origin);
  return (
    <div className={classes.screen}>
      <aside className={classes.panel}>
        <Link
          to="/"
          reloadDocument
          className={classes.panelLogo}
          aria-label={t('toHome', { ns: 'shell', name })}
        >
          <Brand name={name} logo={logo} height={33} />
        </Link>
        <div className={classes.wall}>
          <TallyWall />
        </div>
        <div className={classes.panelFoot}>
          <p className={classes.sentence}>{t('brand.sentence')}</p>
          <p className={classes.panelText}>{t('brand.text')}</p>
          <div className={classes.baseUrl}>
            <span>{t('brand.baseUrl')}</span>
            <code>{url}</code>
            <CopyButton text={url} label={t('brand.copyBaseUrl')} size={34} />
          </div>
        </div>
      </aside>
      <div className="stack grow">
        <header className={`row4 end ${classes.head}`}>
          <Link
            to="/"
            reloadDocument
            className={classes.headLogo}
            aria-label={t('toHome', { ns: 'shell', name })}
          >
            <Brand name={name} logo={logo} />
          </Link>
          <LanguageSwitch />
          <ThemeMenu />
        </header>
        <main className={classes.main}>
          <div className={classes.card}>{children}</div>
        </main>
        <SiteFooter html={status?.footer_html ?? ''} name={name} />
      </div>
    </div>
  );
}
