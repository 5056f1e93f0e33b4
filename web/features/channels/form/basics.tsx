/** Type, name and address of a channel, with the fields its type needs. */
import {
  Autocomplete,
  Button,
  NumberInput,
  Popover,
  Textarea,
  TextInput,
  UnstyledButton,
} from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { PRIORITY_MAX, PRIORITY_MIN, WEIGHT_MAX, type ChannelType } from '#contract/relay/channel-fields.ts';
import { languageOf } from '#contract/language.ts';
import { privateAddressesOf } from '#web/api/errors.ts';
import { AllowAddress } from '#web/features/channels/allow-address.tsx';
import { NoticeBox } from '#web/ui/feedback/notice.tsx';
import { toast } from '#web/ui/feedback/toast.tsx';
import { Field } from '#web/ui/input/field.tsx';
import layout from '#web/ui/input/form.module.css';
import { modelsForType } from './model-list.ts';
import { recognise } from './recognise.ts';
import { TypeChooser } from './type-chooser.tsx';
import type { ChannelForm } from './use-channel-form.ts';
import classes from './form.module.css';

interface BasicsProps {
  form: ChannelForm;
  types: readonly ChannelType[];
  tags: readonly string[];
  isNew: boolean;
}

export function Basics({ form, types, tags, isNew }: BasicsProps) {
  const { t, i18n } = useTranslation('channels');
  const language = languageOf(i18n.language);
  const type = types.find((each) => each.type === form.values.type);
  const chooseType = (next: ChannelType) => {
    form.set('models', modelsForType(form.values.models, type, next));
    form.set('type', next.type);
  };
  return (
    <div className={`stack12 ${layout.stack}`}>
      <div className={`pair ${layout.pairOrColumn}`}>
        <Field label={t('form.type')} required error={form.errorOf('type')}>
          <TypeChooser types={types} value={form.values.type} onChange={chooseType} />
        </Field>
        <Field label={t('form.name')} {...form.row('name')} required>
          <TextInput
            {...form.control('name')}
            maxLength={100}
            placeholder={t('form.namePlaceholder')}
            autoComplete="off"
            aria-required
          />
        </Field>
      </div>
      {type && !type.is_ready ? (
        <NoticeBox tone="warning">{t('notReady', { name: type.name })}</NoticeBox>
      ) : null}
      {type?.note[language] ? <NoticeBox tone="info">{type.note[language]}</NoticeBox> : null}
      <Field
        label={type?.base_url_label[language] || t('form.baseUrl')}
        {...form.row('base_url')}
        required={type?.base_url_required}
        hint={isNew ? undefined : t('form.baseUrlHint')}
        fact={isNew ? <Paste form={form} types={types} /> : undefined}
      >
        <TextInput
          {...form.control('base_url')}
          inputMode="url"
          placeholder={type?.default_base_url || 'https://'}
          autoComplete="off"
          spellCheck={false}
          onBlur={() => {
            const tidy = form.values.base_url.trim().replace(/\/+$/, '');
            // Setting the same value would clear a refusal, and its button would be gone before the click arrives.
            if (tidy !== form.values.base_url) form.set('base_url', tidy);
          }}
        />
      </Field>
      {form.errorOf('base_url') || form.errorOf('setting') ? (
        <AllowAddress
          addresses={form.refusal.refused.errors.flatMap(privateAddressesOf)}
          onAllowed={() => form.refusal.clear()}
        />
      ) : null}
      {type?.other_label[language] ? (
        <Field label={type.other_label[language]} {...form.row('other')} required={type.other_required}>
          <TextInput {...form.control('other')} placeholder={type.other_example} autoComplete="off" />
        </Field>
      ) : null}
      <div className={classes.triple}>
        <Field label={t('form.tag')} {...form.row('tag')}>
          <Autocomplete
            {...form.control('tag')}
            data={[...tags]}
            maxLength={64}
            placeholder={t('form.tagPlaceholder')}
          />
        </Field>
        <Field label={t('form.priority')} {...form.row('priority')}>
          <NumberInput
            {...form.number('priority', 0)}
            min={PRIORITY_MIN}
            max={PRIORITY_MAX}
            allowDecimal={false}
          />
        </Field>
        <Field {...form.row('weight')} label={t('form.weight')}>
          <NumberInput
            {...form.number('weight')}
            max={WEIGHT_MAX}
            allowDecimal={false}
            // Below 0 becomes 0.
            onChange={(value) => form.set('weight', Math.max(0, Number(value) || 0))}
          />
        </Field>
      </div>
    </div>
  );
}

/** A pasted curl command or .env fills type, address and key. */
function Paste({ form, types }: { form: ChannelForm; types: readonly ChannelType[] }) {
  const { t } = useTranslation('channels');
  const [open, setOpen] = useState(false);
  const [text, setText] = useState('');
  const fill = () => {
    const found = recognise(text, types);
    if (Object.keys(found).length === 0) {
      toast.warning(t('paste.nothing'));
      return;
    }
    if (found.type !== undefined) form.set('type', found.type);
    form.set('base_url', found.base_url ?? '');
    if (found.key !== undefined) form.set('key', found.key);
    setText('');
    setOpen(false);
  };
  return (
    <Popover opened={open} onChange={setOpen} position="bottom-end" trapFocus withinPortal>
      <Popover.Target>
        <UnstyledButton className={layout.tallLink} onClick={() => setOpen(!open)}>
          {t('paste.open')}
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown aria-label={t('paste.open')}>
        <div className={`stack8 ${classes.paste}`}>
          <Textarea
            data-autofocus
            label={t('paste.label')}
            autosize
            minRows={4}
            maxRows={10}
            spellCheck={false}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
          <Button variant="light" disabled={text.trim() === ''} onClick={fill}>
            {t('paste.fill')}
          </Button>
        </div>
      </Popover.Dropdown>
    </Popover>
  );
}
