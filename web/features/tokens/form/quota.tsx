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

export function QuotaField({ form, token }: { form: TokenForm; token: TokenView | undefined }) {
  const { t } = useTranslation('tokens');
  const display = useDisplay();
  const { unlimited_quota: unlimited } = form.values;
  return (
    <Field
      label={t('form.quota')}
      htmlFor={form.idOf('remain_quota')}
      fact={<Switch label={t('form.unlimited')} labelPosition="left" {...form.checked('unlimited_quota')} />}
    >
      <QuotaInput {...form.field('remain_quota')} label={t('form.quota')} disabled={unlimited} />
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
