// Time-based one-time passwords (RFC 6238: HMAC-SHA-1, 30 seconds, 6 digits), as authenticator apps make them.
import { randomBytes } from 'node:crypto';

export const TOTP = { periodSeconds: 30, digits: 6, secretBytes: 20 } as const;
/** The device's clock may be wrong by this many steps. */
const WINDOW_STEPS = 1;
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

export const newTotpSecret = () => toBase32(randomBytes(TOTP.secretBytes));

export const stepAt = (unixSeconds: number) => Math.floor(unixSeconds / TOTP.periodSeconds);

export async function totpCode(secret: string, step: number): Promise<string> {
  const key = await crypto.subtle.importKey(
    'raw',
    fromBase32(secret),
    { name: 'HMAC', hash: 'SHA-1' },
    false,
    ['sign'],
  );
  const counter = new DataView(new ArrayBuffer(8));
  counter.setBigUint64(0, BigInt(step));
  const mac = new DataView(await crypto.subtle.sign('HMAC', key, counter.buffer));
  const offset = mac.getUint8(mac.byteLength - 1) & 0x0f;
  const number = (mac.getUint32(offset) & 0x7f_ff_ff_ff) % 10 ** TOTP.digits;
  return String(number).padStart(TOTP.digits, '0');
}

/** The time step of a code, among the steps around now; null: a wrong code. */
export async function matchingStep(
  secret: string,
  code: string,
  unixSeconds: number,
): Promise<number | null> {
  const now = stepAt(unixSeconds);
  let found: number | null = null;
  // Every step is compared, for a constant time.
  for (let step = now - WINDOW_STEPS; step <= now + WINDOW_STEPS; step += 1)
    if ((await totpCode(secret, step)) === code) found = step;
  return found;
}

/** The content of the QR code. */
export function otpauthUri(issuer: string, username: string, secret: string): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(username)}`;
  const query = new URLSearchParams({
    secret,
    issuer,
    algorithm: 'SHA1',
    digits: String(TOTP.digits),
    period: String(TOTP.periodSeconds),
  });
  return `otpauth://totp/${label}?${query.toString().replaceAll('+', '%20')}`;
}

function toBase32(bytes: Uint8Array): string {
  let bits = '';
  for (const byte of bytes) bits += byte.toString(2).padStart(8, '0');
  return (bits.match(/.{1,5}/g) ?? [])
    .map((five) => BASE32[Number.parseInt(five.padEnd(5, '0'), 2)])
    .join('');
}

function fromBase32(text: string): Uint8Array<ArrayBuffer> {
  const bits = Array.from(text.toUpperCase(), (character) =>
    BASE32.indexOf(character).toString(2).padStart(5, '0'),
  ).join('');
  const bytes = bits.match(/.{8}/g) ?? [];
  return Uint8Array.from(bytes, (byte) => Number.parseInt(byte, 2));
}
