/** Money and quota as two linked fields: typing in one fills the other; the value is the quota. */
import { NumberInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useDisplay } from '#web/ui/format/display.ts';
import { CURRENCY_SIGN, moneyToQuota, quotaToMoney } from '#web/ui/format/number.ts';
import classes from './input.module.css';

/** The library does not export the enum of its sources. */
const isTyped = (source: unknown) => source === 'event';

interface QuotaInputProps {
  /** In quota. */
  value: number;
  onChange: (quota: number) => void;
  /** Names both fields; each adds its own unit. */
  label: string;
  disabled?: boolean;
  /** True: its row shows the sentence. */
  error?: string | boolean | undefined;
  id?: string;
  max?: number;
}

export function QuotaInput({
  value: quota,
  onChange,
  label,
  disabled,
  error,
  id,
  max = Number.MAX_SAFE_INTEGER,
}: QuotaInputProps) {
  const { t } = useTranslation('ui');
  const display = useDisplay();
  const change = (next: number) => onChange(Math.min(max, Math.max(0, Math.round(next))));
  return (
    <div>
      <div className={classes.linked}>
        <NumberInput
          id={id}
          aria-label={t('quota.money', { label })}
          value={Number(quotaToMoney(quota, display).toFixed(6))}
          onValueChange={({ floatValue }, { source }) => {
            // Convert only typed values: a computed one would be rounded back into the other field.
            if (isTyped(source)) change(moneyToQuota(floatValue ?? 0, display));
          }}
          leftSection={<span className="size12 muted">{CURRENCY_SIGN}</span>}
          decimalScale={6}
          min={0}
          allowNegative={false}
          thousandSeparator=","
          disabled={disabled}
          error={Boolean(error)}
        />
        <span className="muted" aria-hidden>
          =
        </span>
        <NumberInput
          aria-label={t('quota.quota', { label })}
          value={quota}
          onValueChange={({ floatValue }, { source }) => {
            if (isTyped(source)) change(floatValue ?? 0);
          }}
          rightSection={<span className="size12 muted">{t('quota.unit')}</span>}
          rightSectionWidth={48}
          allowDecimal={false}
          allowNegative={false}
          min={0}
          thousandSeparator=","
          disabled={disabled}
          error={Boolean(error)}
        />
      </div>
      {typeof error === 'string' && error ? <p className="top4 small danger">{error}</p> : null}
    </div>
  );
}
