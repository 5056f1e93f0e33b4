/** Shows a stored key to an operator who types their password again; hidden after half a minute. */
import { Button, PasswordInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ChannelView } from '#contract/relay/channel-fields.ts';
import { api } from '#web/api.ts';
import { copyText } from '#web/ui/copy/copy.ts';
import { REVEAL_SECONDS } from '#web/ui/copy/mask.ts';
import { toast } from '#web/ui/feedback/toast.tsx';
import { CancelButton, DialogFrame } from '#web/ui/feedback/dialog-frame.tsx';
import { RefusalNotice, useRefusal } from '#web/ui/input/refusal.tsx';
import classes from './dialogs.module.css';

export function RevealDialog({ channel, onClose }: { channel: ChannelView; onClose: () => void }) {
  const { t } = useTranslation('channels');
  const [password, setPassword] = useState('');
  const refusal = useRefusal(['password']);
  const reveal = useMutation({
    ...refusal.mutation,
    mutationFn: () => api.channels.revealKey({ params: { id: channel.id }, body: { password } }),
  });
  const key = reveal.data?.key;
  useEffect(() => {
    if (key === undefined) return undefined;
    const timer = setTimeout(onClose, REVEAL_SECONDS * 1000);
    return () => clearTimeout(timer);
  }, [key, onClose]);
  return (
    <DialogFrame onClose={onClose} title={t('reveal.title', { name: channel.name })}>
      {key === undefined ? (
        <form
          noValidate
          className={`stack12 ${classes.form}`}
          onSubmit={(event) => {
            event.preventDefault();
            if (password !== '' && !reveal.isPending) reveal.mutate();
          }}
        >
          <PasswordInput
            data-autofocus
            label={t('reveal.password')}
            description={t('reveal.hint')}
            autoComplete="current-password"
            value={password}
            error={refusal.errorOf('password')}
            aria-invalid={refusal.errorOf('password') !== undefined}
            onChange={(event) => {
              setPassword(event.currentTarget.value);
              refusal.clear('password');
            }}
          />
          <RefusalNotice refusal={refusal} />
          <div className={`buttons-below ${classes.actions}`}>
            <CancelButton />
            <Button type="submit" loading={reveal.isPending} disabled={password === ''}>
              {t('reveal.show')}
            </Button>
          </div>
        </form>
      ) : (
        <>
          <code className={classes.key}>{key}</code>
          <p className="top8 note">{t('reveal.hidden')}</p>
          <div className={`buttons-below ${classes.actions}`}>
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
        </>
      )}
    </DialogFrame>
  );
}
