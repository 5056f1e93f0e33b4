// What to change in the settings when the mail server could not be reached. The words of the socket or of OpenSSL do not say it.
import type { Text } from '#contract/language.ts';
import { SMTP_TLS_PORT } from '#contract/options.ts';
import { SETTINGS } from '#contract/settings.ts';

interface Connection {
  host: string;
  port: number;
  /** TLS from the first byte. */
  secure: boolean;
}

interface Failure {
  /** Of the socket, such as `ECONNREFUSED`; else of the mail library. */
  code: string;
  message: string;
}

/** Undefined when the server itself refused: its words say why. */
export function adviceFor({ code, message }: Failure, { host, port, secure }: Connection): Text | undefined {
  const { zh, en } = SETTINGS.SMTPSSLEnabled.label;
  if (secure && (code.startsWith('ERR_SSL_') || message.includes('SSL routines')))
    return {
      zh: `端口 ${port} 不是从一开始就使用 SSL：请关闭“${zh}”，或把端口改为 ${SMTP_TLS_PORT}`,
      en: `port ${port} does not begin with SSL: switch “${en}” off, or use port ${SMTP_TLS_PORT}`,
    };
  if (!secure && message.includes('Greeting never received'))
    return {
      zh: `端口 ${port} 没有应答，可能从一开始就需要 SSL：请开启“${zh}”，或把端口改为 587`,
      en: `port ${port} does not answer; it may expect SSL from the start: switch “${en}” on, or use port 587`,
    };
  if (code === 'ECONNREFUSED')
    return {
      zh: `${host} 的端口 ${port} 没有邮件服务：请检查服务器地址和端口`,
      en: `no mail server listens on port ${port} of ${host}: check server and port`,
    };
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return {
      zh: `找不到邮件服务器 ${host}：请检查服务器地址`,
      en: `the mail server ${host} does not exist: check its name`,
    };
  if (/^(?:CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_CERT_)/.test(code))
    return {
      zh: `不信任 ${host} 的证书（${code}）：请使用证书上的服务器名称，或信任签发它的机构`,
      en: `the certificate of ${host} is not trusted (${code}): use the name on the certificate, or trust its authority`,
    };
  return undefined;
}
