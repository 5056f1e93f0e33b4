/** The password: whether there is one, and how to change it. */
import { Button, PasswordInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { SecurityView } from '#contract/admin/security.ts';
import { PASSWORD_MIN_CHARACTERS } from '#contract/admin/session.ts';
import { api, queryClient } from '#web/api.ts';
import { toast } from '#web/ui/feedback/toast.tsx';
import { useRefusal } from '#web/ui/input/refusal.tsx';
import { Row } from './block.tsx';
import { FormDialog } from './dialog.tsx';
import { SESSIONS_KEY } from './queries.ts';

export function Password({ security, username }: { security: SecurityView; username: string }) {
  const { t } = useTranslation('personal');
  const [changing, setChanging] = useState(false);
  const { has_password } = security;
  return (
    <div className="stack">
      <Row
        name={t('password.title')}
        value={has_password ? t('password.set') : t('password.noPassword')}
        on={has_password}
      >
        {has_password ? (
          <Button variant="default" onClick={() => setChanging(true)}>
            {t('password.change')}
          </Button>
        ) : null}
      </Row>
      {changing ? <PasswordDialog username={username} onClose={() => setChanging(false)} /> : null}
    </div>
  );
}

function PasswordDialog({ username, onClose }: { username: string; onClose: () => void }) {
  const { t } = useTranslation('personal');
  const { t: ui } = useTranslation('ui');
  const [values, setValues] = useState({ original_password: '', password: '', again: '' });
  const [tried, setTried] = useState(false);
  const problems = {
    original_password: values.original_password === '' ? t('password.originalRequired') : undefined,
    password:
      values.password === ''
        ? t('password.required')
        : Array.from(values.password).length < PASSWORD_MIN_CHARACTERS
          ? t('password.tooShort')
          : undefined,
    again: values.password === values.again ? undefined : t('password.differ'),
  };
  const refusal = useRefusal(['original_password', 'password']);
  const save = useMutation({
    ...refusal.mutation,
    mutationFn: () => {
      const { again: _again, ...body } = values;
      return api.users.changeSelf({ body });
    },
    onSuccess: () => {
      toast.success(t('password.done'));
      void queryClient.invalidateQueries({ queryKey: SESSIONS_KEY });
      onClose();
    },
  });
  const errorOf = (name: keyof typeof values) =>
    (tried ? problems[name] : undefined) ?? (name === 'again' ? undefined : refusal.errorOf(name));
  const field = (name: keyof typeof values) => ({
    value: values[name],
    error: errorOf(name),
    'aria-invalid': errorOf(name) !== undefined,
    visibilityToggleButtonProps: { 'aria-label': ui('secret.reveal') },
    onChange: (event: { currentTarget: { value: string } }) => {
      const { value } = event.currentTarget;
      setValues((before) => ({ ...before, [name]: value }));
      if (name !== 'again') refusal.clear(name);
    },
  });
  return (
    <FormDialog
      title={t('password.change')}
      submitLabel={t('password.change')}
      busy={save.isPending}
      refusal={refusal}
      onClose={onClose}
      onSubmit={() => {
        setTried(true);
        if (Object.values(problems).every((problem) => problem === undefined)) save.mutate();
      }}
    >
      {/* Password managers store under this name. */}
      <input type="text" autoComplete="username" value={username} readOnly hidden />
      <PasswordInput
        {...field('original_password')}
        data-autofocus
        label={t('password.original')}
        autoComplete="current-password"
      />
      <PasswordInput
        {...field('password')}
        label={t('password.next')}
        description={t('password.hint')}
        autoComplete="new-password"
      />
      <PasswordInput {...field('again')} label={t('password.again')} autoComplete="new-password" />
    </FormDialog>
  );
}
