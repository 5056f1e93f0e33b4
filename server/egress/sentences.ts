// Why an outgoing request was refused, for the operator who entered the address.
import type { Language, Text } from '#contract/language.ts';
import type { EgressError } from './egress.ts';

const SENTENCES: Record<EgressError['reason'], Text> = {
  bad_url: {
    zh: '必须是不含用户名和密码的 http 或 https 地址',
    en: 'it must be http or https, without a user name and password',
  },
  bad_proxy: { zh: '代理地址不正确', en: 'the address of the proxy is not valid' },
  forbidden_address: {
    zh: '{name} 在内网中；需要时请把它加入环境变量 ALLOWED_PRIVATE_ADDRESSES',
    en: '{name} is in a private network; if you want that, add it to the environment variable ALLOWED_PRIVATE_ADDRESSES',
  },
  forbidden_host: {
    zh: '{name} 不在环境变量 EGRESS_ALLOW 允许访问的主机之中',
    en: '{name} is not among the hosts that the environment variable EGRESS_ALLOW allows',
  },
  forbidden_port: {
    zh: '{name}：只能使用 80 和 443 端口',
    en: '{name}: only the ports 80 and 443 are allowed',
  },
  forbidden_header: { zh: '不允许设置请求头 {name}', en: 'the header {name} may not be set' },
  unresolved: { zh: '找不到主机 {name}', en: 'the host {name} cannot be found' },
  unpinned_origin: {
    zh: '{name} 不在设置里的服务地址之中',
    en: '{name} is not one of the services in the settings',
  },
};

export function egressSentence({ reason, detail }: EgressError, language: Language): string {
  return SENTENCES[reason][language].replace('{name}', detail);
}
