/** A dialog that cannot be closed while the super admin still uses the password generated at the first start. */
import { Button, Modal } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { PASSWORD_MIN_CHARACTERS, type SessionUser } from '#contract/admin/session.ts';
import { api } from '#web/api.ts';
import { storeUser } from '#web/api/session.ts';
import { toast } from '#web/ui/feedback/toast.tsx';
import { RefusalNotice, useRefusal } from '#web/ui/input/refusal.tsx';
import { AccountForm } from '#web/features/account/account-form.tsx';
import { PasswordField } from './password-field.tsx';
import { PasswordMeter } from './password-meter.tsx';
import classes from '#web/features/account/account.module.css';

interface FirstPasswordProps {
  user: SessionUser;
  onLogout: () => void;
}

export default function FirstPassword({ user, onLogout }: FirstPasswordProps) {
  const { t } = useTranslation('account');
  const cache = useQueryClient();
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const [again, setAgain] = useState('');
  const [submitted, setSubmitted] = useState(false);
  const tooShort = Array.from(next).length < PASSWORD_MIN_CHARACTERS;
  const refusal = useRefusal(['original_password', 'password']);
  const change = useMutation({
    ...refusal.mutation,
    mutationFn: () => api.users.changeSelf({ body: { original_password: current, password: next } }),
    onSuccess: async () => {
      storeUser({ ...user, password_is_initial: false });
      toast.success(t('firstPassword.done'));
      await cache.invalidateQueries({ queryKey: ['self'] });
    },
  });
  return (
    <Modal
      opened
      onClose={() => undefined}
      title={t('firstPassword.title')}
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      <p className={classes.dialogText}>{t('firstPassword.text')}</p>
      <AccountForm
        onSubmit={() => {
          setSubmitted(true);
          if (current && !tooShort && next === again) change.mutate();
        }}
      >
        <input type="text" name="username" autoComplete="username" value={user.username} readOnly hidden />
        <PasswordField
          data-autofocus
          label={t('firstPassword.current')}
          autoComplete="current-password"
          value={current}
          error={submitted && !current ? t('register.required') : refusal.errorOf('original_password')}
          onChange={(event) => {
            setCurrent(event.currentTarget.value);
            refusal.clear('original_password');
          }}
        />
        <div>
          <PasswordField
            label={t('firstPassword.next')}
            autoComplete="new-password"
            value={next}
            error={submitted && tooShort ? t('register.tooShort') : refusal.errorOf('password')}
            onChange={(event) => {
              setNext(event.currentTarget.value);
              refusal.clear('password');
            }}
          />
          <PasswordMeter password={next} username={user.username} />
        </div>
        <PasswordField
          label={t('firstPassword.again')}
          autoComplete="new-password"
          value={again}
          error={again && again !== next ? t('register.differ') : undefined}
          onChange={(event) => setAgain(event.currentTarget.value)}
        />
        <RefusalNotice refusal={refusal} />
        <div className="buttons top6">
          <Button variant="default" onClick={onLogout}>
            {t('firstPassword.logout')}
          </Button>
          <Button type="submit" loading={change.isPending}>
            {t('firstPassword.submit')}
          </Button>
        </div>
      </AccountForm>
    </Modal>
  );
}
