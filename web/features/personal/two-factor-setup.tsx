/** The QR code and the key for an authenticator app, and the first code as proof. */
import { TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '#web/api.ts';
import { CopyButton } from '#web/ui/copy/copy-button.tsx';
import { useRefusal } from '#web/ui/input/refusal.tsx';
import { FormDialog } from './dialog.tsx';
import { Qr } from '#web/ui/qr/qr.tsx';
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
  const [code, setCode] = useState('');
  const [tried, setTried] = useState(false);
  const refusal = useRefusal(['code']);
  const enable = useMutation({
    ...refusal.mutation,
    mutationFn: () => api.security.twoFactorEnable({ body: { code: code.replaceAll(/\s/g, '') } }),
    onSuccess: ({ recovery_codes }) => onEnabled(recovery_codes),
  });
  const missing = tried && code.trim() === '' ? t('twoFactor.codeRequired') : undefined;
  return (
    <FormDialog
      title={t('twoFactor.setupTitle')}
      submitLabel={t('twoFactor.confirm')}
      busy={enable.isPending}
      refusal={refusal}
      onClose={onClose}
      onSubmit={() => {
        setTried(true);
        if (code.trim() !== '') enable.mutate();
      }}
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
        data-autofocus
        label={t('twoFactor.code')}
        description={t('twoFactor.codeHint')}
        inputMode="numeric"
        autoComplete="one-time-code"
        maxLength={8}
        value={code}
        error={missing ?? refusal.errorOf('code')}
        onChange={(event) => {
          setCode(event.currentTarget.value);
          refusal.clear('code');
        }}
      />
    </FormDialog>
  );
}
