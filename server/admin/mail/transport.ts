// Sends one mail to the operator's SMTP server. An error has the server's own message, without the password. The library
// is loaded with the first mail, because it takes memory.
import { factText, plainText } from '#contract/facts.ts';
import { portForcesTls } from '#contract/options.ts';
import type { Settings } from '#contract/settings.ts';
import { adviceFor } from './advice.ts';
import { htmlOf, type Letter } from './letter.ts';

export type MailSettings = Pick<
  Settings,
  | 'SMTPServer'
  | 'SMTPPort'
  | 'SMTPAccount'
  | 'SMTPFrom'
  | 'SMTPToken'
  | 'SMTPSSLEnabled'
  | 'SystemName'
  | 'ServerAddress'
>;

export interface Delivery extends Letter {
  /** The same for every try, so that the receiver can recognise a mail that arrives twice. */
  messageId?: string;
}

export class MailError extends Error {
  override name = 'MailError';
  /** The server refused this recipient for good; it is not tried again. */
  readonly permanent: boolean;
  /** `message`: a fact where it is known what to change, else the server's own words. */
  constructor(message: string, permanent: boolean) {
    super(message);
    this.permanent = permanent;
  }
}

class LateError extends Error {
  override name = 'LateError';
}

export interface TransportOptions {
  /** PEM of a certificate authority to trust besides the system's. */
  certificateAuthority?: string | undefined;
  /** Throws for a mail server that this installation may not connect to. */
  requireHost?: (hostname: string) => void;
}

const TIMEOUT_MS = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 } as const;
/** An upper bound of one delivery; a claim on a mail lasts longer. */
export const LONGEST_DELIVERY_SECONDS = 60;
const LONGEST_MESSAGE = 300;

export const senderOf = (settings: MailSettings) => settings.SMTPFrom || settings.SMTPAccount;

export function isConfigured(settings: MailSettings): boolean {
  return settings.SMTPServer !== '' && senderOf(settings) !== '';
}

export function connectionOptions(settings: MailSettings, options: TransportOptions = {}) {
  const { SMTPServer, SMTPPort, SMTPAccount, SMTPToken, SMTPSSLEnabled } = settings;
  const secure = SMTPSSLEnabled || portForcesTls(SMTPPort);
  const authenticates = SMTPAccount !== '' && SMTPToken !== '';
  return {
    ...TIMEOUT_MS,
    host: SMTPServer,
    port: SMTPPort,
    secure,
    // Never send the password unencrypted, also when an attacker on the network removes the server's offer of TLS.
    requireTLS: !secure && authenticates && !isLoopback(SMTPServer),
    ...(authenticates ? { auth: { user: SMTPAccount, pass: SMTPToken } } : {}),
    ...(options.certificateAuthority ? { tls: { ca: options.certificateAuthority } } : {}),
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

export async function deliver(
  settings: MailSettings,
  { recipient, subject, text, messageId }: Delivery,
  options: TransportOptions & { signal?: AbortSignal } = {},
): Promise<void> {
  try {
    options.requireHost?.(settings.SMTPServer);
  } catch (error) {
    throw explained(error, settings);
  }
  const { createTransport } = await import('nodemailer');
  const transport = createTransport(connectionOptions(settings, options));
  const timeout = AbortSignal.timeout((LONGEST_DELIVERY_SECONDS - 5) * 1000);
  const end = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout;
  const late = new Promise<never>((_, reject) => {
    end.addEventListener('abort', () => reject(new LateError()), { once: true });
  });
  try {
    const sending = transport.sendMail({
      from: { name: settings.SystemName, address: senderOf(settings) },
      to: recipient,
      subject,
      text,
      html: htmlOf(text),
      // Automatic replies are not sent to such mails.
      headers: { 'Auto-Submitted': 'auto-generated' },
      ...(messageId === undefined ? {} : { messageId }),
    });
    await Promise.race([sending, late]);
  } catch (error) {
    throw explained(error, settings);
  } finally {
    transport.close();
  }
}

function explained(error: unknown, settings: MailSettings): MailError {
  const { SMTPToken } = settings;
  const message = error instanceof Error ? error.message : String(error);
  const code = field(error, 'code');
  const responseCode = Number(field(error, 'responseCode') ?? 0);
  const secrets = SMTPToken === '' ? [] : [SMTPToken, Buffer.from(SMTPToken).toString('base64')];
  const safe = secrets.reduce((text, secret) => text.replaceAll(secret, '***'), message);
  const line = Array.from(safe, (character) => (character < ' ' ? ' ' : character)).join('');
  const failure = { code: field(error, 'originalCode') ?? code ?? '', message };
  const advice = adviceFor(failure, connectionOptions(settings));
  const isFinal = code === 'EENVELOPE' && responseCode >= 500;
  if (error instanceof LateError) return new MailError(factText('mailLate'), isFinal);
  return new MailError(advice ?? plainText(line).slice(0, LONGEST_MESSAGE), isFinal);
}

function field(error: unknown, name: string): string | undefined {
  if (typeof error !== 'object' || error === null || !(name in error)) return undefined;
  return String((error as Record<string, unknown>)[name]);
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}
