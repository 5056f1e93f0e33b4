/** Rate limits of the token, and the message a caller gets above them. */
import { NumberInput, TextInput } from '@mantine/core';
import { IconClockBolt } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Field, Section } from '#web/ui/input/field.tsx';
import type { TokenForm } from './use-token-form.ts';
import classes from './form.module.css';

const LIMITS = [
  ['requests_per_minute', 'form.requests'],
  ['tokens_per_minute', 'form.tokens'],
  ['concurrent_calls', 'form.concurrent'],
] as const;

const LIMIT_MAX = 1_000_000_000;
const MESSAGE_MAX = 200;

function LimitField({
  form,
  name,
  label,
}: {
  form: TokenForm;
  name: (typeof LIMITS)[number][0];
  label: string;
}) {
  const { t } = useTranslation('tokens');
  return (
    <Field {...form.row(name)} label={label}>
      <NumberInput
        {...form.number(name, 0)}
        value={form.values[name] || ''}
        placeholder={t('form.noBudget')}
        min={0}
        max={LIMIT_MAX}
        clampBehavior="strict"
        allowDecimal={false}
        allowNegative={false}
        thousandSeparator=","
      />
    </Field>
  );
}

export function LimitsSection({ form }: { form: TokenForm }) {
  const { t } = useTranslation('tokens');
  const set = LIMITS.filter(([name]) => form.values[name] > 0).length;
  return (
    <Section
      icon={<IconClockBolt size={16} stroke={1.6} />}
      title={t('form.limits')}
      fact={set === 0 ? t('form.limitsNone') : t('form.limitsSome', { count: set })}
    >
      <div className={classes.triple}>
        {LIMITS.map(([name, label]) => (
          <LimitField key={name} form={form} name={name} label={t(label)} />
        ))}
      </div>
      <Field label={t('form.limitMessage')} {...form.row('rate_limit_message')}>
        <TextInput
          {...form.control('rate_limit_message')}
          placeholder={t('form.limitMessagePlaceholder')}
          maxLength={MESSAGE_MAX}
        />
      </Field>
    </Section>
  );
}
