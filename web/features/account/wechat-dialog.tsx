/** Signing in by WeChat: the account's picture, and the code it tells. */
import { Modal } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { LoginAnswer } from '#contract/session.ts';
import { api } from '#web/api.ts';
import { errorMessage } from '#web/api/errors.ts';
import { WeChatCode } from '#web/ui/login/wechat-code.tsx';

interface WeChatDialogProps {
  picture: string;
  onClose: () => void;
  onAnswer: (answer: LoginAnswer) => void;
}

export default function WeChatDialog({ picture, onClose, onAnswer }: WeChatDialogProps) {
  const { t } = useTranslation(['account', 'ui']);
  const login = useMutation({
    mutationFn: (code: string) => api.outsideLogins.wechatLogin({ query: { code } }),
    onSuccess: onAnswer,
    meta: { silent: true },
  });
  return (
    <Modal
      opened
      size="sm"
      onClose={onClose}
      title={t('outside.wechatTitle')}
      closeButtonProps={{ 'aria-label': t('action.close', { ns: 'ui' }) }}
    >
      <WeChatCode
        picture={picture}
        submitLabel={t('login.submit')}
        pending={login.isPending}
        error={login.error ? errorMessage(login.error) : undefined}
        onSubmit={(code) => login.mutate(code)}
      />
    </Modal>
  );
}
