// Proofs of thought belong to who issued them, yet callers keep them in a field of their own format. A proof of another's
// is marked with its issuer on the way out, so that on the way back it goes to its issuer and to nobody else.
import type { CanonicalPart, Origin } from './canonical.ts';

const prefix = 'tg1.';
const origins: ReadonlySet<string> = new Set<Origin>(['openai', 'anthropic', 'google']);

/** A signature under a thought, or a whole thought that only its author can read. */
export interface Proof {
  signature?: string;
  redacted?: string;
  origin: Origin;
  /** The id its issuer knows it by. */
  id?: string;
}

/** As a caller of `native`'s format keeps it. */
export function keepProof({ signature, redacted, origin, id }: Proof, native: Origin): string {
  const kept = redacted ?? signature ?? '';
  if (origin === native) return kept;
  return `${prefix}${origin}${redacted === undefined ? '' : '!'}.${id ?? ''}.${kept}`;
}

/** `isRedacted`: what a proof of `native`'s own is. */
export function readProof(kept: string, native: Origin, isRedacted = false): Proof {
  if (kept.startsWith(prefix)) {
    const [mark = '', id = ''] = kept.slice(prefix.length).split('.', 2);
    const origin = mark.replace('!', '');
    const proof = kept.slice(prefix.length + mark.length + id.length + 2);
    if (origins.has(origin)) {
      const told = mark.endsWith('!') ? { redacted: proof } : { signature: proof };
      return { ...told, origin: origin as Origin, ...(id === '' ? {} : { id }) };
    }
  }
  return isRedacted ? { redacted: kept, origin: native } : { signature: kept, origin: native };
}

/**
 * Google signs the call or the text that a thought led to, not the thought. Formats that keep proofs beside thoughts carry
 * such a proof in front of what it belongs to; here it moves to its place.
 */
export function placeGoogleSignatures(parts: readonly CanonicalPart[]): CanonicalPart[] {
  const placed: CanonicalPart[] = [];
  let held: string | undefined;
  for (const part of parts) {
    if (
      part.type === 'reasoning' &&
      part.origin === 'google' &&
      (part.signature ?? part.redacted) !== undefined
    ) {
      held = part.signature ?? part.redacted;
      if (part.text !== '') placed.push({ type: 'reasoning', text: part.text });
    } else if (held !== undefined && (part.type === 'tool_call' || part.type === 'text')) {
      placed.push({ ...part, signature: held });
      held = undefined;
    } else placed.push(part);
  }
  return placed;
}
