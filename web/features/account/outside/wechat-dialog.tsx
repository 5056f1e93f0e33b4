/** Signing in by WeChat: the QR code of the WeChat account, and the code that account sends. */
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { LoginAnswer } from '#contract/admin/session.ts';
import { api } from '#web/api.ts';
import { DialogFrame } from '#web/ui/feedback/dialog-frame.tsx';
import { useRefusal } from '#web/ui/input/refusal.tsx';
import { WeChatCode } from '#web/ui/login/wechat-code.tsx';

interface WeChatDialogProps {
  picture: string;
  onClose: () => void;
  onAnswer: (answer: LoginAnswer) => void;
}

export default function WeChatDialog({ picture, onClose, onAnswer }: WeChatDialogProps) {
  const { t } = useTranslation('account');
  const refusal = useRefusal(['code']);
  const login = useMutation({
    ...refusal.mutation,
    mutationFn: (code: string) => api.outsideLogins.wechatLogin({ query: { code } }),
    onSuccess: onAnswer,
  });
  return (
    <DialogFrame width={380} title={t('outside.wechatTitle')} onClose={onClose}>
      <WeChatCode
        picture={picture}
        submitLabel={t('login.submit')}
        pending={login.isPending}
        refusal={refusal}
        onSubmit={(code) => login.mutate(code)}
      />
    </DialogFrame>
  );
}
