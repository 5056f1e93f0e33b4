// A security key in software: creates passkeys and signs with them like a real one, so that the server's checks run. Options
// make it misbehave.
import { createHash, randomBytes } from 'node:crypto';

export interface PasskeyDevice {
  /** Answers `navigator.credentials.create()`. */
  create(options: Record<string, unknown>): Promise<Record<string, unknown>>;
  /** Answers `navigator.credentials.get()`. */
  get(options: Record<string, unknown>, lie?: Lie): Promise<Record<string, unknown>>;
  /** The signature counter. */
  counter: number;
  readonly credentialId: string;
}

export interface Lie {
  origin?: string;
  challenge?: string;
  /** The user was present but not verified. */
  unverified?: boolean;
  /** Signs with another key. */
  forged?: boolean;
}

const FLAGS = { present: 0x01, verified: 0x04, credential: 0x40 } as const;
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256' } as const;

export async function createPasskeyDevice(origin: string): Promise<PasskeyDevice> {
  const rpIdHash = createHash('sha256').update(new URL(origin).hostname).digest();
  const keys = await crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const stranger = await crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const rawId = randomBytes(32);
  const id = rawId.toString('base64url');
  let userHandle = '';

  const clientData = (type: string, challenge: string, from: string) =>
    Buffer.from(JSON.stringify({ type, challenge, origin: from, crossOrigin: false }));

  function authenticatorData(flags: number, counter: number, rest: Uint8Array = new Uint8Array()): Buffer {
    const head = Buffer.alloc(5);
    head.writeUInt8(flags, 0);
    head.writeUInt32BE(counter, 1);
    return Buffer.concat([rpIdHash, head, rest]);
  }

  async function publicKey(): Promise<Buffer> {
    const { x = '', y = '' } = await crypto.subtle.exportKey('jwk', keys.publicKey);
    return encode(
      new Map<number, unknown>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, Buffer.from(x, 'base64url')],
        [-3, Buffer.from(y, 'base64url')],
      ]),
    );
  }

  const envelope = { id, rawId: id, type: 'public-key', clientExtensionResults: {} };

  const device: PasskeyDevice = {
    counter: 0,
    credentialId: id,
    async create(options) {
      userHandle = (options['user'] as { id: string }).id;
      const length = Buffer.alloc(2);
      length.writeUInt16BE(rawId.length);
      const attested = Buffer.concat([Buffer.alloc(16), length, rawId, await publicKey()]);
      const flags = FLAGS.present | FLAGS.verified | FLAGS.credential;
      const attestationObject = encode(
        new Map<string, unknown>([
          ['fmt', 'none'],
          ['attStmt', new Map()],
          ['authData', authenticatorData(flags, device.counter, attested)],
        ]),
      );
      return {
        ...envelope,
        response: {
          clientDataJSON: clientData('webauthn.create', String(options['challenge']), origin).toString(
            'base64url',
          ),
          attestationObject: attestationObject.toString('base64url'),
        },
      };
    },
    async get(options, lie = {}) {
      device.counter += 1;
      const challenge = lie.challenge ?? String(options['challenge']);
      const client = clientData('webauthn.get', challenge, lie.origin ?? origin);
      const flags = lie.unverified ? FLAGS.present : FLAGS.present | FLAGS.verified;
      const data = authenticatorData(flags, device.counter);
      const signed = Buffer.concat([data, createHash('sha256').update(client).digest()]);
      const { privateKey } = lie.forged ? stranger : keys;
      const raw = await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, privateKey, signed);
      return {
        ...envelope,
        response: {
          clientDataJSON: client.toString('base64url'),
          authenticatorData: data.toString('base64url'),
          signature: derSignature(Buffer.from(raw)).toString('base64url'),
          userHandle,
        },
      };
    },
  };
  return device;
}

/** WebCrypto signs as two raw numbers, WebAuthn as an ASN.1 sequence of them. */
function derSignature(raw: Buffer): Buffer {
  const integer = (bytes: Buffer) => {
    let trimmed = bytes;
    while (trimmed.length > 1 && trimmed[0] === 0) trimmed = trimmed.subarray(1);
    const padded = ((trimmed[0] ?? 0) & 0x80) !== 0 ? Buffer.concat([Buffer.alloc(1), trimmed]) : trimmed;
    return Buffer.concat([Buffer.from([0x02, padded.length]), padded]);
  };
  const body = Buffer.concat([integer(raw.subarray(0, 32)), integer(raw.subarray(32))]);
  return Buffer.concat([Buffer.from([0x30, body.length]), body]);
}

/** CBOR, as far as passkeys use it: integers, bytes, texts and maps. */
function encode(value: unknown): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === 'string')
    return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value]);
  if (value instanceof Map)
    return Buffer.concat([
      head(5, value.size),
      ...Array.from(value as Map<unknown, unknown>).flatMap(([key, item]) => [encode(key), encode(item)]),
    ]);
  throw new TypeError('not a value this encoder knows');
}

function head(major: number, size: number): Buffer {
  if (size < 24) return Buffer.from([(major << 5) | size]);
  if (size < 256) return Buffer.from([(major << 5) | 24, size]);
  return Buffer.from([(major << 5) | 25, size >> 8, size & 0xff]);
}
