/** Sets one tag on the selected channels. */
import { TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import limits from 'virtual:limits/channels.tagMany';
import type { ChannelView } from '#contract/relay/channel-fields.ts';
import { FormDialog } from '#web/ui/feedback/form-dialog.tsx';
import { useForm } from '#web/ui/input/use-form.ts';

interface SetTagDialogProps {
  channels: readonly ChannelView[];
  onSave: (tag: string) => Promise<void>;
  onClose: () => void;
}

export function SetTagDialog({ channels, onSave, onClose }: SetTagDialogProps) {
  const { t } = useTranslation('channels');
  const form = useForm({
    begin: () => ({ tag: '' }),
    limits,
    problemsOf: ({ tag }) => (tag.trim() === '' ? { tag: t('message.tagEmpty') } : {}),
    send: ({ tag }) => onSave(tag.trim()),
  });
  return (
    <FormDialog
      title={t('setTag.title', { count: channels.length })}
      submitLabel={t('setTag.save')}
      form={form}
      onClose={onClose}
    >
      <TextInput {...form.field('tag')} data-autofocus label={t('form.tag')} autoComplete="off" />
    </FormDialog>
  );
}
