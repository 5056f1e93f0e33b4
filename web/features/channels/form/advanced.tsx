/** Rarely used fields: test model, automatic disabling, extra settings, overrides. */
import { MultiSelect, NumberInput, Select, Switch, Textarea, UnstyledButton } from '@mantine/core';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { isJsonObject } from '#contract/relay/channel-fields.ts';
import { chosenFormats, FORMAT_NAMES, withFormats } from '#web/features/channels/formats.ts';
import { Field } from '#web/ui/input/field.tsx';
import layout from '#web/ui/input/form.module.css';
import type { ChannelForm } from './use-channel-form.ts';
import classes from './form.module.css';

const TEMPLATES = {
  setting: { force_format: true },
  param_override: { temperature: 0.7 },
  header_override: { 'X-Title': 'Tollgate' },
} as const;

type JsonField = keyof typeof TEMPLATES;

function JsonTextarea({
  form,
  name,
  label,
  hint,
}: {
  form: ChannelForm;
  name: JsonField;
  label: string;
  hint: string;
}) {
  const { t } = useTranslation('channels');
  const template = JSON.stringify(TEMPLATES[name], null, 2);
  return (
    <Field
      {...form.row(name)}
      label={label}
      hint={hint}
      fact={
        <UnstyledButton
          className={layout.tallLink}
          aria-label={`${t('form.template')}: ${label}`}
          onClick={() => form.set(name, template)}
        >
          {t('form.template')}
        </UnstyledButton>
      }
    >
      <Textarea
        {...form.control(name)}
        autosize
        minRows={2}
        maxRows={10}
        spellCheck={false}
        classNames={{ input: classes.code }}
        placeholder={template}
      />
    </Field>
  );
}

/** Part of the setting: what the upstream has, when the operator knows better than the gateway. */
function Formats({ form }: { form: ChannelForm }) {
  const { t } = useTranslation('channels');
  const id = useId();
  const { setting } = form.values;
  const chosen = chosenFormats(setting);
  return (
    <Field label={t('form.formats')} htmlFor={id} hint={t('form.formatsHint')}>
      <MultiSelect
        id={id}
        clearable
        disabled={setting.trim() !== '' && !isJsonObject(setting)}
        data={Object.entries(FORMAT_NAMES).map(([value, label]) => ({ value, label }))}
        value={chosen}
        placeholder={chosen.length === 0 ? t('form.formatsAutomatic') : undefined}
        onChange={(formats) => form.set('setting', withFormats(setting, formats))}
      />
    </Field>
  );
}

export function Advanced({ form }: { form: ChannelForm }) {
  const { t } = useTranslation('channels');
  const { models, test_model } = form.values;
  const testModels = test_model === '' || models.includes(test_model) ? [...models] : [test_model, ...models];
  return (
    <div className={`stack12 ${layout.stack}`}>
      <div className={`pair ${layout.pairOrColumn}`}>
        <Field label={t('form.testModel')} {...form.row('test_model')}>
          <Select
            {...form.control('test_model')}
            searchable
            clearable
            limit={100}
            data={testModels}
            value={test_model || null}
            placeholder={t('form.testModelPlaceholder')}
            nothingFoundMessage={t('form.typeNone')}
          />
        </Field>
        <Field label={t('form.maxConcurrency')} {...form.row('max_concurrency')}>
          <NumberInput
            {...form.number('max_concurrency', 0)}
            min={0}
            max={1_000_000}
            allowDecimal={false}
            value={form.values.max_concurrency === 0 ? '' : form.values.max_concurrency}
            placeholder={t('form.unlimited')}
          />
        </Field>
      </div>
      <Switch {...form.checked('auto_ban')} label={t('form.autoBan')} description={t('form.autoBanHint')} />
      <Formats form={form} />
      <JsonTextarea form={form} name="setting" label={t('form.setting')} hint={t('form.settingHint')} />
      <JsonTextarea
        form={form}
        name="param_override"
        label={t('form.paramOverride')}
        hint={t('form.paramOverrideHint')}
      />
      <JsonTextarea
        form={form}
        name="header_override"
        label={t('form.headerOverride')}
        hint={t('form.headerOverrideHint')}
      />
    </div>
  );
}
