/** Amounts: tabular digits, dimmed leading zeros, the full value in the tooltip. */
import { Tooltip } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useDisplay } from './display.ts';
import { fullQuota, groupDigits, renderQuota, shortNumber, splitLeadingZeros } from './number.ts';
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
