/** Email and the code sent to it; the button is disabled for 30 seconds after each mail. */
import { Button, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type ChangeEventHandler } from 'react';
import { useTranslation } from 'react-i18next';
import { RESEND_SECONDS } from '#contract/admin/session.ts';
import { api } from '#web/api.ts';
import { useStatus } from '#web/api/status.ts';
import { toast } from '#web/ui/feedback/toast.tsx';
import type { Refusal } from '#web/ui/input/refusal.tsx';
import { useCountdown } from '#web/ui/login/use-countdown.ts';
import { askForHumanCheck } from '#web/ui/login/human-check-state.ts';
import classes from '#web/features/account/account.module.css';

interface EmailCodeProps {
  email: string;
  code: string;
  onEmail: ChangeEventHandler<HTMLInputElement>;
  onCode: ChangeEventHandler<HTMLInputElement>;
  emailError?: string;
  codeError?: string;
  human: string;
  /** A token of the human check is valid for one call. */
  onHumanUsed: () => void;
  refusal: Refusal<'email'>;
}

export function EmailCode({
  email,
  code,
  onEmail,
  onCode,
  emailError,
  codeError,
  human,
  onHumanUsed,
  refusal,
}: EmailCodeProps) {
  const { t } = useTranslation('account');
  const status = useStatus();
  const [waitSeconds, startWait] = useCountdown();
  const [asked, setAsked] = useState(false);
  const send = useMutation({
    ...refusal.mutation,
    mutationFn: () =>
      api.emails.verification({ query: { email: email.trim(), turnstile: human || undefined } }),
    onSettled: onHumanUsed,
    onSuccess: () => {
      toast.success(t('register.codeSent'));
      startWait(RESEND_SECONDS);
    },
  });
  const ask = () => {
    setAsked(true);
    if (!email.trim()) return;
    if (status?.turnstile_check && !human) askForHumanCheck(t('human.wait'));
    else send.mutate();
  };
  const missing = asked && !email.trim() ? t('register.emailRequired') : undefined;
  return (
    <>
      <div className={classes.emailRow}>
        <TextInput
          size="md"
          label={t('register.email')}
          name="email"
          type="email"
          autoComplete="email"
          value={email}
          error={emailError ?? missing}
          onChange={onEmail}
        />
        <Button variant="default" size="md" disabled={waitSeconds > 0} loading={send.isPending} onClick={ask}>
          {waitSeconds > 0 ? t('register.resendIn', { seconds: waitSeconds }) : t('register.sendCode')}
        </Button>
      </div>
      <TextInput
        size="md"
        label={t('register.code')}
        name="code"
        autoComplete="one-time-code"
        value={code}
        error={codeError}
        onChange={onCode}
      />
    </>
  );
}
