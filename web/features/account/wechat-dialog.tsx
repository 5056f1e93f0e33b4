/** Signing in by WeChat: the account's picture, and the code it tells. */
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { LoginAnswer } from '#contract/session.ts';
import { api } from '#web/api.ts';
import { errorMessage } from '#web/api/errors.ts';
import { DialogFrame } from '#web/ui/feedback/dialog-frame.tsx';
import { WeChatCode } from '#web/ui/login/wechat-code.tsx';

interface WeChatDialogProps {
  picture: string;
  onClose: () => void;
  onAnswer: (answer: LoginAnswer) => void;
}

export default function WeChatDialog({ picture, onClose, onAnswer }: WeChatDialogProps) {
  const { t } = useTranslation('account');
  const login = useMutation({
    mutationFn: (code: string) => api.outsideLogins.wechatLogin({ query: { code } }),
    onSuccess: onAnswer,
    meta: { silent: true },
  });
  return (
    <DialogFrame width={380} title={t('outside.wechatTitle')} onClose={onClose}>
      <WeChatCode
        picture={picture}
        submitLabel={t('login.submit')}
        pending={login.isPending}
        error={login.error ? errorMessage(login.error) : undefined}
        onSubmit={(code) => login.mutate(code)}
      />
    </DialogFrame>
  );
}
