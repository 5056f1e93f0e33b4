/** /login: all its states on one card; after the login back to the page asked for. */
import { Button, TextInput } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { getRouteApi, Link, useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, queryClient } from '#web/api.ts';
import { ApiError } from '#web/api/errors.ts';
import { storeUser } from '#web/api/session.ts';
import { useStatus } from '#web/api/status.ts';
import { NoticeBox } from '#web/ui/feedback/notice.tsx';
import { toast } from '#web/ui/feedback/toast.tsx';
import { AccountFrame } from './account-frame.tsx';
import { HumanCheck } from './human-check.tsx';
import { nextPage } from './next-page.ts';
import { hasOutsideLogins, OutsideLogins } from './outside-logins.tsx';
import { PasswordField } from './password-field.tsx';
import { useCountdown } from '#web/ui/login/use-countdown.ts';
import classes from './account.module.css';

const route = getRouteApi('/login');

export function LoginPage() {
  const { t } = useTranslation('account');
  useDocumentTitle(t('login.title'));
  const { expired, next } = route.useSearch();
  const router = useRouter();
  const status = useStatus();
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const [problem, setProblem] = useState('');
  const [human, setHuman] = useState('');
  const [waitSeconds, startWait] = useCountdown();

  const login = useMutation({
    mutationFn: () =>
      api.session.login({ body: { username, password }, query: { turnstile: human || undefined } }),
    onSuccess: (user) => {
      queryClient.removeQueries({ queryKey: ['self'] });
      storeUser(user);
      toast.success(t('login.success'));
      router.history.push(nextPage(next));
    },
    onError: (error) => {
      // A human check is good for one try.
      setHuman('');
      if (error instanceof ApiError && error.retryAfterSeconds) startWait(error.retryAfterSeconds);
    },
  });

  const submit = () => {
    if (!username.trim() || !password) return setProblem(t('login.required'));
    if (status?.turnstile_check && !human) return void toast.info(t('human.wait'));
    setProblem('');
    return login.mutate();
  };

  const passwordLogin = status?.password_login_enabled !== false;
  return (
    <AccountFrame>
      <h1 className={classes.title}>{t('login.title')}</h1>
      {status?.register_enabled === false ? null : (
        <p className={classes.lead}>
          {t('login.noAccount')} <Link to="/register">{t('login.toRegister')}</Link>
        </p>
      )}
      {expired ? <NoticeBox tone="session">{t('login.expired')}</NoticeBox> : null}
      {passwordLogin ? (
        <form
          className={classes.form}
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            submit();
          }}
        >
          <TextInput
            size="md"
            label={t('login.username')}
            name="username"
            autoComplete="username"
            autoCapitalize="none"
            autoFocus
            value={username}
            error={problem && !username.trim() ? problem : undefined}
            onChange={(event) => setUsername(event.currentTarget.value)}
          />
          <PasswordField
            label={t('login.password')}
            name="password"
            autoComplete="current-password"
            value={password}
            error={problem && username.trim() && !password ? problem : undefined}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
          {status?.turnstile_check ? (
            <HumanCheck siteKey={status.turnstile_site_key} token={human} onToken={setHuman} />
          ) : null}
          <Button type="submit" size="md" fullWidth loading={login.isPending} disabled={waitSeconds > 0}>
            {waitSeconds > 0 ? t('login.waitSeconds', { seconds: waitSeconds }) : t('login.submit')}
          </Button>
        </form>
      ) : (
        <NoticeBox tone="info">{t('login.onlyOther')}</NoticeBox>
      )}
      {status && hasOutsideLogins(status) ? (
        <>
          <p className={classes.divider}>
            <span>{t('login.otherWays')}</span>
          </p>
          <OutsideLogins status={status} />
        </>
      ) : null}
    </AccountFrame>
  );
}
