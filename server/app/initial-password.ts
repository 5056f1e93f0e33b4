// The generated password of the first super admin, in a file that only its owner can read, until it is changed.
import { randomInt } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** Without characters that look alike in a terminal. */
const ALPHABET = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const LENGTH = 16;

export function randomPassword(): string {
  return Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}

export function initialPasswordFile(dataDir: string): string {
  return path.resolve(dataDir, 'initial-root-password.txt');
}

export async function keepInitialPassword(dataDir: string, password: string): Promise<string> {
  const file = initialPasswordFile(dataDir);
  await mkdir(path.dirname(file), { recursive: true });
  // Removed first: the mode applies only to a new file.
  await rm(file, { force: true });
  await writeFile(file, `${password}\n`, { mode: 0o600, flag: 'wx' });
  return file;
}

export async function forgetInitialPassword(dataDir: string): Promise<void> {
  await rm(initialPasswordFile(dataDir), { force: true });
}
