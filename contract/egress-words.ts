// Why an outgoing request was refused, for the operator who entered the address. A refusal is stored without a language, as
// `reason: detail`, because its readers use either; `readableProblem` is the sentence for one of them.
import type { Text } from './language.ts';

const text = (zh: string, en: string): Text => ({ zh, en });

const SENTENCES = {
  bad_url: text(
    '必须是不含用户名和密码的 http 或 https 地址',
    'it must be http or https, without a user name and password',
  ),
  bad_proxy: text('代理地址不正确', 'the address of the proxy is not valid'),
  private_address: text(
    '{name} 在内网中，默认不允许访问；超级管理员可以允许它',
    '{name} is in a private network and not allowed by default; the super admin can allow it',
  ),
  forbidden_address: text(
    '{name} 指向永远不允许访问的地址',
    '{name} leads to an address that is never allowed',
  ),
  forbidden_host: text(
    '{name} 不在环境变量 EGRESS_ALLOW 允许访问的主机之中',
    '{name} is not among the hosts that the environment variable EGRESS_ALLOW allows',
  ),
  forbidden_port: text('{name}：只能使用 80 和 443 端口', '{name}: only the ports 80 and 443 are allowed'),
  forbidden_header: text('不允许设置请求头 {name}', 'the header {name} may not be set'),
  unresolved: text('找不到主机 {name}', 'the host {name} cannot be found'),
  unpinned_origin: text(
    '{name} 不在设置里的服务地址之中',
    '{name} is not one of the services in the settings',
  ),
} as const satisfies Record<string, Text>;

export type EgressReason = keyof typeof SENTENCES;

/** `detail`: the host, origin or header that was refused. A function as replacement: `$&` in a detail is plain text. */
export function egressWords(reason: EgressReason, detail: string): Text {
  const { zh, en } = SENTENCES[reason];
  return { zh: zh.replace('{name}', () => detail), en: en.replace('{name}', () => detail) };
}

const STORED = /^(?:test )?([a-z_]+): (.*)$/s;

/** The entries of AllowedPrivateAddresses that would end a stored problem. */
export function allowableIn(stored: string): string[] {
  const [, reason, detail = ''] = STORED.exec(stored) ?? [];
  if (reason !== ('private_address' satisfies EgressReason)) return [];
  return (/\(([^()]*)\)$/.exec(detail)?.[1] ?? detail).split(', ');
}

/** A stored problem of a channel, or why a test disabled it. What an upstream said is the same in both languages. */
export function readableProblem(stored: string): Text {
  const [, reason = '', detail = ''] = STORED.exec(stored) ?? [];
  return Object.hasOwn(SENTENCES, reason)
    ? egressWords(reason as EgressReason, detail)
    : { zh: stored, en: stored };
}
