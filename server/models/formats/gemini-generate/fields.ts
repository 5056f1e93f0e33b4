// Google accepts every name in two spellings; signatures are base64.
import type { Json } from '#server/models/formats/json.ts';
import {
  encodeSignature,
  decodeSignature,
  type ReasoningSignature,
} from '#server/models/formats/signatures.ts';

const spellings = new Map<string, string>();

/** `inline_data` for `inlineData`. */
export function snakeCased(name: string): string {
  let other = spellings.get(name);
  if (other === undefined) {
    other = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    spellings.set(name, other);
  }
  return other;
}

/** The member in either spelling. */
export const field = (holder: Json, name: string): unknown => holder[name] ?? holder[snakeCased(name)];

/** `tg1.` in base64. */
const KEPT_PREFIX = 'dGcxL';

export function encodeGoogleSignature(issued: ReasoningSignature): string {
  const kept = encodeSignature(issued, 'google');
  return issued.origin === 'google' ? kept : Buffer.from(kept).toString('base64');
}

export function decodeGoogleSignature(kept: string): ReasoningSignature {
  if (!kept.startsWith(KEPT_PREFIX)) return { signature: kept, origin: 'google' };
  return decodeSignature(Buffer.from(kept, 'base64').toString(), 'google');
}
