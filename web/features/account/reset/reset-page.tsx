/** /reset: asks for the mail with the reset link. The answer is the same whether or not the address has an account. */
import { Button, TextInput } from '@mantine/core';
import { usePageTitle } from '#web/ui/page/document-title.ts';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { RESEND_SECONDS } from '#contract/admin/session.ts';
import { api } from '#web/api.ts';
import { useStatus } from '#web/api/status.ts';
import { NoticeBox } from '#web/ui/feedback/notice.tsx';
import { toast } from '#web/ui/feedback/toast.tsx';
import { FormElement } from '#web/ui/input/form-element.tsx';
import { RefusalNotice } from '#web/ui/input/refusal.tsx';
import { useForm } from '#web/ui/input/use-form.ts';
import { useCountdown } from '#web/ui/login/use-countdown.ts';
import { askForHumanCheck } from '#web/ui/login/human-check-state.ts';
import { AccountFrame } from '#web/features/account/account-frame.tsx';
import { HumanCheck } from '#web/features/account/human-check.tsx';
import classes from '#web/features/account/account.module.css';

const route = getRouteApi('/reset');

export function ResetPage() {
  const { t } = useTranslation('account');
  usePageTitle(t('reset.title'));
  const status = useStatus();
  const search = route.useSearch();
  const [human, setHuman] = useState('');
  const [waitSeconds, startWait] = useCountdown();
  const [isSent, setSent] = useState(false);
  const form = useForm({
    begin: () => ({ email: search.email ?? '' }),
    problemsOf: ({ email }) => (email.trim() ? {} : { email: t('register.emailRequired') }),
    mayCall: () => {
      if (!status?.turnstile_check || human) return true;
      askForHumanCheck(t('human.wait'));
      return false;
    },
    send: ({ email }) => {
      // A token of the human check is valid for one call.
      setHuman('');
      setSent(false);
      return api.emails.resetMail({ query: { email: email.trim(), turnstile: human || undefined } });
    },
    onSent: () => {
      setSent(true);
      toast.success(t('reset.sent'));
      startWait(RESEND_SECONDS);
    },
  });
  return (
    <AccountFrame>
      <h1 className="amount">{t('reset.title')}</h1>
      <p className={classes.lead}>
        {t('reset.lead')} <Link to="/login">{t('reset.toLogin')}</Link>
      </p>
      {isSent ? <NoticeBox tone="info">{t('reset.neutral')}</NoticeBox> : null}
      <FormElement form={form} className="stack14">
        <TextInput
          {...form.field('email')}
          size="md"
          label={t('reset.email')}
          name="email"
          type="email"
          autoComplete="email"
          autoFocus
        />
        {status?.turnstile_check ? (
          <HumanCheck siteKey={status.turnstile_site_key} token={human} onToken={setHuman} />
        ) : null}
        <RefusalNotice refusal={form.refusal} />
        <Button type="submit" size="md" fullWidth loading={form.isSending} disabled={waitSeconds > 0}>
          {waitSeconds > 0 ? t('register.resendIn', { seconds: waitSeconds }) : t('reset.submit')}
        </Button>
      </FormElement>
    </AccountFrame>
  );
}
