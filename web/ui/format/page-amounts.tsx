/** Amounts of single pages: of a headline, and of a task. */
import { Tooltip } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Quota } from './amount.tsx';
import { useDisplay } from './display.ts';
import { CURRENCY_SIGN, renderQuota } from './number.ts';
import classes from './format.module.css';

/** The cost of a task: while it runs the amount is only held, and the words beside it say so. */
export function TaskCost({ quota, held }: { quota: number; held: boolean }) {
  const { t } = useTranslation('ui');
  if (!held) return <Quota quota={quota} />;
  return (
    <Tooltip label={t('amount.heldUntil')} multiline maw={260}>
      <span className={classes.held}>
        <span>{t('amount.held')}</span>
        <Quota quota={quota} plain />
      </span>
    </Tooltip>
  );
}

/** A headline amount: the cents are smaller than the dollars. */
export function StatAmount({ quota }: { quota: number }) {
  const display = useDisplay();
  const text = renderQuota(quota, display);
  const cents = text.startsWith(CURRENCY_SIGN) ? /\.\d+$/.exec(text)?.[0] : undefined;
  return (
    <span className="nowrap amount">
      {cents ? text.slice(0, -cents.length) : text}
      {cents ? <span className="size13 muted regular">{cents}</span> : null}
    </span>
  );
}
