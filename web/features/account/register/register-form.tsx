/** The fields of a new account. */
import { Button, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '#web/api.ts';
import { useStatus } from '#web/api/status.ts';
import { toast } from '#web/ui/feedback/toast.tsx';
import { FormElement } from '#web/ui/input/form-element.tsx';
import { RefusalNotice } from '#web/ui/input/refusal.tsx';
import { useForm } from '#web/ui/input/use-form.ts';
import { askForHumanCheck } from '#web/ui/login/human-check-state.ts';
import { HumanCheck } from '#web/features/account/human-check.tsx';
import { PasswordField } from '#web/features/account/password/password-field.tsx';
import { PasswordMeter } from '#web/features/account/password/password-meter.tsx';
import { storeUser } from '#web/api/session.ts';
import { useSignedIn } from '#web/features/account/login/use-signed-in.ts';
import { EmailCode } from './email-code.tsx';
import { enter, firstKeyPage } from './enter.ts';
import { registerProblems, type RegisterFields } from './register-rules.ts';

const EMPTY: RegisterFields = { username: '', password: '', password2: '', email: '', verification_code: '' };

interface RegisterFormProps {
  invite: string | undefined;
  /** The page to go to afterwards; a newcomer without one gets a first key. */
  next: string | undefined;
}

export function RegisterForm({ invite, next }: RegisterFormProps) {
  const { t } = useTranslation('account');
  const navigate = useNavigate();
  const status = useStatus();
  const signedIn = useSignedIn(next);
  const [human, setHuman] = useState('');
  const verification = status?.email_verification === true;
  const problemsOf = (values: RegisterFields) =>
    Object.fromEntries(
      Object.entries(registerProblems(values, verification)).map(([name, problem]) => [
        name,
        t(`register.${problem}`),
      ]),
    );
  const form = useForm({
    begin: () => EMPTY,
    unguarded: Object.keys(EMPTY) as (keyof RegisterFields)[],
    problemsOf,
    mayCall: () => {
      if (!status?.turnstile_check || human) return true;
      askForHumanCheck(t('human.wait'));
      return false;
    },
    send: ({ username, password, password2, email, verification_code }) =>
      api.session.register({
        query: { turnstile: human || undefined },
        body: {
          username: username.trim(),
          password,
          password2,
          email: verification ? email.trim() : undefined,
          verification_code: verification ? verification_code.trim() : undefined,
          aff_code: invite || undefined,
        },
      }),
    onSent: async (_user, { username, password }) => {
      toast.success(t('register.success'));
      // A token of the human check is valid for one call.
      const mayEnter = !status?.turnstile_check && status?.password_login_enabled !== false;
      const user = mayEnter ? await enter(username.trim(), password) : undefined;
      if (user) {
        // The first key is made in the name of the stored user.
        storeUser(user);
        signedIn(
          user,
          'password',
          next === undefined ? await firstKeyPage(t('register.firstKey')) : undefined,
        );
      } else await navigate({ to: '/login', search: { username: username.trim(), next } });
    },
    onRefused: () => {
      setHuman('');
      return undefined;
    },
  });
  const { values } = form;
  const problems = registerProblems(values, verification);
  /** A problem shows while typing; an empty or short field only after the first try. */
  const field = (name: keyof RegisterFields) => {
    const problem = values[name] === '' || problems[name] === 'tooShort' ? undefined : problems[name];
    return { ...form.field(name), error: problem ? t(`register.${problem}`) : form.errorOf(name) };
  };
  return (
    <FormElement form={form} className="stack14">
      <TextInput
        {...field('username')}
        size="md"
        label={t('register.username')}
        description={t('register.usernameHint')}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        name="username"
        autoComplete="username"
        autoCapitalize="none"
        autoFocus
      />
      <div>
        <PasswordField
          {...field('password')}
          label={t('register.password')}
          description={values.password ? undefined : t('register.passwordHint')}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          name="password"
          autoComplete="new-password"
        />
        <PasswordMeter password={values.password} username={values.username} />
      </div>
      <PasswordField
        {...field('password2')}
        label={t('register.password2')}
        name="password2"
        autoComplete="new-password"
      />
      {verification ? <EmailCode form={form} human={human} onHumanUsed={() => setHuman('')} /> : null}
      {status?.turnstile_check ? (
        <HumanCheck siteKey={status.turnstile_site_key} token={human} onToken={setHuman} />
      ) : null}
      <RefusalNotice refusal={form.refusal} />
      <Button type="submit" size="md" fullWidth loading={form.isSending}>
        {t('register.submit')}
      </Button>
    </FormElement>
  );
}
