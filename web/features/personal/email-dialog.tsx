/** Binds an email address, or another one: the address, the code sent to it, 30 seconds between two mails. */
import { Button, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type ComponentType } from 'react';
import { useTranslation } from 'react-i18next';
import { RESEND_SECONDS } from '#contract/admin/session.ts';
import type { StatusView } from '#contract/admin/site.ts';
import type { SelfView } from '#contract/admin/users.ts';
import { api } from '#web/api.ts';
import { selfQuery } from '#web/api/queries.ts';
import { toast } from '#web/ui/feedback/toast.tsx';
import { useRefusal } from '#web/ui/input/refusal.tsx';
import { useCountdown } from '#web/ui/login/use-countdown.ts';
import { askForHumanCheck } from '#web/ui/login/human-check-state.ts';
import { FormDialog } from './dialog.tsx';
import classes from './personal.module.css';

export interface HumanCheckProps {
  siteKey: string;
  token: string;
  onToken: (token: string) => void;
}

interface EmailDialogProps {
  self: SelfView;
  status: StatusView;
  HumanCheck: ComponentType<HumanCheckProps>;
  onClose: () => void;
}

export function EmailDialog({ self, status, HumanCheck, onClose }: EmailDialogProps) {
  const { t } = useTranslation('personal');
  const client = useQueryClient();
  const [email, setEmail] = useState('');
  const [code, setCode] = useState('');
  const [human, setHuman] = useState('');
  const [asked, setAsked] = useState({ email: false, code: false });
  const [waitSeconds, startWait] = useCountdown();
  const refusal = useRefusal(['email', 'code']);
  const send = useMutation({
    ...refusal.mutation,
    mutationFn: () =>
      api.emails.verification({ query: { email: email.trim(), ...(human ? { turnstile: human } : {}) } }),
    onSuccess: () => {
      toast.success(t('email.sent'));
      startWait(RESEND_SECONDS);
    },
  });
  const bind = useMutation({
    ...refusal.mutation,
    mutationFn: () => api.emails.bindEmail({ query: { email: email.trim(), code: code.trim() } }),
    onSuccess: () => {
      toast.success(t('email.done'));
      void client.invalidateQueries({ queryKey: selfQuery.queryKey });
      onClose();
    },
  });
  const ask = () => {
    setAsked((before) => ({ ...before, email: true }));
    if (email.trim() === '') return;
    if (status.turnstile_check && human === '') askForHumanCheck(t('email.human'));
    else send.mutate();
  };
  return (
    <FormDialog
      title={self.email ? t('email.changeTitle') : t('email.title')}
      submitLabel={t('email.submit')}
      busy={bind.isPending}
      refusal={refusal}
      onClose={onClose}
      onSubmit={() => {
        setAsked({ email: true, code: true });
        if (email.trim() !== '' && code.trim() !== '') bind.mutate();
      }}
    >
      <div className={`flex8 start ${classes.withButton}`}>
        <TextInput
          data-autofocus
          label={t('email.email')}
          type="email"
          autoComplete="email"
          value={email}
          error={asked.email && email.trim() === '' ? t('email.emailRequired') : refusal.errorOf('email')}
          onChange={(event) => {
            setEmail(event.currentTarget.value);
            refusal.clear('email');
          }}
        />
        <Button variant="default" disabled={waitSeconds > 0} loading={send.isPending} onClick={ask}>
          {waitSeconds > 0 ? t('email.resend', { seconds: waitSeconds }) : t('email.send')}
        </Button>
      </div>
      <TextInput
        label={t('email.code')}
        autoComplete="one-time-code"
        value={code}
        error={asked.code && code.trim() === '' ? t('email.codeRequired') : refusal.errorOf('code')}
        onChange={(event) => {
          setCode(event.currentTarget.value);
          refusal.clear('code');
        }}
      />
      {status.turnstile_check ? (
        <HumanCheck siteKey={status.turnstile_site_key} token={human} onToken={setHuman} />
      ) : null}
    </FormDialog>
  );
}
