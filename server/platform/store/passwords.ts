// Password hashing with bounded cost: argon2id, two at a time, a short queue, and an error instead of a longer one.
// A login for an unknown user costs the same as one with a wrong password.
import { randomBytes } from 'node:crypto';

/** What one hash takes. Only the tests' preload lowers it (tests/support/cheap-passwords.ts): no setting and no variable does. */
export const passwordCost = { memoryKiB: 19_456, passes: 2 };
const MAXIMUM_CONCURRENT = 2;
const MAXIMUM_QUEUED = 32;

/** Longer passwords are refused by validation; this is the last line against hashing megabytes. */
const MAXIMUM_BYTES = 128;

export class PasswordsBusyError extends Error {
  override name = 'PasswordsBusyError';
  readonly code = 'busy';
  constructor() {
    super('Too many passwords are being checked at once.');
  }
}

let running = 0;
const queue: (() => void)[] = [];

async function runBounded<T>(work: () => Promise<T>): Promise<T> {
  if (running >= MAXIMUM_CONCURRENT) {
    if (queue.length >= MAXIMUM_QUEUED) throw new PasswordsBusyError();
    // The one that finishes hands its place over, so `running` does not change.
    await new Promise<void>((resolve) => queue.push(resolve));
  } else {
    running += 1;
  }
  try {
    return await work();
  } finally {
    const next = queue.shift();
    if (next === undefined) running -= 1;
    else next();
  }
}

export async function hashPassword(password: string): Promise<string> {
  if (Buffer.byteLength(password) > MAXIMUM_BYTES)
    throw new RangeError(`A password has at most ${MAXIMUM_BYTES} bytes.`);
  return await runBounded(() =>
    Bun.password.hash(password, {
      algorithm: 'argon2id',
      memoryCost: passwordCost.memoryKiB,
      timeCost: passwordCost.passes,
    }),
  );
}

let dummyHash: Promise<string> | undefined;

/** As much work as an imported hash may ask for; what is above would hold one of the two places for minutes or years. */
const MOST_BCRYPT_ROUNDS = 14;
const MOST_ARGON_MEMORY_KIB = 256 * 1024;
const MOST_ARGON_PASSES = 10;
const MOST_ARGON_LANES = 16;

/** Whether checking a password against this hash takes a bounded time. Other kinds of hashes match nothing. */
export function isAffordableHash(hash: string): boolean {
  const bcrypt = /^\$2[aby]\$(\d{2})\$[./A-Za-z0-9]{53}$/.exec(hash);
  if (bcrypt !== null) return Number(bcrypt[1]) <= MOST_BCRYPT_ROUNDS;
  const argon = /^\$argon2(?:id|i|d)\$v=\d{1,3}\$m=(\d{1,9}),t=(\d{1,9}),p=(\d{1,9})\$/.exec(hash);
  if (argon === null) return false;
  const [, memory, time, lanes] = argon.map(Number);
  return (
    (memory ?? 0) <= MOST_ARGON_MEMORY_KIB &&
    (time ?? 0) <= MOST_ARGON_PASSES &&
    (lanes ?? 0) <= MOST_ARGON_LANES
  );
}

/** `hash` may be argon2id or an imported bcrypt hash; undefined or empty (unknown user) takes as long and is false. */
export async function verifyPassword(password: string, hash: string | undefined): Promise<boolean> {
  const usable = hash !== undefined && isAffordableHash(hash) && Buffer.byteLength(password) <= MAXIMUM_BYTES;
  if (!usable) {
    dummyHash ??= hashPassword(randomBytes(24).toString('base64url'));
    const dummy = await dummyHash.catch((error: unknown) => {
      dummyHash = undefined;
      throw error;
    });
    await runBounded(() => Bun.password.verify('not the password', dummy));
    return false;
  }
  return await runBounded(async () => {
    try {
      return await Bun.password.verify(password, hash);
    } catch {
      // A hash of an unknown kind matches nothing.
      return false;
    }
  });
}

/** True when the stored hash is not what `hashPassword` makes today; rehash after the next successful login. */
export function needsRehash(hash: string): boolean {
  const { memoryKiB, passes } = passwordCost;
  return !hash.startsWith(`$argon2id$v=19$m=${memoryKiB},t=${passes},p=1$`);
}
