// The certificate of the public port: read at the start and again when its files change, as certbot and Kubernetes
// replace them.
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Log } from './context.ts';
import type { CertificateFiles } from '#server/platform/env.ts';

/** As PEM; the certificate with those between it and its authority. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/**
 * The suites of TLS 1.2 with forward secrecy and authenticated encryption; TLS 1.3 has no others. RSA key exchange and CBC,
 * which recorded traffic or padding errors can be read by, are not offered.
 */
export const CIPHERS = [
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':');

const LOOK_MS = 5000;

/** Throws when a file cannot be read, or when the key is not that of the certificate. */
export function readCertificate(files: CertificateFiles): Certificate {
  const cert = readFileSync(files.certificate, 'utf8');
  const key = readFileSync(files.key, 'utf8');
  if (!new X509Certificate(cert).checkPrivateKey(createPrivateKey(key)))
    throw new Error(`the key in ${files.key} does not belong to the certificate in ${files.certificate}`);
  return { cert, key };
}

/**
 * Calls `onChange` with each new pair. The two files are replaced one after the other: a pair that does not fit is read
 * again at the next change, and the port keeps the pair it has.
 */
export function watchCertificate(
  files: CertificateFiles,
  onChange: (certificate: Certificate) => void,
  log: Log,
  lookMs = LOOK_MS,
): () => void {
  const renew = (): void => {
    try {
      const certificate = readCertificate(files);
      onChange(certificate);
      log.info('the certificate was read again', {
        valid_until: new X509Certificate(certificate.cert).validToDate.toISOString(),
      });
    } catch (error) {
      log.error('the changed certificate cannot be used; the one before stays', { error });
    }
  };
  // By content: `watchFile` takes its first look some time after it is called, and a change before that is never seen.
  let seen = textsOf(files);
  const timer = setInterval(() => {
    const texts = textsOf(files);
    if (texts === seen) return;
    seen = texts;
    renew();
  }, lookMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** Empty while a file is missing, as in the middle of a replacement. */
function textsOf({ certificate, key }: CertificateFiles): string {
  try {
    return readFileSync(certificate, 'utf8') + readFileSync(key, 'utf8');
  } catch {
    return '';
  }
}
