// Hands one mail to the operator's SMTP server. What goes wrong is told in the server's own words, without the password.
import { createTransport } from 'nodemailer';
import type { Settings } from '#contract/settings.ts';
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
  /** The same for every try: a receiver that got the mail twice can tell. */
  messageId?: string;
}

export class MailError extends Error {
  override name = 'MailError';
  /** The server refused this recipient for good; another try would be refused too. */
  readonly permanent: boolean;
  constructor(message: string, permanent: boolean) {
    super(message);
    this.permanent = permanent;
  }
}

export interface TransportOptions {
  /** PEM of an authority to trust beside the system's. */
  certificateAuthority?: string | undefined;
}

const IMPLICIT_TLS_PORT = 465;
const TIMEOUT_MS = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 } as const;
/** Longer than every try can take; a claim on a mail outlives it. */
export const LONGEST_DELIVERY_SECONDS = 60;
const LONGEST_MESSAGE = 300;

export const senderOf = (settings: MailSettings) => settings.SMTPFrom || settings.SMTPAccount;

export function isConfigured(settings: MailSettings): boolean {
  return settings.SMTPServer !== '' && senderOf(settings) !== '';
}

export function connectionOptions(settings: MailSettings, options: TransportOptions = {}) {
  const { SMTPServer, SMTPPort, SMTPAccount, SMTPToken, SMTPSSLEnabled } = settings;
  const secure = SMTPSSLEnabled || SMTPPort === IMPLICIT_TLS_PORT;
  const authenticates = SMTPAccount !== '' && SMTPToken !== '';
  return {
    ...TIMEOUT_MS,
    host: SMTPServer,
    port: SMTPPort,
    secure,
    // A password must not cross a network in the clear because somebody on the way stripped the offer of TLS.
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
  const transport = createTransport(connectionOptions(settings, options));
  const timeout = AbortSignal.timeout((LONGEST_DELIVERY_SECONDS - 5) * 1000);
  const end = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout;
  const late = new Promise<never>((_, reject) => {
    end.addEventListener('abort', () => reject(new Error('the mail server took too long')), { once: true });
  });
  try {
    const sending = transport.sendMail({
      from: { name: settings.SystemName, address: senderOf(settings) },
      to: recipient,
      subject,
      text,
      html: htmlOf(text),
      // Keeps holiday replies from answering us.
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

function explained(error: unknown, { SMTPToken }: MailSettings): MailError {
  const message = error instanceof Error ? error.message : String(error);
  const code = field(error, 'code');
  const responseCode = Number(field(error, 'responseCode') ?? 0);
  const secrets = SMTPToken === '' ? [] : [SMTPToken, Buffer.from(SMTPToken).toString('base64')];
  const safe = secrets.reduce((text, secret) => text.replaceAll(secret, '***'), message);
  const line = Array.from(safe, (character) => (character < ' ' ? ' ' : character)).join('');
  return new MailError(line.slice(0, LONGEST_MESSAGE), code === 'EENVELOPE' && responseCode >= 500);
}

function field(error: unknown, name: string): string | undefined {
  if (typeof error !== 'object' || error === null || !(name in error)) return undefined;
  return String((error as Record<string, unknown>)[name]);
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}
