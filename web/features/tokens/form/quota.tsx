/** What the token may still spend: money and quota linked, presets below, or no limit at all. */
import { Switch } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { TOKEN_QUOTA_PRESETS_DOLLARS, type TokenView } from '#contract/admin/tokens.ts';
import { useDisplay } from '#web/ui/format/display.ts';
import { moneyToQuota, renderQuota } from '#web/ui/format/number.ts';
import { QuickPicks } from '#web/ui/input/chips.tsx';
import { Field } from '#web/ui/input/field.tsx';
import { QuotaInput } from '#web/ui/input/quota-input.tsx';
import type { TokenForm } from './use-token-form.ts';
import classes from './form.module.css';

export const QUOTA_FIELD_ID = 'token-remain_quota';

export function QuotaField({ form, token }: { form: TokenForm; token: TokenView | undefined }) {
  const { t } = useTranslation('tokens');
  const display = useDisplay();
  const { remain_quota: quota, unlimited_quota: unlimited } = form.values;
  return (
    <Field
      label={t('form.quota')}
      htmlFor={QUOTA_FIELD_ID}
      fact={
        <Switch
          label={t('form.unlimited')}
          labelPosition="left"
          checked={unlimited}
          onChange={(event) => form.set('unlimited_quota', event.currentTarget.checked)}
        />
      }
    >
      <QuotaInput
        id={QUOTA_FIELD_ID}
        label={t('form.quota')}
        quota={quota}
        disabled={unlimited}
        error={form.errorOf('remain_quota')}
        onChange={(next) => form.set('remain_quota', next)}
      />
      <div className={classes.below}>
        <QuickPicks
          label={t('form.quotaPicks')}
          disabled={unlimited}
          picks={TOKEN_QUOTA_PRESETS_DOLLARS.map((dollars) => ({ label: `${dollars}$`, value: dollars }))}
          onPick={(dollars) => form.set('remain_quota', moneyToQuota(dollars, display))}
        />
        <span>{token ? t('form.usedSoFar', { amount: renderQuota(token.used_quota, display) }) : null}</span>
      </div>
    </Field>
  );
}
