// Why a delivery failed, for its reader. Rows store codes (`status 404: Not Found`, `no answer (timeout)`); the words behind a
// colon are the service's own and stay as they are.
import { wordsIn } from '#contract/facts.ts';
import type { Language, Text } from '#contract/language.ts';
import type { ConnectionError } from '#server/platform/egress/index.ts';

/** What a row stores; `deliveryWords` has the sentence of each. */
export const DELIVERY_CODES = {
  gone: 'this way was deleted or switched off',
  refusedAddress: 'the address cannot be reached or is not allowed',
  failed: 'the request failed',
  noAddress: 'not an address',
} as const;

const SENTENCES: Readonly<Record<string, Text>> = {
  [DELIVERY_CODES.gone]: {
    zh: '该通知方式已删除或关闭',
    en: 'This destination was deleted or turned off',
  },
  [DELIVERY_CODES.refusedAddress]: {
    zh: '地址无法访问或不允许访问',
    en: 'The address cannot be reached or is not allowed',
  },
  [DELIVERY_CODES.failed]: { zh: '请求失败', en: 'The request failed' },
  [DELIVERY_CODES.noAddress]: { zh: '不是有效的地址', en: 'This is not an address' },
};

const NO_ANSWER: Readonly<Record<ConnectionError['reason'], Text>> = {
  connect: { zh: '无法连接对方服务', en: 'The service cannot be reached' },
  certificate: { zh: '对方服务的证书未通过验证', en: 'The certificate of the service could not be verified' },
  closed: { zh: '对方服务提前关闭了连接', en: 'The service closed the connection too early' },
  format: { zh: '对方服务的响应不是有效的 HTTP', en: "The service's answer is not valid HTTP" },
  timeout: { zh: '对方服务没有及时响应', en: 'The service did not answer in time' },
  too_large: { zh: '对方服务的响应过大', en: "The service's answer is too large" },
  aborted: { zh: '发送已中止', en: 'Sending was stopped' },
};

export function deliveryWords(language: Language, stored: string): string {
  const fixed = SENTENCES[stored];
  if (fixed !== undefined) return fixed[language];
  const [, reason = ''] = /^no answer \((\w+)\)$/.exec(stored) ?? [];
  if (Object.hasOwn(NO_ANSWER, reason)) return NO_ANSWER[reason as keyof typeof NO_ANSWER][language];
  const [, kind] = /^unknown way (\w+)$/.exec(stored) ?? [];
  if (kind !== undefined)
    return language === 'zh' ? `没有名为 ${kind} 的通知方式` : `There is no destination called ${kind}`;
  const [, status, words] = /^status (\d{3})(?:: (.*))?$/s.exec(stored) ?? [];
  if (status === undefined) return wordsIn(language, stored);
  const head = language === 'zh' ? `对方服务返回 ${status}` : `The service answered ${status}`;
  if (words === undefined) return head;
  return `${head}${language === 'zh' ? '：' : ': '}${words}`;
}
