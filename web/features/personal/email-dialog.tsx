/** Binds an email address, or another one: the address, the code sent to it, 30 seconds between two mails. */
import { Button, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type ComponentType } from 'react';
import { useTranslation } from 'react-i18next';
import { RESEND_SECONDS } from '#contract/admin/session.ts';
import type { StatusView } from '#contract/admin/site.ts';
import type { SelfView } from '#contract/admin/users.ts';
import { api } from '#web/api.ts';
import { selfQuery } from '#web/api/queries.ts';
import { toast } from '#web/ui/feedback/toast.tsx';
import { useForm } from '#web/ui/input/use-form.ts';
import { useCountdown } from '#web/ui/login/use-countdown.ts';
import { askForHumanCheck } from '#web/ui/login/human-check-state.ts';
import { PersonalDialog } from './dialog.tsx';
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
  const [human, setHuman] = useState('');
  const [waitSeconds, startWait] = useCountdown();
  const form = useForm({
    begin: () => ({ email: '', code: '' }),
    problemsOf: ({ email, code }) => ({
      email: email.trim() === '' ? t('email.emailRequired') : undefined,
      code: code.trim() === '' ? t('email.codeRequired') : undefined,
    }),
    send: ({ email, code }) => api.emails.bindEmail({ query: { email: email.trim(), code: code.trim() } }),
    onSent: () => {
      toast.success(t('email.done'));
      onClose();
    },
    refresh: [selfQuery.queryKey],
  });
  const email = form.values.email.trim();
  const mail = useMutation({
    ...form.refusal.mutation,
    mutationFn: () => api.emails.verification({ query: { email, ...(human ? { turnstile: human } : {}) } }),
    onSuccess: () => {
      toast.success(t('email.sent'));
      startWait(RESEND_SECONDS);
    },
  });
  const ask = () => {
    form.leave('email');
    if (email === '') return;
    if (status.turnstile_check && human === '') askForHumanCheck(t('email.human'));
    else mail.mutate();
  };
  return (
    <PersonalDialog
      title={self.email ? t('email.changeTitle') : t('email.title')}
      submitLabel={t('email.submit')}
      form={form}
      onClose={onClose}
    >
      <div className={`flex8 start ${classes.withButton}`}>
        <TextInput
          {...form.field('email')}
          data-autofocus
          label={t('email.email')}
          type="email"
          autoComplete="email"
        />
        <Button variant="default" disabled={waitSeconds > 0} loading={mail.isPending} onClick={ask}>
          {waitSeconds > 0 ? t('email.resend', { seconds: waitSeconds }) : t('email.send')}
        </Button>
      </div>
      <TextInput {...form.field('code')} label={t('email.code')} autoComplete="one-time-code" />
      {status.turnstile_check ? (
        <HumanCheck siteKey={status.turnstile_site_key} token={human} onToken={setHuman} />
      ) : null}
    </PersonalDialog>
  );
}
