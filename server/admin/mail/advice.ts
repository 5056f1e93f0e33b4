// What to change in the settings when the mail server could not be reached. The words of the socket or of OpenSSL do not say it.
import { factText } from '#contract/facts.ts';
import { SMTP_TLS_PORT } from '#contract/options.ts';

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

/** A stored fact; undefined when the server itself refused: its words say why. */
export function adviceFor(
  { code, message }: Failure,
  { host, port, secure }: Connection,
): string | undefined {
  if (secure && (code.startsWith('ERR_SSL_') || message.includes('SSL routines')))
    return factText('mailPlainPort', { port, ssl_port: SMTP_TLS_PORT });
  if (!secure && message.includes('Greeting never received')) return factText('mailSilentPort', { port });
  if (code === 'ECONNREFUSED') return factText('mailNoServer', { host, port });
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return factText('mailUnknownHost', { host });
  if (/^(?:CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_CERT_)/.test(code))
    return factText('mailCertificate', { host, code });
  return undefined;
}
