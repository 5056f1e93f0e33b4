/** Shows a stored key to an operator who types their password again; hidden after half a minute. */
import { Button, PasswordInput } from '@mantine/core';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import type { ChannelView } from '#contract/relay/channel-fields.ts';
import { api } from '#web/api.ts';
import { copyText } from '#web/ui/copy/copy.ts';
import { REVEAL_SECONDS } from '#web/ui/copy/mask.ts';
import { toast } from '#web/ui/feedback/toast.tsx';
import { DialogFrame } from '#web/ui/feedback/dialog-frame.tsx';
import { FormDialog } from '#web/ui/feedback/form-dialog.tsx';
import { useForm } from '#web/ui/input/use-form.ts';
import classes from './dialogs.module.css';

export function RevealDialog({ channel, onClose }: { channel: ChannelView; onClose: () => void }) {
  const { t } = useTranslation('channels');
  const form = useForm({
    begin: () => ({ password: '' }),
    unguarded: ['password'],
    send: ({ password }) => api.channels.revealKey({ params: { id: channel.id }, body: { password } }),
  });
  const key = form.result?.key;
  useEffect(() => {
    if (key === undefined) return undefined;
    const timer = setTimeout(onClose, REVEAL_SECONDS * 1000);
    return () => clearTimeout(timer);
  }, [key, onClose]);
  const title = t('reveal.title', { name: channel.name });
  if (key === undefined)
    return (
      <FormDialog
        title={title}
        submitLabel={t('reveal.show')}
        disabled={form.values.password === ''}
        form={form}
        onClose={onClose}
      >
        <PasswordInput
          {...form.field('password')}
          data-autofocus
          label={t('reveal.password')}
          description={t('reveal.hint')}
          autoComplete="current-password"
        />
      </FormDialog>
    );
  return (
    <DialogFrame onClose={onClose} title={title}>
      <code className={classes.key}>{key}</code>
      <p className="top8 note">{t('reveal.hidden')}</p>
      <div className="buttons-below">
        <Button
          data-autofocus
          onClick={() => {
            void copyText(key).then((copied) => {
              if (copied) toast.success(t('message.keyCopied'));
              onClose();
            });
          }}
        >
          {t('reveal.copy')}
        </Button>
      </div>
    </DialogFrame>
  );
}
