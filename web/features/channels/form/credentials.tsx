/** The key: one, one per line for several channels, or JSON credentials. A stored key is never shown here. */
import { Checkbox, PasswordInput, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ChannelType, ChannelView } from '#contract/relay/channel-fields.ts';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { Field } from '#web/ui/input/field.tsx';
import layout from '#web/ui/input/form.module.css';
import { keyLines } from './values.ts';
import type { ChannelForm } from './use-channel-form.ts';
import classes from './form.module.css';

interface CredentialsProps {
  form: ChannelForm;
  type: ChannelType | undefined;
  channel: ChannelView | undefined;
}

export function Credentials({ form, type, channel }: CredentialsProps) {
  const { t } = useTranslation('channels');
  const [batch, setBatch] = useState(false);
  const isJson = type?.key_is_json ?? false;
  const many = batch && !isJson && channel === undefined;
  const { keys, duplicates } = keyLines(form.values.key);
  const hint = channel
    ? channel.key_hint
      ? t('form.keyKept', { hint: channel.key_hint })
      : t('form.keyKeptPlain')
    : undefined;
  const shared = {
    ...form.control('key'),
    placeholder: type?.key_format || t('form.keyPlaceholder'),
    autoComplete: 'off',
    spellCheck: false,
    'aria-required': channel === undefined,
  };
  return (
    <div className={`stack12 ${layout.stack}`}>
      <Field
        {...form.row('key')}
        label={t('form.key')}
        required={channel === undefined}
        hint={hint}
        fact={
          many ? (
            <span role="status">
              {t('form.keyCount', { count: keys })}
              {duplicates > 0 ? ` · ${t('form.keyDuplicates', { count: duplicates })}` : ''}
            </span>
          ) : undefined
        }
      >
        {many || isJson ? (
          <Textarea
            {...shared}
            autosize
            minRows={isJson ? 5 : 4}
            maxRows={12}
            wrap="off"
            classNames={{ input: classes.code }}
          />
        ) : (
          <PasswordInput
            {...shared}
            // Browsers would offer the operator's own password here.
            autoComplete="new-password"
            visibilityToggleButtonProps={{ 'aria-label': t('form.showKey') }}
          />
        )}
      </Field>
      {channel === undefined && !isJson ? (
        <Checkbox
          label={t('form.batch')}
          checked={batch}
          onChange={(event) => setBatch(event.currentTarget.checked)}
        />
      ) : null}
      {form.values.type === CHANNEL_TYPE.openAi ? (
        <Field label={t('form.organization')} {...form.row('openai_organization')}>
          <TextInput {...form.control('openai_organization')} placeholder="org-…" autoComplete="off" />
        </Field>
      ) : null}
    </div>
  );
}
