/** Email and the code sent to it; the button is disabled for 30 seconds after each mail. */
import { Button, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { RESEND_SECONDS } from '#contract/admin/session.ts';
import { api } from '#web/api.ts';
import { useStatus } from '#web/api/status.ts';
import { toast } from '#web/ui/feedback/toast.tsx';
import type { Fields } from '#web/ui/input/use-form.ts';
import { useCountdown } from '#web/ui/login/use-countdown.ts';
import { askForHumanCheck } from '#web/ui/login/human-check-state.ts';
import type { RegisterFields } from './register-rules.ts';
import classes from '#web/features/account/account.module.css';

interface EmailCodeProps {
  form: Fields<RegisterFields>;
  human: string;
  /** A token of the human check is valid for one call. */
  onHumanUsed: () => void;
}

export function EmailCode({ form, human, onHumanUsed }: EmailCodeProps) {
  const { t } = useTranslation('account');
  const status = useStatus();
  const [waitSeconds, startWait] = useCountdown();
  const email = form.values.email.trim();
  const send = useMutation({
    ...form.refusal.mutation,
    mutationFn: () => api.emails.verification({ query: { email, turnstile: human || undefined } }),
    onSettled: onHumanUsed,
    onSuccess: () => {
      toast.success(t('register.codeSent'));
      startWait(RESEND_SECONDS);
    },
  });
  const ask = () => {
    form.leave('email');
    if (!email) return;
    if (status?.turnstile_check && !human) askForHumanCheck(t('human.wait'));
    else send.mutate();
  };
  return (
    <>
      <div className={classes.emailRow}>
        <TextInput
          {...form.field('email')}
          size="md"
          label={t('register.email')}
          name="email"
          type="email"
          autoComplete="email"
        />
        <Button variant="default" size="md" disabled={waitSeconds > 0} loading={send.isPending} onClick={ask}>
          {waitSeconds > 0 ? t('register.resendIn', { seconds: waitSeconds }) : t('register.sendCode')}
        </Button>
      </div>
      <TextInput
        {...form.field('verification_code')}
        size="md"
        label={t('register.code')}
        name="code"
        autoComplete="one-time-code"
      />
    </>
  );
}
