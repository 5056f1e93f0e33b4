// A real SMTP server on a free port: mails are received, parsed as far as tests need it, and kept.
import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import type { SettingKey } from '#contract/settings.ts';
import { startPatience } from './machine.ts';

export interface ReceivedMail {
  /** The envelope's recipient. */
  to: string;
  from: string;
  subject: string;
  /** The plain-text part. */
  text: string;
  html: string;
  headers: Map<string, string>;
}

export interface MailServer {
  readonly port: number;
  readonly mails: ReceivedMail[];
  /** Settings that make the product send here. */
  readonly settings: Partial<Record<SettingKey, string>>;
  /** The newest mail to an address, or the n-th; waits for it. */
  mailTo(recipient: string, options?: { count?: number; patienceMs?: number }): Promise<ReceivedMail>;
  /** From now on every mail is answered with this SMTP error; null = accept again. */
  refuseWith(code: number | null): void;
  close(): Promise<void>;
}

export interface MailServerOptions {
  account?: string;
  password?: string;
  /** TLS from the first byte. */
  tls?: { key: string; cert: string };
  /** The server listens here again after a pause. */
  port?: number;
}

const MAIL_PATIENCE_MS = 10_000;

export async function startMailServer(options: MailServerOptions = {}): Promise<MailServer> {
  const { account = 'mailer@tollgate.test', password = 'smtp-password-of-tests' } = options;
  const mails: ReceivedMail[] = [];
  let refusal: number | null = null;
  const refused = () => Object.assign(new Error('refused by the test'), { responseCode: refusal ?? 550 });

  const handlers: SMTPServerOptions = {
    ...(options.tls ? { secure: true, ...options.tls } : { disabledCommands: ['STARTTLS'] }),
    allowInsecureAuth: true,
    logger: false,
    onAuth(auth, _, done) {
      if (auth.username === account && auth.password === password) done(null, { user: account });
      else done(new Error('Invalid login'));
    },
    onRcptTo: (_, __, done) => (refusal === null ? done() : done(refused())),
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const source = Buffer.concat(chunks).toString('utf8');
        const from = session.envelope.mailFrom ? session.envelope.mailFrom.address : '';
        for (const { address } of session.envelope.rcptTo)
          mails.push({ ...parse(source), to: address, from });
        done();
      });
    },
  };
  const server = new SMTPServer(handlers);
  // A client that does not trust the certificate hangs up; nothing to do.
  server.on('error', () => {});
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;

  return {
    port,
    mails,
    settings: {
      SMTPServer: '127.0.0.1',
      SMTPPort: String(port),
      SMTPAccount: account,
      SMTPFrom: account,
      SMTPToken: password,
      ...(options.tls ? { SMTPSSLEnabled: 'true' } : {}),
    },
    async mailTo(recipient, { count = 1, patienceMs = MAIL_PATIENCE_MS } = {}) {
      const isOver = startPatience(patienceMs);
      for (;;) {
        const found = mails.filter(({ to }) => to.toLowerCase() === recipient.toLowerCase());
        const newest = found.at(-1);
        if (newest && found.length >= count) return newest;
        if (isOver()) throw new Error(`${found.length} of ${count} mails to ${recipient} arrived`);
        await Bun.sleep(10);
      }
    },
    refuseWith(code) {
      refusal = code;
    },
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

/** The code of a verification mail. */
export function codeIn({ text }: Pick<ReceivedMail, 'text'>): string {
  const code = /^ {4}(\S+)$/m.exec(text)?.[1];
  if (code === undefined) throw new Error(`no code in the mail:\n${text}`);
  return code;
}

/** The first link of a mail. */
export function linkIn({ text }: Pick<ReceivedMail, 'text'>): URL {
  const link = /https?:\/\/\S+/.exec(text)?.[0];
  if (link === undefined) throw new Error(`no link in the mail:\n${text}`);
  return new URL(link);
}

interface Part {
  headers: Map<string, string>;
  body: string;
}

function parse(source: string): Omit<ReceivedMail, 'to' | 'from'> {
  const whole = splitPart(source);
  const parts = leaves(whole);
  const content = (type: string) => {
    const part = parts.find(({ headers }) => (headers.get('content-type') ?? 'text/plain').startsWith(type));
    return part ? decodeBody(part) : '';
  };
  return {
    subject: decodeWords(whole.headers.get('subject') ?? ''),
    text: content('text/plain').replaceAll('\r\n', '\n').trimEnd(),
    html: content('text/html'),
    headers: whole.headers,
  };
}

function splitPart(source: string): Part {
  const end = source.indexOf('\r\n\r\n');
  const head = end === -1 ? source : source.slice(0, end);
  const unfolded = head.replaceAll(/\r\n[ \t]+/g, ' ');
  const headers = new Map(
    unfolded.split('\r\n').map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
    }),
  );
  return { headers, body: end === -1 ? '' : source.slice(end + 4) };
}

function leaves(part: Part): Part[] {
  const boundary = /boundary="?([^";]+)"?/.exec(part.headers.get('content-type') ?? '')?.[1];
  if (boundary === undefined) return [part];
  return part.body
    .split(`--${boundary}`)
    .slice(1, -1)
    .flatMap((piece) => leaves(splitPart(piece.replace(/^\r\n/, ''))));
}

function decodeBody({ headers, body }: Part): string {
  const encoding = headers.get('content-transfer-encoding')?.toLowerCase();
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString('utf8');
  return encoding === 'quoted-printable' ? decodeQuoted(body.replaceAll('=\r\n', '')) : body;
}

/** RFC 2047, as far as subjects use it. */
function decodeWords(text: string): string {
  return text
    .replaceAll(/\?=\s+=\?/g, '?==?')
    .replaceAll(/=\?utf-8\?([bq])\?([^?]*)\?=/gi, (_, kind: string, word: string) =>
      kind.toLowerCase() === 'b'
        ? Buffer.from(word, 'base64').toString('utf8')
        : decodeQuoted(word.replaceAll('_', ' ')),
    );
}

function decodeQuoted(text: string): string {
  const bytes: number[] = [];
  for (let index = 0; index < text.length; index += 1) {
    const hex = /^=([\dA-F]{2})/i.exec(text.slice(index, index + 3))?.[1];
    if (hex === undefined) bytes.push(...Buffer.from(text[index] ?? ''));
    else {
      bytes.push(Number.parseInt(hex, 16));
      index += 2;
    }
  }
  return Buffer.from(bytes).toString('utf8');
}
