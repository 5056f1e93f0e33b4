/** The password: whether there is one, and how to change it. */
import { Button, PasswordInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { SecurityView } from '#contract/admin/security.ts';
import { PASSWORD_MIN_CHARACTERS } from '#contract/admin/session.ts';
import { api } from '#web/api.ts';
import { toast } from '#web/ui/feedback/toast.tsx';
import { useForm } from '#web/ui/input/use-form.ts';
import { PersonalDialog } from './dialog.tsx';
import { Row } from './block.tsx';
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
  const form = useForm({
    begin: () => ({ original_password: '', password: '', again: '' }),
    unguarded: ['original_password', 'password', 'again'],
    problemsOf: ({ original_password, password, again }) => ({
      original_password: original_password === '' ? t('password.originalRequired') : undefined,
      password:
        password === ''
          ? t('password.required')
          : Array.from(password).length < PASSWORD_MIN_CHARACTERS
            ? t('password.tooShort')
            : undefined,
      again: password === again ? undefined : t('password.differ'),
    }),
    send: ({ original_password, password }) =>
      api.users.changeSelf({ body: { original_password, password } }),
    onSent: () => {
      toast.success(t('password.done'));
      onClose();
    },
    refresh: [SESSIONS_KEY],
  });
  const toggle = { visibilityToggleButtonProps: { 'aria-label': ui('secret.reveal') } };
  return (
    <PersonalDialog
      title={t('password.change')}
      submitLabel={t('password.change')}
      form={form}
      onClose={onClose}
    >
      {/* Password managers store under this name. */}
      <input type="text" autoComplete="username" value={username} readOnly hidden />
      <PasswordInput
        {...toggle}
        {...form.field('original_password')}
        data-autofocus
        label={t('password.original')}
        autoComplete="current-password"
      />
      <PasswordInput
        {...toggle}
        {...form.field('password')}
        label={t('password.next')}
        description={t('password.hint')}
        autoComplete="new-password"
      />
      <PasswordInput
        {...toggle}
        {...form.field('again')}
        label={t('password.again')}
        autoComplete="new-password"
      />
    </PersonalDialog>
  );
}
