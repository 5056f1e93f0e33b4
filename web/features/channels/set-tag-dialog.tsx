/** Puts one tag on the selected channels. */
import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ChannelView } from '#contract/channel-fields.ts';
import { DialogFrame } from '#web/ui/feedback/dialog-frame.tsx';
import classes from './dialogs.module.css';

interface SetTagDialogProps {
  channels: readonly ChannelView[];
  onSave: (tag: string) => void;
  onClose: () => void;
}

export function SetTagDialog({ channels, onSave, onClose }: SetTagDialogProps) {
  const { t } = useTranslation('channels');
  const { t: common } = useTranslation('ui');
  const [tag, setTag] = useState('');
  const [tried, setTried] = useState(false);
  const isEmpty = tag.trim() === '';
  return (
    <DialogFrame onClose={onClose} title={t('setTag.title', { count: channels.length })}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          setTried(true);
          if (!isEmpty) onSave(tag.trim());
        }}
      >
        <TextInput
          data-autofocus
          label={t('form.tag')}
          value={tag}
          maxLength={64}
          autoComplete="off"
          error={tried && isEmpty ? t('message.tagEmpty') : undefined}
          onChange={(event) => setTag(event.currentTarget.value)}
        />
        <div className={classes.actions}>
          <Button variant="default" onClick={onClose}>
            {common('action.cancel')}
          </Button>
          <Button type="submit">{t('setTag.save')}</Button>
        </div>
      </form>
    </DialogFrame>
  );
}
