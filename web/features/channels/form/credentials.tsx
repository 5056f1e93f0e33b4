/** The key: one, one per line for several channels, or JSON credentials. A stored key is never shown here. */
import { Checkbox, PasswordInput, Textarea, TextInput } from '@mantine/core';
import { useId, useState } from 'react';
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
  const keyId = useId();
  const organizationId = useId();
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
    id: keyId,
    value: form.values.key,
    placeholder: type?.key_format || t('form.keyPlaceholder'),
    autoComplete: 'off',
    spellCheck: false,
    error: Boolean(form.errorOf('key')),
    'aria-invalid': Boolean(form.errorOf('key')),
    'aria-required': channel === undefined,
    onBlur: () => {
      if (form.values.key !== '') form.leave('key');
    },
  };
  return (
    <div className={`stack12 ${layout.stack}`}>
      <Field
        label={t('form.key')}
        htmlFor={keyId}
        required={channel === undefined}
        error={form.errorOf('key')}
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
            onChange={(event) => form.set('key', event.currentTarget.value)}
          />
        ) : (
          <PasswordInput
            {...shared}
            // Browsers would offer the operator's own password here.
            autoComplete="new-password"
            visibilityToggleButtonProps={{ 'aria-label': t('form.showKey') }}
            onChange={(event) => form.set('key', event.currentTarget.value)}
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
        <Field
          label={t('form.organization')}
          htmlFor={organizationId}
          error={form.errorOf('openai_organization')}
        >
          <TextInput
            id={organizationId}
            error={Boolean(form.errorOf('openai_organization'))}
            value={form.values.openai_organization}
            placeholder="org-…"
            autoComplete="off"
            onChange={(event) => form.set('openai_organization', event.currentTarget.value)}
          />
        </Field>
      ) : null}
    </div>
  );
}
