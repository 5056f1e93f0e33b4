/** The control of each kind of option. */
import { SegmentedControl, Select, Switch, Textarea, TextInput, UnstyledButton } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { portForcesTls, type OptionField } from '#contract/options.ts';
import { api } from '#web/api.ts';
import { errorMessage } from '#web/api/errors.ts';
import { currentLanguage } from '#web/i18n/i18n.ts';
import { confirm } from '#web/ui/feedback/dialog-store.ts';
import { toast } from '#web/ui/feedback/toast.tsx';
import { ContentEditor } from './content-editor.tsx';
import { controlId } from '#web/features/settings/ids.ts';
import { OPTIONS_KEY } from '#web/features/settings/queries.ts';
import type { OptionsForm } from '#web/features/settings/use-options.ts';
import classes from './form.module.css';

interface ControlProps {
  field: OptionField;
  form: OptionsForm;
}

export function OptionControl({ field, form }: ControlProps) {
  const { key, kind } = field;
  const value = form.text(key);
  const invalid = form.errorOf(key) !== undefined;
  const set = (text: string) => form.set({ [key]: text });
  switch (kind) {
    case 'toggle':
      return <Toggle field={field} form={form} />;
    case 'choice':
      return <Choice field={field} form={form} />;
    case 'secret':
      return <Secret field={field} form={form} />;
    case 'multiline':
      return <ContentEditor field={field} form={form} />;
    case 'lines':
    case 'json':
      return (
        <Textarea
          id={controlId(key)}
          autosize
          minRows={kind === 'json' ? 2 : 4}
          maxRows={16}
          spellCheck={false}
          classNames={{ input: classes.code }}
          value={value}
          error={invalid}
          onChange={(event) => set(event.currentTarget.value)}
        />
      );
    default:
      return (
        <TextInput
          id={controlId(key)}
          className={kind === 'integer' || kind === 'number' ? classes.number : undefined}
          inputMode={kind === 'integer' ? 'numeric' : kind === 'number' ? 'decimal' : undefined}
          autoComplete="off"
          spellCheck={false}
          value={value}
          error={invalid}
          onChange={(event) => set(event.currentTarget.value)}
        />
      );
  }
}

function Toggle({ field, form }: ControlProps) {
  const { key } = field;
  const on = form.text(key) === 'true';
  const forced = key === 'SMTPSSLEnabled' && portForcesTls(form.text('SMTPPort'));
  return (
    <Switch
      id={controlId(key)}
      aria-label={field.label[currentLanguage()]}
      checked={on}
      disabled={forced}
      onChange={() => form.set({ [key]: String(!on) })}
    />
  );
}

/** With more choices than this the control is a select. */
const MOST_SEGMENTS = 5;

function Choice({ field, form }: ControlProps) {
  const { t, i18n } = useTranslation('settings');
  const { key, choices = [] } = field;
  // A choice without a word is the code of a currency.
  const data = choices.map((value) => ({
    value,
    label: i18n.exists(`choice.${value}`, { ns: 'settings' })
      ? t(`choice.${value}` as 'choice.hour')
      : value.toUpperCase(),
  }));
  if (choices.length > MOST_SEGMENTS) {
    return (
      <Select
        id={controlId(key)}
        className={classes.number}
        data={data}
        value={form.text(key)}
        allowDeselect={false}
        onChange={(value) => value && form.set({ [key]: value })}
      />
    );
  }
  return (
    <SegmentedControl
      id={controlId(key)}
      classNames={{ root: classes.segments, control: classes.segment }}
      aria-label={field.label[currentLanguage()]}
      data={data}
      value={form.text(key)}
      onChange={(value) => form.set({ [key]: value })}
    />
  );
}

/** Write-only: a blank field keeps the stored secret; a separate action removes it. */
function Secret({ field, form }: ControlProps) {
  const { t } = useTranslation('settings');
  const client = useQueryClient();
  const { key } = field;
  const label = field.label[currentLanguage()];
  const configured = form.secrets[key] === true;
  const clear = async () => {
    const sure = await confirm({
      title: t('field.clearSecretTitle', { label }),
      body: t('field.clearSecretBody'),
      confirmLabel: t('field.clearSecret'),
      danger: true,
    });
    if (!sure) return;
    try {
      await api.options.reset({ body: { key } });
      form.discard(key);
      toast.success(t('message.secretCleared', { label }));
    } catch (error) {
      toast.error(errorMessage(error));
    }
    await client.invalidateQueries({ queryKey: OPTIONS_KEY });
  };
  return (
    <div className={`row8 ${classes.secret}`}>
      <TextInput
        id={controlId(key)}
        type="password"
        autoComplete="new-password"
        placeholder={t(configured ? 'field.configured' : 'field.notConfigured')}
        value={form.text(key)}
        error={form.errorOf(key) !== undefined}
        onChange={(event) => form.set({ [key]: event.currentTarget.value })}
      />
      {configured ? (
        <UnstyledButton
          className={`inline4 small ${classes.link}`}
          aria-label={t('field.clearSecretTitle', { label })}
          onClick={() => void clear()}
        >
          {t('field.clearSecret')}
        </UnstyledButton>
      ) : null}
    </div>
  );
}
