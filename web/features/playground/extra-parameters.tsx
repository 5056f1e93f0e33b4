/** Parameters that are sent only when they are switched on; those that no model of the panes takes are absent. */
import { NumberInput, Select, Switch, Textarea } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Field } from '#web/ui/input/field.tsx';
import type { Offered } from './offered.ts';
import { EXTRAS, VERBOSITIES, type ExtraName, type PlaygroundSettings } from './settings.ts';
import classes from './parameters.module.css';

interface ExtraParametersProps {
  settings: PlaygroundSettings;
  onChange: (settings: PlaygroundSettings) => void;
  offered: Offered;
}

export function ExtraParameters({ settings, onChange, offered }: ExtraParametersProps) {
  const { t } = useTranslation('playground');
  return (
    <>
      <Field label={t('parameters.more')} fact={t('parameters.moreHint')}>
        <ul className={classes.extras}>
          {offered.efforts.length > 0 ? (
            <Choice
              name="reasoning_effort"
              value={settings.effort}
              options={offered.efforts}
              onChange={(effort) => onChange({ ...settings, effort })}
            />
          ) : null}
          {offered.hasVerbosity ? (
            <Choice
              name="verbosity"
              value={settings.verbosity}
              options={VERBOSITIES}
              onChange={(verbosity) => onChange({ ...settings, verbosity })}
            />
          ) : null}
          {offered.extras.map((name) => (
            <Extra key={name} name={name} settings={settings} onChange={onChange} />
          ))}
        </ul>
      </Field>
      {offered.hasStop ? (
        <Field label={t('parameters.stop')} htmlFor="playground-stop" fact={t('parameters.stopHint')}>
          <Textarea
            id="playground-stop"
            autosize
            minRows={1}
            maxRows={4}
            value={settings.stop}
            onChange={(event) => onChange({ ...settings, stop: event.currentTarget.value })}
          />
        </Field>
      ) : null}
    </>
  );
}

interface ChoiceProps {
  name: string;
  /** Blank: off. */
  value: string;
  options: readonly string[];
  onChange: (value: string) => void;
}

function Choice({ name, value, options, onChange }: ChoiceProps) {
  const { t } = useTranslation('playground');
  const usual = options.includes('medium') ? 'medium' : (options[0] ?? '');
  return (
    <li data-wide>
      <Switch
        aria-label={t('parameters.use', { name })}
        checked={value !== ''}
        onChange={(event) => onChange(event.currentTarget.checked ? usual : '')}
      />
      <code>{name}</code>
      <Select
        aria-label={name}
        disabled={value === ''}
        allowDeselect={false}
        data={[...options]}
        value={value === '' ? usual : value}
        onChange={(next) => next && onChange(next)}
      />
    </li>
  );
}

function Extra({
  name,
  settings,
  onChange,
}: Pick<ExtraParametersProps, 'settings' | 'onChange'> & { name: ExtraName }) {
  const { t } = useTranslation('playground');
  const { min, max, step, fallback } = EXTRAS[name];
  const value = settings.extras[name];
  const set = (next: number | undefined) => {
    const { [name]: _before, ...rest } = settings.extras;
    onChange({ ...settings, extras: next === undefined ? rest : { ...rest, [name]: next } });
  };
  return (
    <li>
      <Switch
        aria-label={t('parameters.use', { name })}
        checked={value !== undefined}
        onChange={(event) => set(event.currentTarget.checked ? fallback : undefined)}
      />
      <code>{name}</code>
      <NumberInput
        aria-label={name}
        disabled={value === undefined}
        min={min}
        max={max}
        step={step}
        clampBehavior="strict"
        value={value ?? fallback}
        onChange={(next) => typeof next === 'number' && set(next)}
      />
    </li>
  );
}
