/** The side panel: group, temperature, max tokens, system prompt, and further parameters that are sent only when on. */
import '@mantine/core/styles/Slider.layer.css';
import { Button, NumberInput, Select, Slider, Switch, Textarea } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { estimateTokens } from '#contract/money/pricing.ts';
import { RatioBadge } from '#web/ui/badge/tag.tsx';
import type { ModelParameters } from '#contract/admin/playground.ts';
import { Field } from '#web/ui/input/field.tsx';
import { groupDigits } from '#web/ui/format/number.ts';
import { SavedViewMenu } from '#web/ui/preferences/saved-view-menu.tsx';
import { useSavedViews } from '#web/ui/preferences/saved-views.ts';
import { ExtraParameters } from './extra-parameters.tsx';
import { leftOut, offeredParameters } from './offered.ts';
import { OutputFields } from './output-fields.tsx';
import {
  EXTENDED_TEMPERATURE,
  readPreset,
  TEMPERATURE,
  withRange,
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
  /** Of each pane's model; undefined while it is loaded. */
  parameters: readonly (ModelParameters | undefined)[];
}

export function Parameters(props: ParametersProps) {
  const { settings, onChange, onReset, group, groups, system, parameters } = props;
  const { t } = useTranslation('playground');
  const presets = useSavedViews('playground-presets', readPreset);
  const offered = offeredParameters(parameters);
  const ratio = groups[group]?.ratio;
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
      {offered.hasTemperature ? <Temperature {...props} isNarrow={offered.isNarrow} /> : null}
      <Field
        label={t('parameters.maxTokens')}
        htmlFor="playground-max-tokens"
        fact={t('parameters.maxTokensHint')}
        hint={
          offered.maxOutput > 0
            ? t('parameters.most', { count: offered.maxOutput, tokens: groupDigits(offered.maxOutput) })
            : undefined
        }
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
      <ExtraParameters settings={settings} onChange={onChange} offered={offered} />
      <OutputFields settings={settings} onChange={onChange} />
      <Button variant="subtle" onClick={onReset}>
        {t('parameters.reset')}
      </Button>
    </div>
  );
}

function Temperature({
  settings,
  onChange,
  parameters,
  isNarrow,
}: Pick<ParametersProps, 'settings' | 'onChange' | 'parameters'> & { isNarrow: boolean }) {
  const { t } = useTranslation('playground');
  const range = settings.isExtended && !isNarrow ? EXTENDED_TEMPERATURE : TEMPERATURE;
  const setTemperature = (temperature: number) =>
    onChange({ ...settings, temperature: Number(temperature.toFixed(1)) });
  const without = leftOut('temperature', settings, parameters);
  return (
    <Field
      label={t('parameters.temperature')}
      fact={
        isNarrow ? undefined : (
          <Switch
            label={t('parameters.extended')}
            labelPosition="left"
            checked={settings.isExtended}
            onChange={(event) => onChange(withRange(settings, event.currentTarget.checked))}
          />
        )
      }
      hint={without.length > 0 ? t('parameters.notSent', { models: without.join(', ') }) : undefined}
    >
      <div className={classes.slider}>
        <Slider
          min={range.min}
          max={range.max}
          step={TEMPERATURE.step}
          value={Math.min(range.max, settings.temperature)}
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
          value={Math.min(range.max, settings.temperature)}
          onChange={(value) => typeof value === 'number' && value >= range.min && setTemperature(value)}
        />
      </div>
    </Field>
  );
}
