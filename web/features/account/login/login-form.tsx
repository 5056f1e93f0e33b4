/** Name or email, password, and the human check where it is on. */
import { Button, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { LoginAnswer } from '#contract/admin/session.ts';
import { api } from '#web/api.ts';
import { ApiError } from '#web/api/errors.ts';
import { useStatus } from '#web/api/status.ts';
import { FormElement } from '#web/ui/input/form-element.tsx';
import { RefusalNotice } from '#web/ui/input/refusal.tsx';
import { useForm } from '#web/ui/input/use-form.ts';
import { useCountdown } from '#web/ui/login/use-countdown.ts';
import { askForHumanCheck } from '#web/ui/login/human-check-state.ts';
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
  const [human, setHuman] = useState('');
  const [waitSeconds, startWait] = useCountdown();
  const form = useForm({
    begin: () => ({ username: name, password: '' }),
    unguarded: ['username', 'password'],
    // One sentence about both, at the first that is blank.
    problemsOf: ({ username, password }) => {
      if (!username.trim()) return { username: t('login.required') };
      return password ? {} : { password: t('login.required') };
    },
    mayCall: () => {
      if (!status?.turnstile_check || human) return true;
      askForHumanCheck(t('human.wait'));
      return false;
    },
    send: (body) => api.session.login({ body, query: { turnstile: human || undefined } }),
    onSent: onAnswer,
    onRefused: (error) => {
      // A token of the human check is valid for one call.
      setHuman('');
      if (error instanceof ApiError && error.retryAfterSeconds) startWait(error.retryAfterSeconds);
      return undefined;
    },
  });
  return (
    <FormElement form={form} className="stack14">
      <TextInput
        {...form.field('username')}
        size="md"
        label={t('login.username')}
        name="username"
        autoComplete="username webauthn"
        autoCapitalize="none"
        autoFocus={name === ''}
      />
      <div className="relative">
        <PasswordField
          {...form.field('password')}
          label={t('login.password')}
          name="password"
          autoComplete="current-password"
          autoFocus={name !== ''}
        />
        <Link to="/reset" className={classes.forgot}>
          {t('login.forgot')}
        </Link>
      </div>
      {status?.turnstile_check ? (
        <HumanCheck siteKey={status.turnstile_site_key} token={human} onToken={setHuman} />
      ) : null}
      <RefusalNotice refusal={form.refusal} />
      <Button type="submit" size="md" fullWidth loading={form.isSending} disabled={waitSeconds > 0}>
        {waitSeconds > 0 ? t('login.waitSeconds', { seconds: waitSeconds }) : t('login.submit')}
      </Button>
    </FormElement>
  );
}
