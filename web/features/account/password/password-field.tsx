/** A password input with a reveal button, and a hint while caps lock is on. */
import { PasswordInput, type PasswordInputProps } from '@mantine/core';
import { IconArrowBigUp, IconEye, IconEyeOff } from '@tabler/icons-react';
import { useState, type KeyboardEvent } from 'react';
import { useTranslation } from 'react-i18next';

function Eye({ reveal }: { reveal: boolean }) {
  return reveal ? <IconEyeOff size={16} stroke={1.6} /> : <IconEye size={16} stroke={1.6} />;
}

export function PasswordField(props: PasswordInputProps) {
  const { t } = useTranslation(['account', 'ui']);
  const [capsLock, setCapsLock] = useState(false);
  const watch = (event: KeyboardEvent<HTMLElement>) => setCapsLock(event.getModifierState('CapsLock'));
  return (
    <div onKeyDown={watch} onKeyUp={watch} onBlur={() => setCapsLock(false)}>
      <PasswordInput
        size="md"
        {...props}
        aria-invalid={Boolean(props.error)}
        visibilityToggleIcon={Eye}
        visibilityToggleButtonProps={{ 'aria-label': t('secret.reveal', { ns: 'ui' }) }}
      />
      {capsLock ? (
        <p className={`row4 small top4 warning`} role="status">
          <IconArrowBigUp size={14} stroke={1.6} aria-hidden />
          {t('login.capsLock')}
        </p>
      ) : null}
    </div>
  );
}
