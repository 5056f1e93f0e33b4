/** Name or email, password, and the human check where it is on. */
import { Button, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { LoginAnswer } from '#contract/admin/session.ts';
import { api } from '#web/api.ts';
import { ApiError } from '#web/api/errors.ts';
import { useStatus } from '#web/api/status.ts';
import { RefusalNotice, useRefusal } from '#web/ui/input/refusal.tsx';
import { useCountdown } from '#web/ui/login/use-countdown.ts';
import { askForHumanCheck } from '#web/ui/login/human-check-state.ts';
import { AccountForm } from '#web/features/account/account-form.tsx';
import { HumanCheck } from '#web/features/account/human-check.tsx';
import { PasswordField } from '#web/features/account/password/password-field.tsx';
import classes from '#web/features/account/account.module.css';

interface LoginFormProps {
  /** Filled in; the password takes the focus then. */
  name?: string;
  onAnswer: (answer: LoginAnswer) => void;
}

export function LoginForm({ name = '', onAnswer }: LoginFormProps) {
  const { t } = useTranslation('account');
  const status = useStatus();
  const [username, setUsername] = useState(name);
  const [password, setPassword] = useState('');
  const [problem, setProblem] = useState('');
  const [human, setHuman] = useState('');
  const [waitSeconds, startWait] = useCountdown();

  const refusal = useRefusal(['username', 'password']);
  const login = useMutation({
    ...refusal.mutation,
    mutationFn: () =>
      api.session.login({ body: { username, password }, query: { turnstile: human || undefined } }),
    onSuccess: onAnswer,
    onError: (error) => {
      // A token of the human check is valid for one call.
      setHuman('');
      refusal.mutation.onError(error);
      if (error instanceof ApiError && error.retryAfterSeconds) startWait(error.retryAfterSeconds);
    },
  });

  const submit = () => {
    if (!username.trim() || !password) return setProblem(t('login.required'));
    if (status?.turnstile_check && !human) return askForHumanCheck(t('human.wait'));
    setProblem('');
    return login.mutate();
  };

  return (
    <AccountForm onSubmit={submit}>
      <TextInput
        size="md"
        label={t('login.username')}
        name="username"
        autoComplete="username webauthn"
        autoCapitalize="none"
        autoFocus={name === ''}
        value={username}
        error={problem && !username.trim() ? problem : refusal.errorOf('username')}
        onChange={(event) => {
          setUsername(event.currentTarget.value);
          refusal.clear('username');
        }}
      />
      <div className="relative">
        <PasswordField
          label={t('login.password')}
          name="password"
          autoComplete="current-password"
          autoFocus={name !== ''}
          value={password}
          error={problem && username.trim() && !password ? problem : refusal.errorOf('password')}
          onChange={(event) => {
            setPassword(event.currentTarget.value);
            refusal.clear('password');
          }}
        />
        <Link to="/reset" className={classes.forgot}>
          {t('login.forgot')}
        </Link>
      </div>
      {status?.turnstile_check ? (
        <HumanCheck siteKey={status.turnstile_site_key} token={human} onToken={setHuman} />
      ) : null}
      <RefusalNotice refusal={refusal} />
      <Button type="submit" size="md" fullWidth loading={login.isPending} disabled={waitSeconds > 0}>
        {waitSeconds > 0 ? t('login.waitSeconds', { seconds: waitSeconds }) : t('login.submit')}
      </Button>
    </AccountForm>
  );
}
