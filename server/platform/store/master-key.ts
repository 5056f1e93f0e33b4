// The one secret outside the database: 32 bytes from MASTER_KEY, or a 0600 file made at the first start.
import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { MasterKeyError } from './errors.ts';

const KEY_BYTES = 32;

export interface MasterKeyOptions {
  dataDir: string;
  masterKey?: string | undefined;
  /** False when the database already holds secrets: a new key would open none of them. */
  mayCreate: boolean;
}

export function loadMasterKey({ dataDir, masterKey, mayCreate }: MasterKeyOptions): Buffer {
  if (masterKey !== undefined && masterKey !== '') return decodeKey(masterKey, 'MASTER_KEY');
  const file = masterKeyFile(dataDir);
  const existing = readKey(file);
  if (existing !== undefined) return decodeKey(existing, file);
  if (!mayCreate) {
    throw new MasterKeyError(
      `The database holds encrypted secrets, but MASTER_KEY is not set and ${file} does not exist. ` +
        'Bring back the key file from your backup, or set MASTER_KEY to the key of the first start.',
    );
  }
  createKey(file);
  const created = readKey(file);
  if (created === undefined) throw new MasterKeyError(`The master key could not be written to ${file}.`);
  return decodeKey(created, file);
}

export function masterKeyFile(dataDir: string): string {
  return join(dataDir, 'master.key');
}

function readKey(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Several processes may start at once: the file appears whole or not at all, and the first one wins. */
function createKey(file: string): void {
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  const descriptor = openSync(draft, 'wx', 0o600);
  try {
    writeSync(descriptor, `${randomBytes(KEY_BYTES).toString('hex')}\n`);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  try {
    linkSync(draft, file);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  } finally {
    rmSync(draft);
  }
}

function decodeKey(text: string, source: string): Buffer {
  const key = /^[0-9a-f]{64}$/i.test(text) ? Buffer.from(text, 'hex') : decodeBase64(text);
  if (key?.length === KEY_BYTES) return key;
  throw new MasterKeyError(`${source} must be ${KEY_BYTES} bytes, written as 64 hex digits or as base64.`);
}

function decodeBase64(text: string): Buffer | undefined {
  return /^[\w+/-]{43}=?$/.test(text) ? Buffer.from(text, 'base64') : undefined;
}
