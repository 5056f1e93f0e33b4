/** What a caller needs of this site, above the guide to connect: its address, what it sells, where keys are made. */
import { Link } from '@tanstack/react-router';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { pricingQuery } from '#web/api/price-list.ts';
import { useUser } from '#web/api/session.ts';
import { useStatus } from '#web/api/status.ts';
import { CopyButton } from '#web/ui/copy/copy-button.tsx';
import { baseUrl } from '#web/ui/format/base-url.ts';
import classes from './docs.module.css';

export function SiteFacts() {
  const { t } = useTranslation('docs');
  const user = useUser();
  const status = useStatus();
  const { data } = useQuery(pricingQuery(user?.id));
  const address = baseUrl(status?.server_address, location.origin);
  return (
    <section className={classes.siteFacts} aria-label={t('site.title')}>
      <span>{t('site.address')}</span>
      <code>{address}</code>
      <CopyButton text={address} label={t('site.address')} />
      <span className={classes.siteLinks}>
        {data ? <span>{t('site.models', { count: data.data.length })}</span> : null}
        <Link to="/pricing">{t('site.prices')}</Link>
        <Link to="/token">{t('site.keys')}</Link>
        <Link to="/docs/$page" params={{ page: 'troubleshooting' }}>
          {t('site.limits')}
        </Link>
      </span>
    </section>
  );
}
