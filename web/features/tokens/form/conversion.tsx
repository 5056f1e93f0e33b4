/** Whether a conversion between two wire formats may drop fields. */
import { Switch } from '@mantine/core';
import { IconArrowsExchange } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Section } from '#web/ui/input/field.tsx';
import type { TokenForm } from './use-token-form.ts';

export function ConversionSection({ form }: { form: TokenForm }) {
  const { t } = useTranslation('tokens');
  return (
    <Section
      icon={<IconArrowsExchange size={16} stroke={1.6} />}
      title={t('form.strict')}
      fact={
        <Switch
          aria-label={t('form.strict')}
          checked={form.values.strict_conversion}
          onChange={(event) => form.set('strict_conversion', event.currentTarget.checked)}
        />
      }
    >
      <p className="note">{t('form.strictHint')}</p>
    </Section>
  );
}
