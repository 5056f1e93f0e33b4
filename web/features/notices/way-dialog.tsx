/** Adds or changes a way: its fields as the server describes them, and the events it carries. */
import { Button, Checkbox, PasswordInput, SegmentedControl, Switch, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { sameValue } from '#contract/based-on.ts';
import { LANGUAGES, languageOf, type Language } from '#contract/language.ts';
import type {
  NoticeDestinationKindView,
  NoticeDestinationView,
  DestinationField,
} from '#contract/admin/notices.ts';
import { CancelButton, DialogFrame } from '#web/ui/feedback/dialog-frame.tsx';
import { saveOnBase } from '#web/ui/conflict/save-on-base.ts';
import { toast } from '#web/ui/feedback/toast.tsx';
import { RefusalNotice, useRefusal } from '#web/ui/input/refusal.tsx';
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

export function WayDialog({ receiver, events, kind, way: read, onClose }: WayDialogProps) {
  // A refetch of the ways must not change what is saved.
  const [way] = useState(read);
  const { t, i18n } = useTranslation('notices');
  const client = useQueryClient();
  const eventName = useEventName();
  const shown = languageOf(i18n.language);
  const [name, setName] = useState(way?.name ?? '');
  const [language, setLanguage] = useState<Language>(way?.language ?? shown);
  const [chosen, setChosen] = useState<readonly string[]>(way?.events ?? events);
  const [isEnabled, setEnabled] = useState(way?.is_enabled ?? true);
  const [config, setConfig] = useState<Record<string, string>>(() => beginning(kind, way));
  const refusal = useRefusal(kind.fields.map((field) => field.name));
  const isMail = kind.kind === 'mail';
  const title = kind.title[shown];
  const save = useMutation({
    ...refusal.mutation,
    mutationFn: () => {
      const calls = waysApi(receiver);
      // The server checks the names of the events.
      const body = {
        kind: kind.kind,
        name,
        language,
        events: chosen as never[],
        is_enabled: isEnabled,
      };
      if (!way) return calls.createWay({ body: { ...body, config } });
      const isConfigEdited = !sameValue(config, beginning(kind, way));
      return saveOnBase({
        body: { ...body, ...(isConfigEdited ? { config } : {}), based_on: baseOfWay(way) },
        send: (sent) => calls.changeWay({ params: { id: way.id }, body: sent }),
        labelOf: (field) => (field in LABELS ? t(LABELS[field as keyof typeof LABELS]) : field),
      });
    },
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: NOTICES_KEY });
      toast.success(t('ways.saved', { name: name || title }));
      onClose();
    },
  });
  return (
    <DialogFrame title={title} width={480} onClose={onClose}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (!save.isPending) save.mutate();
        }}
      >
        <div className="stack14">
          {isMail ? null : (
            <TextInput
              label={t('form.name')}
              placeholder={title}
              value={name}
              maxLength={50}
              data-autofocus
              onChange={(event) => setName(event.currentTarget.value)}
            />
          )}
          {kind.fields.map((field) => (
            <ConfigField
              key={field.name}
              field={field}
              language={shown}
              isSet={way?.secrets_set.includes(field.name) ?? false}
              shownAs={way?.config[field.name] ?? ''}
              value={config[field.name] ?? ''}
              error={refusal.errorOf(field.name)}
              canGenerate={kind.kind === 'webhook' && field.name === 'secret'}
              onChange={(value) => {
                setConfig((before) => ({ ...before, [field.name]: value }));
                refusal.clear(field.name);
              }}
            />
          ))}
          {isMail ? null : (
            <div>
              <span className={classes.label}>{t('form.language')}</span>
              <SegmentedControl
                aria-label={t('form.language')}
                value={language}
                onChange={(value) => setLanguage(languageOf(value))}
                data={LANGUAGES.map((value) => ({ value, label: LANGUAGE_NAMES[value] }))}
              />
            </div>
          )}
          <Checkbox.Group label={t('form.events')} value={[...chosen]} onChange={setChosen}>
            <div className={classes.events}>
              {events.map((event) => (
                <Checkbox key={event} size="xs" value={event} label={eventName(event)} />
              ))}
            </div>
          </Checkbox.Group>
          <Switch
            label={t('form.enabled')}
            checked={isEnabled}
            onChange={(event) => setEnabled(event.currentTarget.checked)}
          />
          <RefusalNotice refusal={refusal} />
        </div>
        <div className="buttons-below">
          <CancelButton />
          <Button type="submit" loading={save.isPending}>
            {t('form.save')}
          </Button>
        </div>
      </form>
    </DialogFrame>
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

/** Secrets begin blank: the server does not send them. */
function beginning(
  kind: NoticeDestinationKindView,
  way: NoticeDestinationView | undefined,
): Record<string, string> {
  const entries = kind.fields.map(({ name, is_secret }) => [
    name,
    is_secret ? '' : (way?.config[name] ?? ''),
  ]);
  return Object.fromEntries(entries) as Record<string, string>;
}

function randomSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(SECRET_BYTES));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
