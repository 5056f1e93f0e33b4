/** Whether answers to the calls of the token are kept for equal requests, and for how long; shown where the site keeps answers. */
import { NumberInput, Select } from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { TOKEN_CACHE_MOST_SECONDS } from '#contract/admin/tokens.ts';
import { useStatus } from '#web/api/status.ts';
import { Field, Section } from '#web/ui/input/field.tsx';
import type { TokenForm } from './use-token-form.ts';

const WISHES = ['on', 'off'] as const;
/** A Select cannot have the empty string as a value. */
const INHERITED = '=';

export function CacheSection({ form }: { form: TokenForm }) {
  const { t } = useTranslation('tokens');
  const status = useStatus();
  const id = useId();
  if (status === undefined || status.answer_cache === 'off') return null;
  const wish = form.values.answer_cache;
  return (
    <Section icon={<IconHistory size={16} stroke={1.6} />} title={t('form.cache')}>
      <Field label={t('form.cacheWish')} htmlFor={`${id}-wish`} hint={t('form.cacheHint')}>
        <Select
          id={`${id}-wish`}
          value={wish || INHERITED}
          data={[
            { value: INHERITED, label: t('form.cacheInherited') },
            ...WISHES.map((each) => ({ value: each, label: t(`form.cacheWishes.${each}`) })),
          ]}
          allowDeselect={false}
          onChange={(value) => form.set('answer_cache', WISHES.find((each) => each === value) ?? '')}
        />
      </Field>
      {wish === 'off' ? null : (
        <Field label={t('form.cacheSeconds')} htmlFor={`${id}-seconds`} hint={t('form.cacheSecondsHint')}>
          <NumberInput
            id={`${id}-seconds`}
            value={form.values.answer_cache_seconds}
            min={0}
            max={TOKEN_CACHE_MOST_SECONDS}
            allowDecimal={false}
            clampBehavior="strict"
            onChange={(value) => form.set('answer_cache_seconds', Number(value) || 0)}
          />
        </Field>
      )}
    </Section>
  );
}
