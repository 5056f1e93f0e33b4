/** /login: all its states on one card; afterwards back to the requested page. */
import { usePageTitle } from '#web/ui/page/document-title.ts';
import { getRouteApi, Link, useRouter } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useEffectEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { OutsideProvider } from '#contract/admin/outside-logins.ts';
import { needsSecondStep, type LoginAnswer } from '#contract/admin/session.ts';
import { storedUser } from '#web/api/session.ts';
import { useStatus } from '#web/api/status.ts';
import { loadPart } from '#web/ui/feedback/load-part.ts';
import { NoticeBox } from '#web/ui/feedback/notice.tsx';
import { AccountFrame } from '#web/features/account/account-frame.tsx';
import { LoginForm } from './login-form.tsx';
import type { LoginMethod } from './last-used.ts';
import { HOME_LANDING, nextPage } from './next-page.ts';
import { hasOutsideLogins, OutsideLogins } from '#web/features/account/outside/outside-logins.tsx';
import { hasPasskeys } from './passkey.ts';
import { SecondStep } from './second-step.tsx';
import { usePasskey } from './use-passkey.ts';
import { useSignedIn } from './use-signed-in.ts';
import classes from '#web/features/account/account.module.css';

const route = getRouteApi('/login');
const DemoAccounts = lazy(() => loadPart(() => import('./demo-accounts.tsx')));

const landingOf = (method: LoginMethod) =>
  method === 'wechat' || method === 'telegram' ? HOME_LANDING : undefined;

export function LoginPage() {
  const { t } = useTranslation('account');
  usePageTitle(t('login.title'));
  const { expired, next, username } = route.useSearch();
  const isSignedIn = useLeaveIfSignedIn(expired === true, next);
  const status = useStatus();
  /** How the first step was passed while the second is open. */
  const [halfway, setHalfway] = useState<LoginMethod>();
  const signedIn = useSignedIn(next);
  const passkey = usePasskey((user) => signedIn(user, 'passkey'));
  const take = (answer: LoginAnswer, method: OutsideProvider | 'password') => {
    if (needsSecondStep(answer)) setHalfway(method);
    else signedIn(answer, method, landingOf(method));
  };

  if (isSignedIn) return null;
  if (halfway) {
    return (
      <AccountFrame>
        <SecondStep
          onDone={(user) => signedIn(user, halfway, landingOf(halfway))}
          onBack={() => setHalfway(undefined)}
        />
      </AccountFrame>
    );
  }
  const byPasskey = hasPasskeys()
    ? { pending: passkey.isPending, onClick: () => passkey.mutate() }
    : undefined;
  return (
    <AccountFrame>
      <h1 className="amount">{t('login.title')}</h1>
      {status?.register_enabled === false ? null : (
        <p className={classes.lead}>
          {t('login.noAccount')}{' '}
          <Link to="/register" search={{ next }}>
            {t('login.toRegister')}
          </Link>
        </p>
      )}
      {expired ? <NoticeBox tone="session">{t('login.expired')}</NoticeBox> : null}
      {status?.demo_accounts ? (
        <Suspense>
          <DemoAccounts accounts={status.demo_accounts} onAnswer={(answer) => take(answer, 'password')} />
        </Suspense>
      ) : null}
      {status?.password_login_enabled === false ? (
        <NoticeBox tone="info">{t('login.onlyOther')}</NoticeBox>
      ) : (
        <LoginForm name={username} onAnswer={(answer) => take(answer, 'password')} />
      )}
      {status && (hasOutsideLogins(status) || byPasskey) ? (
        <>
          <p className={`row12 top4 note ${classes.divider}`}>
            <span>{t('login.otherWays')}</span>
          </p>
          <OutsideLogins status={status} next={next} onAnswer={take} passkey={byPasskey} />
        </>
      ) : null}
    </AccountFrame>
  );
}

/** A user who is signed in has nothing to do here; only the state at the opening of the page counts. */
function useLeaveIfSignedIn(isExpired: boolean, next: string | undefined): boolean {
  const router = useRouter();
  const [isSignedIn] = useState(() => !isExpired && storedUser() !== undefined);
  const leave = useEffectEvent(() => router.history.replace(nextPage(next)));
  useEffect(() => {
    if (isSignedIn) leave();
  }, [isSignedIn]);
  return isSignedIn;
}
