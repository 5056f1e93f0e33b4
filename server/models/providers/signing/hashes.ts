// The hashes that signatures are made of.
import { createHash, createHmac } from 'node:crypto';

type Bytes = string | Uint8Array;

export function sha256Hex(data: Bytes): string {
  return createHash('sha256').update(data).digest('hex');
}

export function hmacSha256(key: Bytes, data: Bytes): Buffer {
  return createHmac('sha256', key).update(data).digest();
}
