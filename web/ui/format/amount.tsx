/** Amounts: tabular digits, dimmed leading zeros, the full value in the tooltip. */
import { Tooltip } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useDisplay } from './display.ts';
import {
  CURRENCY_SIGN,
  fullQuota,
  groupDigits,
  renderQuota,
  shortNumber,
  splitLeadingZeros,
} from './number.ts';
import classes from './format.module.css';

export function Amount({ text }: { text: string }) {
  const { sign, dimmed, strong } = splitLeadingZeros(text);
  if (!dimmed) return <span className="nowrap tabular">{text}</span>;
  return (
    <span className="nowrap tabular">
      {sign}
      <span className="muted">{dimmed}</span>
      {strong}
    </span>
  );
}

interface QuotaProps {
  quota: number;
  decimals?: number;
  /** Where the surrounding cell already explains the number. */
  plain?: boolean;
}

export function Quota({ quota, decimals, plain }: QuotaProps) {
  const { t } = useTranslation('ui');
  const display = useDisplay();
  const full = fullQuota(quota, display);
  const text = (
    <span className={quota === 0 ? 'muted' : undefined}>
      <Amount text={renderQuota(quota, display, decimals)} />
    </span>
  );
  if (plain) return text;
  return <Tooltip label={t('amount.full', full)}>{text}</Tooltip>;
}

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

/** A count: k, M, B from 10,000 with the exact value in the tooltip. */
export function Count({ value, unit }: { value: number; unit?: string }) {
  const short = shortNumber(value);
  const suffix = short.unit || unit;
  const text = (
    <span className={`nowrap tabular ${value === 0 ? 'muted' : ''}`}>
      {short.digits}
      {suffix ? <span className={classes.unit}>{suffix}</span> : null}
    </span>
  );
  return short.unit ? <Tooltip label={groupDigits(value)}>{text}</Tooltip> : text;
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
