/** The side panel: group, temperature, max tokens, system prompt, and further parameters that are sent only when on. */
import '@mantine/core/styles/Slider.layer.css';
import { Button, NumberInput, Select, Slider, Switch, Textarea } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { estimateTokens } from '#contract/money/pricing.ts';
import { RatioBadge } from '#web/ui/badge/tag.tsx';
import { Field } from '#web/ui/input/field.tsx';
import { SavedViewMenu } from '#web/ui/preferences/saved-view-menu.tsx';
import { useSavedViews } from '#web/ui/preferences/saved-views.ts';
import {
  EXTENDED_TEMPERATURE,
  EXTRA_NAMES,
  EXTRAS,
  readPreset,
  TEMPERATURE,
  withRange,
  type ExtraName,
  type PlaygroundSettings,
} from './settings.ts';
import classes from './parameters.module.css';

interface ParametersProps {
  settings: PlaygroundSettings;
  onChange: (settings: PlaygroundSettings) => void;
  onReset: () => void;
  group: string;
  groups: Record<string, { ratio: number; desc: string }>;
  system: string;
}

export function Parameters({ settings, onChange, onReset, group, groups, system }: ParametersProps) {
  const { t } = useTranslation('playground');
  const presets = useSavedViews('playground-presets', readPreset);
  const range = settings.isExtended ? EXTENDED_TEMPERATURE : TEMPERATURE;
  const ratio = groups[group]?.ratio;
  const setTemperature = (temperature: number) =>
    onChange({ ...settings, temperature: Number(temperature.toFixed(1)) });
  return (
    <div className="stack14">
      <SavedViewMenu
        label={t('presets.label')}
        placeholder={t('presets.name')}
        saved={presets.list.map(({ name, value }) => ({
          name,
          onChoose: () => onChange(value),
          onRemove: () => presets.remove(name),
        }))}
        onSave={(name) => presets.save(name, settings)}
      />
      <Field
        label={t('parameters.group')}
        htmlFor="playground-group"
        fact={ratio === undefined ? undefined : <RatioBadge ratio={ratio} />}
        hint={groups[group]?.desc}
      >
        <Select
          id="playground-group"
          data={Object.keys(groups)}
          value={group}
          allowDeselect={false}
          onChange={(value) => value && onChange({ ...settings, group: value })}
        />
      </Field>
      <Field
        label={t('parameters.temperature')}
        fact={
          <Switch
            label={t('parameters.extended')}
            labelPosition="left"
            checked={settings.isExtended}
            onChange={(event) => onChange(withRange(settings, event.currentTarget.checked))}
          />
        }
      >
        <div className={classes.slider}>
          <Slider
            min={range.min}
            max={range.max}
            step={TEMPERATURE.step}
            value={settings.temperature}
            onChange={setTemperature}
            label={null}
            size={4}
            thumbLabel={t('parameters.temperature')}
          />
          <NumberInput
            aria-label={t('parameters.temperature')}
            min={range.min}
            max={range.max}
            step={TEMPERATURE.step}
            decimalScale={1}
            clampBehavior="strict"
            value={settings.temperature}
            onChange={(value) => typeof value === 'number' && value >= range.min && setTemperature(value)}
          />
        </div>
      </Field>
      <Field
        label={t('parameters.maxTokens')}
        htmlFor="playground-max-tokens"
        fact={t('parameters.maxTokensHint')}
      >
        <NumberInput
          id="playground-max-tokens"
          min={0}
          max={10_000_000}
          allowDecimal={false}
          allowNegative={false}
          value={settings.maxTokens}
          onChange={(value) => onChange({ ...settings, maxTokens: Number(value) || 0 })}
        />
      </Field>
      <Field
        label={t('parameters.system')}
        htmlFor="playground-system"
        fact={t('parameters.tokens', { count: estimateTokens(system) })}
      >
        <Textarea
          id="playground-system"
          autosize
          minRows={3}
          maxRows={10}
          value={system}
          onChange={(event) => onChange({ ...settings, system: event.currentTarget.value })}
        />
      </Field>
      <Field label={t('parameters.more')} fact={t('parameters.moreHint')}>
        <ul className={classes.extras}>
          {EXTRA_NAMES.map((name) => (
            <Extra key={name} name={name} settings={settings} onChange={onChange} />
          ))}
        </ul>
      </Field>
      <Button variant="subtle" onClick={onReset}>
        {t('parameters.reset')}
      </Button>
    </div>
  );
}

function Extra({
  name,
  settings,
  onChange,
}: Pick<ParametersProps, 'settings' | 'onChange'> & { name: ExtraName }) {
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
