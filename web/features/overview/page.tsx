/** The overview: an operator's day, or a customer's balance and keys. */
import { Button, SegmentedControl } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { IconKey, IconMessage2Code } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { isAdmin } from '#contract/access.ts';
import { useUser } from '#web/api/session.ts';
import { useAddress } from '#web/ui/address/use-address.ts';
import { Page } from '#web/ui/page/page.tsx';
import { nowSeconds } from '#web/ui/format/time.ts';
import { Customer, type CustomerParts } from './customer.tsx';
import { Operator } from './operator.tsx';
import { DAYS, overviewSearch } from './search.ts';
import classes from './overview.module.css';

export function OverviewPage(parts: CustomerParts) {
  const { t, i18n } = useTranslation('overview');
  const user = useUser();
  const [search, change] = useAddress(overviewSearch);
  const operates = user !== undefined && isAdmin(user.role);
  const isSite = operates && search.view !== 'own';
  const month = new Intl.DateTimeFormat(i18n.language, { month: 'long' }).format(nowSeconds() * 1000);
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
    <Page title={t('title')} actions={<div className={`wrap8 ${classes.tools}`}>{tools}</div>}>
      <div className={classes.phoneTools}>{tools}</div>
      <div className="scroll" tabIndex={0} role="region" aria-label={t('title')}>
        {isSite ? <Operator search={search} change={change} /> : <Customer {...parts} />}
      </div>
    </Page>
  );
}
