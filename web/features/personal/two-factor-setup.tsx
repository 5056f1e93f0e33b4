/** The QR code and the key for an authenticator app, and the first code as proof. */
import { TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { api } from '#web/api.ts';
import { CopyButton } from '#web/ui/copy/copy-button.tsx';
import { useForm } from '#web/ui/input/use-form.ts';
import { Qr } from '#web/ui/qr/qr.tsx';
import { PersonalDialog } from './dialog.tsx';
import classes from './dialog.module.css';

interface TwoFactorSetupProps {
  setup: { secret: string; uri: string };
  onEnabled: (recoveryCodes: string[]) => void;
  onClose: () => void;
}

/** Four letters at a time: easier to type. */
const spaced = (secret: string) => secret.replaceAll(/(.{4})(?=.)/g, '$1 ');

export function TwoFactorSetup({ setup, onEnabled, onClose }: TwoFactorSetupProps) {
  const { t } = useTranslation('personal');
  const form = useForm({
    begin: () => ({ code: '' }),
    problemsOf: ({ code }) => (code.trim() === '' ? { code: t('twoFactor.codeRequired') } : {}),
    send: ({ code }) => api.security.twoFactorEnable({ body: { code: code.replaceAll(/\s/g, '') } }),
    onSent: ({ recovery_codes }) => onEnabled(recovery_codes),
  });
  return (
    <PersonalDialog
      title={t('twoFactor.setupTitle')}
      submitLabel={t('twoFactor.confirm')}
      form={form}
      onClose={onClose}
    >
      <p>{t('twoFactor.scan')}</p>
      <div className={`row16 ${classes.setup}`}>
        <Qr text={setup.uri} label={t('twoFactor.qr')} size={168} />
        <div>
          <span className="note">{t('twoFactor.secret')}</span>
          <p className={`start flex6 ${classes.key}`}>
            <code>{spaced(setup.secret)}</code>
            <CopyButton text={setup.secret} />
          </p>
        </div>
      </div>
      <TextInput
        {...form.field('code')}
        data-autofocus
        label={t('twoFactor.code')}
        description={t('twoFactor.codeHint')}
        inputMode="numeric"
        autoComplete="one-time-code"
        maxLength={8}
      />
    </PersonalDialog>
  );
}
