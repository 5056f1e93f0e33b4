/** The overview: an operator's day, or a customer's balance and keys. */
import { Button, SegmentedControl } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { IconKey, IconMessage2Code } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { isAdmin } from '#contract/access.ts';
import type { OverviewDay } from '#contract/admin/overview.ts';
import { unixSeconds } from '#contract/time.ts';
import { useUser } from '#web/api/session.ts';
import { useAddress } from '#web/ui/address/use-address.ts';
import { Page } from '#web/ui/page/page.tsx';
import { Customer, type CustomerParts } from './customer.tsx';
import { Operator } from './operator.tsx';
import { Head } from './parts.tsx';
import { overviewQueries } from './queries.ts';
import { DAYS, overviewSearch } from './search.ts';
import classes from './overview.module.css';

/** Date and time on the title's line, as the server says them. */
function Clock({ isSite, day }: { isSite: boolean; day: OverviewDay }) {
  const site = useQuery({ ...overviewQueries.operator(day), enabled: isSite }).data;
  const own = useQuery({ ...overviewQueries.self, enabled: !isSite }).data;
  if (isSite) return site ? <Head now={site.now} zone={site.time_zone} moneyZone={site.money_zone} /> : null;
  return own ? <Head now={own.now} zone={own.time_zone} /> : null;
}

export function OverviewPage(parts: CustomerParts) {
  const { t, i18n } = useTranslation('overview');
  const user = useUser();
  const [search, change] = useAddress(overviewSearch);
  const operates = user !== undefined && isAdmin(user.role);
  const isSite = operates && search.view !== 'own';
  const month = new Intl.DateTimeFormat(i18n.language, { month: 'long' }).format(unixSeconds() * 1000);
  const tools = (
    <>
      {isSite ? (
        <SegmentedControl
          aria-label={t('days.label')}
          value={search.day ?? 'yesterday'}
          onChange={(value) => change({ day: DAYS.find((day) => day === value), open: undefined })}
          data={DAYS.map((value) => ({ value, label: value === 'month' ? month : t(`days.${value}`) }))}
        />
      ) : null}
      {isSite ? null : (
        <>
          <Button
            variant="default"
            leftSection={<IconMessage2Code size={15} stroke={1.6} />}
            renderRoot={(props) => <Link {...props} to="/playground" />}
          >
            {t('playground')}
          </Button>
          <Button
            leftSection={<IconKey size={15} stroke={1.6} />}
            renderRoot={(props) => <Link {...props} to="/token" search={{ new: 1 }} />}
          >
            {t('keys.create')}
          </Button>
        </>
      )}
      {operates ? (
        <Button
          variant="default"
          renderRoot={(props) => <Link {...props} to="/overview" search={isSite ? { view: 'own' } : {}} />}
        >
          {t(isSite ? 'own' : 'site')}
        </Button>
      ) : null}
    </>
  );
  return (
    <Page
      title={t('title')}
      tabs={<Clock isSite={isSite} day={search.day ?? 'yesterday'} />}
      actions={<div className={`wrap8 ${classes.tools}`}>{tools}</div>}
    >
      <div className={classes.phoneTools}>{tools}</div>
      <div className="scroll" tabIndex={0} role="region" aria-label={t('title')}>
        {isSite ? <Operator search={search} change={change} /> : <Customer {...parts} />}
      </div>
    </Page>
  );
}
