/** The form of the code that the WeChat account sends. */
import { useTranslation } from 'react-i18next';
import { useForm } from '#web/ui/input/use-form.ts';

export function useWeChatForm<Result>(
  send: (code: string) => Promise<Result>,
  onSent: (result: Result) => void,
) {
  const { t } = useTranslation('ui');
  return useForm({
    begin: () => ({ code: '' }),
    problemsOf: ({ code }) => (code.trim() ? {} : { code: t('login.wechatCodeRequired') }),
    send: ({ code }) => send(code.trim()),
    onSent,
  });
}
