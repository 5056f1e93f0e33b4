/** The balance of the account that the reader acts for; a click opens the wallet. Members without bills see none. */
import { Tooltip } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { IconWallet } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useBalance } from '#web/api/balance.ts';
import { useDisplay } from '#web/ui/format/display.ts';
import { fullQuota, renderQuota } from '#web/ui/format/number.ts';
import classes from './top-bar.module.css';

export function BalanceChip() {
  const { t } = useTranslation(['shell', 'ui']);
  const display = useDisplay();
  const { isReadable, balance: data } = useBalance();
  if (!isReadable) return null;
  const amount = data ? renderQuota(data.quota, display) : undefined;
  const label = amount ? t('account.balanceOf', { amount }) : t('account.balance');
  const tooltip = data ? t('amount.full', { ns: 'ui', ...fullQuota(data.quota, display) }) : label;
  return (
    <Tooltip label={tooltip}>
      <Link to="/topup" className={`inline8 muted ${classes.balance}`} aria-label={label}>
        <IconWallet size={15} stroke={1.6} aria-hidden />
        {amount ? <b>{amount}</b> : <span className={classes.balanceBone} />}
      </Link>
    </Tooltip>
  );
}
