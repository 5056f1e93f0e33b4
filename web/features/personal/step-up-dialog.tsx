/** Asks the user for another proof before a sensitive call: password, two-factor code, or passkey. */
import { Button, Modal, PasswordInput, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { IconFingerprint } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { SecurityView } from '#contract/admin/security.ts';
import { api } from '#web/api.ts';
import { ApiError, errorMessage } from '#web/api/errors.ts';
import { PostLoader } from '#web/ui/badge/posts.tsx';
import { NoticeBox } from '#web/ui/feedback/notice.tsx';
import { toast } from '#web/ui/feedback/toast.tsx';
import { useForm } from '#web/ui/input/use-form.ts';
import { PersonalDialog } from './dialog.tsx';
import { hasPasskeys, PasskeyCancelled, askPasskey } from './passkeys.ts';
import { personalQueries, SECURITY_KEY } from './queries.ts';

interface StepUpProps {
  onAnswer: (proven: boolean) => void;
}

export default function StepUpDialog({ onAnswer }: StepUpProps) {
  const { t } = useTranslation('personal');
  const { t: ui } = useTranslation('ui');
  const { data: security, error } = useQuery(personalQueries.security());
  const passkey = usePasskeyButton(security, onAnswer);
  if (security?.two_factor.enabled || security?.has_password)
    return <ProofForm isCode={security.two_factor.enabled} aside={passkey} onAnswer={onAnswer} />;
  if (error instanceof ApiError && error.status === 401) return null;
  return (
    <Modal
      opened
      onClose={() => onAnswer(false)}
      title={t('stepUp.title')}
      closeButtonProps={{ 'aria-label': ui('action.close') }}
    >
      {security ? (passkey ?? <NoticeBox tone="warning">{t('stepUp.nothing')}</NoticeBox>) : null}
      {!security && error ? <NoticeBox tone="danger">{errorMessage(error)}</NoticeBox> : null}
      {!security && !error ? <PostLoader label={ui('grid.loading')} /> : null}
    </Modal>
  );
}

function useProven(onAnswer: StepUpProps['onAnswer']) {
  const client = useQueryClient();
  return () => {
    void client.invalidateQueries({ queryKey: SECURITY_KEY });
    onAnswer(true);
  };
}

/** Undefined without a passkey. */
function usePasskeyButton(security: SecurityView | undefined, onAnswer: StepUpProps['onAnswer']) {
  const { t } = useTranslation('personal');
  const ask = useMutation({
    meta: { silent: true },
    mutationFn: async () => {
      const credential = await askPasskey(await api.security.confirmPasskeyBegin());
      await api.security.confirmPasskeyFinish({ body: { credential } });
    },
    onSuccess: useProven(onAnswer),
    onError: (error) => {
      if (!(error instanceof PasskeyCancelled)) toast.error(errorMessage(error));
    },
  });
  if (!security || security.passkeys.length === 0 || !hasPasskeys()) return undefined;
  return (
    <Button
      variant="subtle"
      leftSection={<IconFingerprint size={15} stroke={1.6} />}
      loading={ask.isPending}
      onClick={() => ask.mutate()}
    >
      {t('stepUp.passkey')}
    </Button>
  );
}

function ProofForm({ isCode, aside, onAnswer }: StepUpProps & { isCode: boolean; aside: ReactNode }) {
  const { t } = useTranslation('personal');
  const name = isCode ? 'code' : 'password';
  const missing = isCode ? t('twoFactor.codeRequired') : t('stepUp.passwordRequired');
  const form = useForm({
    begin: () => ({ code: '', password: '' }),
    unguarded: ['password'],
    problemsOf: (values) => (values[name].trim() === '' ? { [name]: missing } : {}),
    send: ({ code, password }) =>
      api.security.confirm({ body: isCode ? { code: code.trim() } : { password } }),
    onSent: useProven(onAnswer),
  });
  return (
    <PersonalDialog
      title={t('stepUp.title')}
      submitLabel={t('stepUp.submit')}
      aside={aside}
      form={form}
      onClose={() => onAnswer(false)}
    >
      <p>{t('stepUp.text')}</p>
      {isCode ? (
        <TextInput
          {...form.field('code')}
          data-autofocus
          label={t('stepUp.code')}
          description={t('twoFactor.anyCode')}
          inputMode="text"
          autoComplete="one-time-code"
        />
      ) : (
        <PasswordInput
          {...form.field('password')}
          data-autofocus
          label={t('stepUp.password')}
          autoComplete="current-password"
        />
      )}
    </PersonalDialog>
  );
}
