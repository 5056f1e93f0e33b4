/** Asks the user for another proof before a sensitive call: password, two-factor code, or passkey. */
import { Button, Modal, PasswordInput, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { IconFingerprint } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '#web/api.ts';
import { ApiError, errorMessage } from '#web/api/errors.ts';
import { PostLoader } from '#web/ui/badge/posts.tsx';
import { NoticeBox } from '#web/ui/feedback/notice.tsx';
import { toast } from '#web/ui/feedback/toast.tsx';
import { useRefusal } from '#web/ui/input/refusal.tsx';
import { FormDialog } from './dialog.tsx';
import { hasPasskeys, PasskeyCancelled, askPasskey } from './passkeys.ts';
import { personalQueries, SECURITY_KEY } from './queries.ts';

export default function StepUpDialog({ onAnswer }: { onAnswer: (proven: boolean) => void }) {
  const { t } = useTranslation('personal');
  const { t: ui } = useTranslation('ui');
  const client = useQueryClient();
  const security = useQuery(personalQueries.security());
  const [value, setValue] = useState('');
  const [tried, setTried] = useState(false);
  const refusal = useRefusal(['code', 'password']);
  const isCode = security.data?.two_factor.enabled === true;

  const proven = () => {
    void client.invalidateQueries({ queryKey: SECURITY_KEY });
    onAnswer(true);
  };
  const confirm = useMutation({
    ...refusal.mutation,
    mutationFn: () => api.security.confirm({ body: isCode ? { code: value.trim() } : { password: value } }),
    onSuccess: proven,
  });
  const passkey = useMutation({
    meta: { silent: true },
    mutationFn: async () => {
      const credential = await askPasskey(await api.security.confirmPasskeyBegin());
      await api.security.confirmPasskeyFinish({ body: { credential } });
    },
    onSuccess: proven,
    onError: (error) => {
      if (!(error instanceof PasskeyCancelled)) toast.error(errorMessage(error));
    },
  });

  const cancel = () => onAnswer(false);
  if (!security.data) {
    const isSignedOut = security.error instanceof ApiError && security.error.status === 401;
    if (isSignedOut) return null;
    return (
      <Modal
        opened
        onClose={cancel}
        title={t('stepUp.title')}
        closeButtonProps={{ 'aria-label': ui('action.close') }}
      >
        {security.error ? (
          <NoticeBox tone="danger">{errorMessage(security.error)}</NoticeBox>
        ) : (
          <PostLoader label={ui('grid.loading')} />
        )}
      </Modal>
    );
  }
  const offersPasskey = security.data.passkeys.length > 0 && hasPasskeys();
  const passkeyButton = offersPasskey ? (
    <Button
      variant="subtle"
      leftSection={<IconFingerprint size={15} stroke={1.6} />}
      loading={passkey.isPending}
      onClick={() => passkey.mutate()}
    >
      {t('stepUp.passkey')}
    </Button>
  ) : undefined;
  if (!isCode && !security.data.has_password) {
    return (
      <Modal
        opened
        onClose={cancel}
        title={t('stepUp.title')}
        closeButtonProps={{ 'aria-label': ui('action.close') }}
      >
        {passkeyButton ?? <NoticeBox tone="warning">{t('stepUp.nothing')}</NoticeBox>}
      </Modal>
    );
  }
  const missing = isCode ? t('twoFactor.codeRequired') : t('stepUp.passwordRequired');
  const error = tried && value.trim() === '' ? missing : refusal.errorOf(isCode ? 'code' : 'password');
  const field = {
    value,
    error,
    'aria-invalid': error !== undefined,
    'data-autofocus': true,
    onChange: (event: { currentTarget: { value: string } }) => {
      setValue(event.currentTarget.value);
      refusal.clear();
    },
  };
  return (
    <FormDialog
      title={t('stepUp.title')}
      submitLabel={t('stepUp.submit')}
      busy={confirm.isPending}
      refusal={refusal}
      aside={passkeyButton}
      onClose={cancel}
      onSubmit={() => {
        setTried(true);
        if (value.trim() !== '') confirm.mutate();
      }}
    >
      <p>{t('stepUp.text')}</p>
      {isCode ? (
        <TextInput
          {...field}
          label={t('stepUp.code')}
          description={t('twoFactor.anyCode')}
          inputMode="text"
          autoComplete="one-time-code"
        />
      ) : (
        <PasswordInput {...field} label={t('stepUp.password')} autoComplete="current-password" />
      )}
    </FormDialog>
  );
}
