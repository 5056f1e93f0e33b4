// Google's interfaces take every name in two spellings; the proofs they keep are base64.
import type { Json } from '#server/formats/json.ts';
import { keepProof, readProof, type Proof } from '#server/formats/signatures.ts';

const spellings = new Map<string, string>();

/** The member under its name or the other spelling of it. */
export function field(holder: Json, name: string): unknown {
  const value = holder[name];
  if (value !== undefined) return value;
  let other = spellings.get(name);
  if (other === undefined) {
    other = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    spellings.set(name, other);
  }
  return holder[other];
}

/** How `tg1.` begins in base64. */
const keptPrefix = 'dGcxL';

export function keepGoogleProof(proof: Proof): string {
  const kept = keepProof(proof, 'google');
  return proof.origin === 'google' ? kept : Buffer.from(kept).toString('base64');
}

export function readGoogleProof(kept: string): Proof {
  if (!kept.startsWith(keptPrefix)) return { signature: kept, origin: 'google' };
  return readProof(Buffer.from(kept, 'base64').toString(), 'google');
}
