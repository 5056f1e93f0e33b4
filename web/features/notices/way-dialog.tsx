/** Adds or changes a way: its fields as the server describes them, and the events it carries. */
import { Button, Checkbox, PasswordInput, SegmentedControl, Switch, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { sameValue } from '#contract/based-on.ts';
import { LANGUAGES, languageOf, type Language } from '#contract/language.ts';
import type {
  NoticeDestinationKindView,
  NoticeDestinationView,
  DestinationField,
} from '#contract/admin/notices.ts';
import { saveOnBase } from '#web/ui/conflict/save-on-base.ts';
import { FormDialog } from '#web/ui/feedback/form-dialog.tsx';
import { toast } from '#web/ui/feedback/toast.tsx';
import { useForm } from '#web/ui/input/use-form.ts';
import { useEventName } from './events.ts';
import { NOTICES_KEY, waysApi, type Receiver } from './queries.ts';
import classes from './notices.module.css';

interface WayDialogProps {
  receiver: Receiver;
  events: readonly string[];
  kind: NoticeDestinationKindView;
  /** Undefined: a new one. */
  way: NoticeDestinationView | undefined;
  onClose: () => void;
}

const LANGUAGE_NAMES: Record<Language, string> = { zh: '中文', en: 'English' };
const SECRET_BYTES = 24;

/** The fields of the config as the server names them, after `config.`. */
interface WayValues extends Record<`config.${string}`, string> {
  name: string;
  language: Language;
  events: readonly string[];
  is_enabled: boolean;
}

export function WayDialog({ receiver, events, kind, way: read, onClose }: WayDialogProps) {
  // A refetch of the ways must not change what is saved.
  const [way] = useState(read);
  const { t, i18n } = useTranslation('notices');
  const eventName = useEventName();
  const shown = languageOf(i18n.language);
  const isMail = kind.kind === 'mail';
  const title = kind.title[shown];
  const form = useForm<WayValues, unknown>({
    begin: () => ({
      name: way?.name ?? '',
      language: way?.language ?? shown,
      events: way?.events ?? events,
      is_enabled: way?.is_enabled ?? true,
      ...beginning(kind, way),
    }),
    aliases: Object.fromEntries(kind.fields.map(({ name }) => [name, `config.${name}` as const])),
    send: (values, { initial }) => {
      const calls = waysApi(receiver);
      const body = bodyOf(kind, values);
      if (!way) return calls.createWay({ body });
      const { config, ...others } = body;
      const isConfigEdited = !sameValue(config, bodyOf(kind, initial).config);
      return saveOnBase({
        body: { ...others, ...(isConfigEdited ? { config } : {}), based_on: baseOfWay(way) },
        send: (sent) => calls.changeWay({ params: { id: way.id }, body: sent }),
        labelOf: (field) => (field in LABELS ? t(LABELS[field as keyof typeof LABELS]) : field),
      });
    },
    onSent: (_saved, { name }) => {
      toast.success(t('ways.saved', { name: name || title }));
      onClose();
    },
    refresh: [NOTICES_KEY],
  });
  return (
    <FormDialog
      title={title}
      submitLabel={t('form.save')}
      width={480}
      className="stack14"
      buttons="buttons top2"
      form={form}
      onClose={onClose}
    >
      {isMail ? null : (
        <TextInput
          {...form.field('name')}
          label={t('form.name')}
          placeholder={title}
          maxLength={50}
          data-autofocus
        />
      )}
      {kind.fields.map((field) => (
        <ConfigField
          key={field.name}
          field={field}
          language={shown}
          isSet={way?.secrets_set.includes(field.name) ?? false}
          shownAs={way?.config[field.name] ?? ''}
          canGenerate={kind.kind === 'webhook' && field.name === 'secret'}
          {...form.field(`config.${field.name}`)}
        />
      ))}
      {isMail ? null : (
        <div>
          <span className={classes.label}>{t('form.language')}</span>
          <SegmentedControl
            aria-label={t('form.language')}
            {...form.choice('language')}
            data={LANGUAGES.map((value) => ({ value, label: LANGUAGE_NAMES[value] }))}
          />
        </div>
      )}
      <Checkbox.Group
        label={t('form.events')}
        value={[...form.values.events]}
        onChange={(chosen) => form.set('events', chosen)}
      >
        <div className={classes.events}>
          {events.map((event) => (
            <Checkbox key={event} size="xs" value={event} label={eventName(event)} />
          ))}
        </div>
      </Checkbox.Group>
      <Switch {...form.checked('is_enabled')} label={t('form.enabled')} />
    </FormDialog>
  );
}

interface ConfigFieldProps {
  field: DestinationField;
  language: Language;
  /** A secret has a stored value, which is kept while the field is blank. */
  isSet: boolean;
  shownAs: string;
  value: string;
  error: string | undefined;
  canGenerate: boolean;
  onChange: (value: string) => void;
}

function ConfigField(props: ConfigFieldProps) {
  const { field, language, isSet, shownAs, value, error, canGenerate, onChange } = props;
  const { t } = useTranslation('notices');
  const [isVisible, setVisible] = useState(false);
  const { is_secret, is_required, fallback, example, kind } = field;
  const kept = shownAs === '' ? t('form.kept') : t('form.keptAddress', { origin: shownAs });
  const common = {
    label: field.label[language],
    required: is_required && !isSet,
    placeholder: isSet ? kept : (fallback ?? example ?? ''),
    value,
    error,
    autoComplete: 'off',
    maxLength: 2000,
  };
  if (!is_secret || kind === 'address')
    return <TextInput {...common} onChange={(event) => onChange(event.currentTarget.value)} />;
  return (
    <div className={`flex8 start ${classes.secret}`}>
      <PasswordInput
        {...common}
        autoComplete="new-password"
        visible={isVisible}
        onVisibilityChange={setVisible}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      {canGenerate ? (
        <Button
          variant="default"
          onClick={() => {
            onChange(randomSecret());
            // The receiver's server needs it too.
            setVisible(true);
          }}
        >
          {t('form.generate')}
        </Button>
      ) : null}
    </div>
  );
}

const LABELS = {
  name: 'form.name',
  language: 'form.language',
  events: 'form.events',
  is_enabled: 'form.enabled',
  config: 'form.config',
} as const;

/** The config is compared by its version: it holds secrets, which the server does not send. */
function baseOfWay({ name, language, events, is_enabled, config_version }: NoticeDestinationView) {
  return { name, language, events, is_enabled, config: config_version };
}

function bodyOf({ kind, fields }: NoticeDestinationKindView, values: WayValues) {
  const { name, language, events, is_enabled } = values;
  const config = Object.fromEntries(
    fields.map((field) => [field.name, values[`config.${field.name}`] ?? '']),
  );
  // The server checks the names of the events.
  return { kind, name, language, events: events as never[], is_enabled, config };
}

/** Secrets begin blank: the server does not send them. */
function beginning(
  { fields }: NoticeDestinationKindView,
  way: NoticeDestinationView | undefined,
): Record<`config.${string}`, string> {
  return Object.fromEntries(
    fields.map(({ name, is_secret }) => [`config.${name}`, is_secret ? '' : (way?.config[name] ?? '')]),
  );
}

function randomSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(SECRET_BYTES));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
