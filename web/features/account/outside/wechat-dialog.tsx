/** Signing in by WeChat: the WeChat account QR code, and the code that account sends. */
import { useTranslation } from 'react-i18next';
import type { LoginAnswer } from '#contract/admin/session.ts';
import { api } from '#web/api.ts';
import { DialogFrame } from '#web/ui/feedback/dialog-frame.tsx';
import { useWeChatForm } from '#web/ui/login/use-wechat-form.ts';
import { WeChatCode } from '#web/ui/login/wechat-code.tsx';

interface WeChatDialogProps {
  picture: string;
  onClose: () => void;
  onAnswer: (answer: LoginAnswer) => void;
}

export default function WeChatDialog({ picture, onClose, onAnswer }: WeChatDialogProps) {
  const { t } = useTranslation('account');
  const form = useWeChatForm((code) => api.outsideLogins.wechatLogin({ query: { code } }), onAnswer);
  return (
    <DialogFrame width={380} title={t('outside.wechatTitle')} unsaved={form.unsaved} onClose={onClose}>
      <WeChatCode picture={picture} submitLabel={t('login.submit')} form={form} />
    </DialogFrame>
  );
}
