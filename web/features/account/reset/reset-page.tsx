/** /reset: asks for the mail with the reset link. The answer is the same whether or not the address has an account. */
import { Button, TextInput } from '@mantine/core';
import { usePageTitle } from '#web/ui/page/document-title.ts';
import { useMutation } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { RESEND_SECONDS } from '#contract/admin/session.ts';
import { api } from '#web/api.ts';
import { useStatus } from '#web/api/status.ts';
import { NoticeBox } from '#web/ui/feedback/notice.tsx';
import { toast } from '#web/ui/feedback/toast.tsx';
import { RefusalNotice, useRefusal } from '#web/ui/input/refusal.tsx';
import { useCountdown } from '#web/ui/login/use-countdown.ts';
import { askForHumanCheck } from '#web/ui/login/human-check-state.ts';
import { AccountForm } from '#web/features/account/account-form.tsx';
import { AccountFrame } from '#web/features/account/account-frame.tsx';
import { HumanCheck } from '#web/features/account/human-check.tsx';
import classes from '#web/features/account/account.module.css';

const route = getRouteApi('/reset');

export function ResetPage() {
  const { t } = useTranslation('account');
  usePageTitle(t('reset.title'));
  const status = useStatus();
  const search = route.useSearch();
  const [email, setEmail] = useState(search.email ?? '');
  const [asked, setAsked] = useState(false);
  const [human, setHuman] = useState('');
  const [waitSeconds, startWait] = useCountdown();
  const refusal = useRefusal(['email']);
  const send = useMutation({
    ...refusal.mutation,
    mutationFn: () => api.emails.resetMail({ query: { email: email.trim(), turnstile: human || undefined } }),
    // A token of the human check is valid for one call.
    onSettled: () => setHuman(''),
    onSuccess: () => {
      toast.success(t('reset.sent'));
      startWait(RESEND_SECONDS);
    },
  });
  const submit = () => {
    setAsked(true);
    if (!email.trim()) return;
    if (status?.turnstile_check && !human) askForHumanCheck(t('human.wait'));
    else send.mutate();
  };
  return (
    <AccountFrame>
      <h1 className="amount">{t('reset.title')}</h1>
      <p className={classes.lead}>
        {t('reset.lead')} <Link to="/login">{t('reset.toLogin')}</Link>
      </p>
      {send.isSuccess ? <NoticeBox tone="info">{t('reset.neutral')}</NoticeBox> : null}
      <AccountForm onSubmit={submit}>
        <TextInput
          size="md"
          label={t('reset.email')}
          name="email"
          type="email"
          autoComplete="email"
          autoFocus
          value={email}
          error={asked && !email.trim() ? t('register.emailRequired') : refusal.errorOf('email')}
          onChange={(event) => {
            setEmail(event.currentTarget.value);
            refusal.clear('email');
          }}
        />
        {status?.turnstile_check ? (
          <HumanCheck siteKey={status.turnstile_site_key} token={human} onToken={setHuman} />
        ) : null}
        <RefusalNotice refusal={refusal} />
        <Button type="submit" size="md" fullWidth loading={send.isPending} disabled={waitSeconds > 0}>
          {waitSeconds > 0 ? t('register.resendIn', { seconds: waitSeconds }) : t('reset.submit')}
        </Button>
      </AccountForm>
    </AccountFrame>
  );
}
