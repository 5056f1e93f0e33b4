/** Options of drawings made with the token; shown where drawing is enabled. */
import { Select, Switch } from '@mantine/core';
import { IconBrush } from '@tabler/icons-react';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { DRAWING_SPEEDS } from '#contract/relay/drawing.ts';
import { useStatus } from '#web/api/status.ts';
import { Field, Section } from '#web/ui/input/field.tsx';
import type { TokenForm } from './use-token-form.ts';

/** A Select cannot have the empty string as a value. */
const ANY = '=';

const SWITCHES = [
  ['mj_image_proxy', 'form.drawingProxy', 'form.drawingProxyHint'],
  ['mj_backup_pool', 'form.drawingPool', 'form.drawingPoolHint'],
] as const;

export function DrawingSection({ form }: { form: TokenForm }) {
  const { t } = useTranslation('tokens');
  const status = useStatus();
  const id = useId();
  if (!status?.enable_drawing) return null;
  return (
    <Section icon={<IconBrush size={16} stroke={1.6} />} title={t('form.drawing')}>
      <Field label={t('form.drawingSpeed')} htmlFor={`${id}-speed`} hint={t('form.drawingSpeedHint')}>
        <Select
          id={`${id}-speed`}
          value={form.values.mj_mode || ANY}
          data={[
            { value: ANY, label: t('form.drawingSpeedAny') },
            ...DRAWING_SPEEDS.map((speed) => ({ value: speed, label: t(`form.drawingSpeeds.${speed}`) })),
          ]}
          allowDeselect={false}
          onChange={(value) => form.set('mj_mode', DRAWING_SPEEDS.find((speed) => speed === value) ?? '')}
        />
      </Field>
      {SWITCHES.map(([name, label, hint]) => (
        <Field
          key={name}
          label={t(label)}
          htmlFor={`${id}-${name}`}
          hint={t(hint)}
          fact={
            <Switch
              id={`${id}-${name}`}
              checked={form.values[name]}
              onChange={(event) => form.set(name, event.currentTarget.checked)}
            />
          }
        >
          {null}
        </Field>
      ))}
    </Section>
  );
}
