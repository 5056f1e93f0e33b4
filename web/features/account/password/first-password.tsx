/** A dialog that cannot be closed while the super admin still uses the password generated at the first start. */
import { Button, Modal } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { PASSWORD_MIN_CHARACTERS, type SessionUser } from '#contract/admin/session.ts';
import { api } from '#web/api.ts';
import { storedAccount, storeUser } from '#web/api/session.ts';
import { toast } from '#web/ui/feedback/toast.tsx';
import { FormElement } from '#web/ui/input/form-element.tsx';
import { RefusalNotice } from '#web/ui/input/refusal.tsx';
import { useForm } from '#web/ui/input/use-form.ts';
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
  const form = useForm({
    begin: () => ({ original_password: '', password: '', again: '' }),
    unguarded: ['original_password', 'password', 'again'],
    problemsOf: ({ original_password, password, again }) => ({
      original_password: original_password ? undefined : t('register.required'),
      password: Array.from(password).length < PASSWORD_MIN_CHARACTERS ? t('register.tooShort') : undefined,
      again: again === password ? undefined : t('register.differ'),
    }),
    send: ({ original_password, password }) =>
      api.users.changeSelf({ body: { original_password, password } }),
    onSent: () => {
      storeUser({ ...(storedAccount() ?? user), password_is_initial: false });
      toast.success(t('firstPassword.done'));
      return cache.invalidateQueries({ queryKey: ['self'] });
    },
  });
  const { password, again } = form.values;
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
      <FormElement form={form} className="stack14">
        <input type="text" name="username" autoComplete="username" value={user.username} readOnly hidden />
        <PasswordField
          {...form.field('original_password')}
          data-autofocus
          label={t('firstPassword.current')}
          autoComplete="current-password"
        />
        <div>
          <PasswordField
            {...form.field('password')}
            label={t('firstPassword.next')}
            autoComplete="new-password"
          />
          <PasswordMeter password={password} username={user.username} />
        </div>
        <PasswordField
          {...form.field('again')}
          label={t('firstPassword.again')}
          autoComplete="new-password"
          error={again && again !== password ? t('register.differ') : undefined}
        />
        <RefusalNotice refusal={form.refusal} />
        <div className="buttons top6">
          <Button variant="default" onClick={onLogout}>
            {t('firstPassword.logout')}
          </Button>
          <Button type="submit" loading={form.isSending}>
            {t('firstPassword.submit')}
          </Button>
        </div>
      </FormElement>
    </Modal>
  );
}
