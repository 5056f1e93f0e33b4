/** /register: rules are checked while typing; email and code are fields only where the operator requires them. */
import { usePageTitle } from '#web/ui/page/document-title.ts';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { needsSecondStep, type LoginAnswer } from '#contract/admin/session.ts';
import { useStatus } from '#web/api/status.ts';
import { NoticeBox } from '#web/ui/feedback/notice.tsx';
import { AccountFrame } from '#web/features/account/account-frame.tsx';
import { storedInvite, storeInvite } from './invite.ts';
import { HOME_LANDING } from '#web/features/account/login/next-page.ts';
import { hasOutsideSignUps, OutsideLogins } from '#web/features/account/outside/outside-logins.tsx';
import { RegisterForm } from './register-form.tsx';
import { SecondStep } from '#web/features/account/login/second-step.tsx';
import { useSignedIn } from '#web/features/account/login/use-signed-in.ts';
import classes from '#web/features/account/account.module.css';

const route = getRouteApi('/register');

export function RegisterPage() {
  const { t } = useTranslation('account');
  usePageTitle(t('register.title'));
  const { aff, next } = route.useSearch();
  const status = useStatus();
  const [halfway, setHalfway] = useState(false);
  const signedIn = useSignedIn(next);
  /** An outside login on this page may belong to an existing account. */
  const take = (answer: LoginAnswer) => {
    if (needsSecondStep(answer)) setHalfway(true);
    else signedIn(answer, 'wechat', HOME_LANDING);
  };
  useEffect(() => {
    if (aff) storeInvite(aff);
  }, [aff]);
  const invite = aff ?? storedInvite();
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
        {t('register.hasAccount')}{' '}
        <Link to="/login" search={{ next }}>
          {t('register.toLogin')}
        </Link>
      </p>
      {invite && !closed ? (
        <NoticeBox tone="info">{t('register.invitedBy', { code: invite })}</NoticeBox>
      ) : null}
      {closed ? <NoticeBox tone="warning">{t('register.closed')}</NoticeBox> : null}
      {!closed && passwordClosed ? <NoticeBox tone="info">{t('register.passwordClosed')}</NoticeBox> : null}
      {closed || passwordClosed ? null : <RegisterForm invite={invite} next={next} />}
      {status && !closed && hasOutsideSignUps(status) ? (
        <>
          <p className={`row12 top4 note ${classes.divider}`}>
            <span>{t('login.otherWays')}</span>
          </p>
          <OutsideLogins status={status} next={next} onAnswer={take} forSignUp />
        </>
      ) : null}
    </AccountFrame>
  );
}
