/** Names of ways to withdraw: known ones are translated, the operator's own are shown as they are. */
import { useTranslation } from 'react-i18next';

const KNOWN = ['alipay', 'wechat', 'bank', 'usdt', 'paypal'] as const;

export function useMethodName(): (method: string) => string {
  const { t } = useTranslation('resellers');
  return (method) => {
    const known = KNOWN.find((name) => name === method);
    return known ? t(`method.${known}`) : method;
  };
}
