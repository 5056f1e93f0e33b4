/** Sets one tag on the selected channels. */
import { Button, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ChannelView } from '#contract/relay/channel-fields.ts';
import { CancelButton, DialogFrame } from '#web/ui/feedback/dialog-frame.tsx';
import { RefusalNotice, useRefusal } from '#web/ui/input/refusal.tsx';
import classes from './dialogs.module.css';

interface SetTagDialogProps {
  channels: readonly ChannelView[];
  onSave: (tag: string) => Promise<void>;
  onClose: () => void;
}

export function SetTagDialog({ channels, onSave, onClose }: SetTagDialogProps) {
  const { t } = useTranslation('channels');
  const [tag, setTag] = useState('');
  const [tried, setTried] = useState(false);
  const refusal = useRefusal(['tag']);
  const save = useMutation({ ...refusal.mutation, mutationFn: () => onSave(tag.trim()) });
  const isEmpty = tag.trim() === '';
  return (
    <DialogFrame onClose={onClose} title={t('setTag.title', { count: channels.length })}>
      <form
        noValidate
        className={`stack12 ${classes.form}`}
        onSubmit={(event) => {
          event.preventDefault();
          setTried(true);
          if (!isEmpty && !save.isPending) save.mutate();
        }}
      >
        <TextInput
          data-autofocus
          label={t('form.tag')}
          value={tag}
          maxLength={64}
          autoComplete="off"
          error={tried && isEmpty ? t('message.tagEmpty') : refusal.errorOf('tag')}
          onChange={(event) => {
            setTag(event.currentTarget.value);
            refusal.clear('tag');
          }}
        />
        <RefusalNotice refusal={refusal} />
        <div className={`buttons-below ${classes.actions}`}>
          <CancelButton />
          <Button type="submit" loading={save.isPending}>
            {t('setTag.save')}
          </Button>
        </div>
      </form>
    </DialogFrame>
  );
}
