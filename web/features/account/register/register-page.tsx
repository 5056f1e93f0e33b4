/** /register: rules are checked while typing; email and code are fields only where the operator requires them. */
import { Button, TextInput } from '@mantine/core';
import { usePageTitle } from '#web/ui/page/document-title.ts';
import { useMutation } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { needsSecondStep, type LoginAnswer } from '#contract/admin/session.ts';
import { api } from '#web/api.ts';
import { useStatus } from '#web/api/status.ts';
import { NoticeBox } from '#web/ui/feedback/notice.tsx';
import { toast } from '#web/ui/feedback/toast.tsx';
import { RefusalNotice, useRefusal } from '#web/ui/input/refusal.tsx';
import { askForHumanCheck } from '#web/ui/login/human-check-state.ts';
import { AccountForm } from '#web/features/account/account-form.tsx';
import { AccountFrame } from '#web/features/account/account-frame.tsx';
import { EmailCode } from './email-code.tsx';
import { HumanCheck } from '#web/features/account/human-check.tsx';
import { storedInvite, storeInvite } from './invite.ts';
import { HOME_LANDING } from '#web/features/account/login/next-page.ts';
import { hasOutsideSignUps, OutsideLogins } from '#web/features/account/outside/outside-logins.tsx';
import { PasswordField } from '#web/features/account/password/password-field.tsx';
import { PasswordMeter } from '#web/features/account/password/password-meter.tsx';
import { registerProblems, type RegisterFields } from './register-rules.ts';
import { SecondStep } from '#web/features/account/login/second-step.tsx';
import { useSignedIn } from '#web/features/account/login/use-signed-in.ts';
import classes from '#web/features/account/account.module.css';

const route = getRouteApi('/register');
const EMPTY: RegisterFields = { username: '', password: '', password2: '', email: '', verification_code: '' };

export function RegisterPage() {
  const { t } = useTranslation('account');
  usePageTitle(t('register.title'));
  const { aff } = route.useSearch();
  const navigate = useNavigate();
  const status = useStatus();
  const [fields, setFields] = useState(EMPTY);
  const [submitted, setSubmitted] = useState(false);
  const [human, setHuman] = useState('');
  const [halfway, setHalfway] = useState(false);
  const signedIn = useSignedIn(undefined);
  /** An outside login on this page may belong to an existing account. */
  const take = (answer: LoginAnswer) => {
    if (needsSecondStep(answer)) setHalfway(true);
    else signedIn(answer, 'wechat', HOME_LANDING);
  };
  useEffect(() => {
    if (aff) storeInvite(aff);
  }, [aff]);
  const invite = aff ?? storedInvite();

  const verification = status?.email_verification === true;
  const problems = registerProblems(fields, verification);
  const refusal = useRefusal(Object.keys(EMPTY) as (keyof RegisterFields)[]);
  const set = (name: keyof RegisterFields) => (event: { currentTarget: { value: string } }) => {
    setFields({ ...fields, [name]: event.currentTarget.value });
    refusal.clear(name);
  };
  /** A problem shows while typing; an empty or short field only after the first try. */
  const errorOf = (name: keyof RegisterFields) => {
    const problem = problems[name];
    return problem && (submitted || (fields[name] !== '' && problem !== 'tooShort'))
      ? t(`register.${problem}`)
      : refusal.errorOf(name);
  };

  const register = useMutation({
    ...refusal.mutation,
    mutationFn: () =>
      api.session.register({
        query: { turnstile: human || undefined },
        body: {
          username: fields.username.trim(),
          password: fields.password,
          password2: fields.password2,
          email: verification ? fields.email.trim() : undefined,
          verification_code: verification ? fields.verification_code.trim() : undefined,
          aff_code: invite || undefined,
        },
      }),
    onSuccess: async () => {
      toast.success(t('register.success'));
      await navigate({ to: '/login', search: { username: fields.username.trim() } });
    },
    onError: (error) => {
      setHuman('');
      refusal.mutation.onError(error);
    },
  });
  const submit = () => {
    setSubmitted(true);
    if (Object.keys(problems).length > 0) return;
    if (status?.turnstile_check && !human) askForHumanCheck(t('human.wait'));
    else register.mutate();
  };

  if (halfway) {
    return (
      <AccountFrame>
        <SecondStep
          onDone={(user) => signedIn(user, 'wechat', HOME_LANDING)}
          onBack={() => setHalfway(false)}
        />
      </AccountFrame>
    );
  }
  const closed = status?.register_enabled === false;
  const passwordClosed = status?.password_register_enabled === false;
  return (
    <AccountFrame>
      <h1 className="amount">{t('register.title')}</h1>
      <p className={classes.lead}>
        {t('register.hasAccount')} <Link to="/login">{t('register.toLogin')}</Link>
      </p>
      {invite && !closed ? (
        <NoticeBox tone="info">{t('register.invitedBy', { code: invite })}</NoticeBox>
      ) : null}
      {closed ? <NoticeBox tone="warning">{t('register.closed')}</NoticeBox> : null}
      {!closed && passwordClosed ? <NoticeBox tone="info">{t('register.passwordClosed')}</NoticeBox> : null}
      {closed || passwordClosed ? null : (
        <AccountForm onSubmit={submit}>
          <TextInput
            size="md"
            label={t('register.username')}
            description={t('register.usernameHint')}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            name="username"
            autoComplete="username"
            autoCapitalize="none"
            autoFocus
            value={fields.username}
            error={errorOf('username')}
            onChange={set('username')}
          />
          <div>
            <PasswordField
              label={t('register.password')}
              description={fields.password ? undefined : t('register.passwordHint')}
              inputWrapperOrder={['label', 'input', 'description', 'error']}
              name="password"
              autoComplete="new-password"
              value={fields.password}
              error={errorOf('password')}
              onChange={set('password')}
            />
            <PasswordMeter password={fields.password} username={fields.username} />
          </div>
          <PasswordField
            label={t('register.password2')}
            name="password2"
            autoComplete="new-password"
            value={fields.password2}
            error={errorOf('password2')}
            onChange={set('password2')}
          />
          {verification ? (
            <EmailCode
              email={fields.email}
              code={fields.verification_code}
              onEmail={set('email')}
              onCode={set('verification_code')}
              emailError={errorOf('email')}
              codeError={errorOf('verification_code')}
              human={human}
              onHumanUsed={() => setHuman('')}
              refusal={refusal}
            />
          ) : null}
          {status?.turnstile_check ? (
            <HumanCheck siteKey={status.turnstile_site_key} token={human} onToken={setHuman} />
          ) : null}
          <RefusalNotice refusal={refusal} />
          <Button type="submit" size="md" fullWidth loading={register.isPending}>
            {t('register.submit')}
          </Button>
        </AccountForm>
      )}
      {status && !closed && hasOutsideSignUps(status) ? (
        <>
          <p className={`row12 top4 note ${classes.divider}`}>
            <span>{t('login.otherWays')}</span>
          </p>
          <OutsideLogins status={status} onAnswer={take} forSignUp />
        </>
      ) : null}
    </AccountFrame>
  );
}
