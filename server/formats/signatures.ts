// Proofs of thought belong to who issued them, yet callers keep them in a field of their own format. A proof of another's
// is marked with its issuer on the way out, so that on the way back it goes to its issuer and to nobody else.
import type { CanonicalPart, Origin } from './canonical.ts';

const prefix = 'tg1.';
const origins: ReadonlySet<string> = new Set<Origin>(['openai', 'anthropic', 'google']);

export interface Signed {
  signature: string;
  origin: Origin;
  /** The id its issuer knows it by. */
  id?: string;
}

/** As a caller of `native`'s format keeps it. */
export function wrapSignature({ signature, origin, id }: Signed, native: Origin): string {
  if (origin === native) return signature;
  return `${prefix}${origin}.${id ?? ''}.${signature}`;
}

export function unwrapSignature(kept: string, native: Origin): Signed {
  if (kept.startsWith(prefix)) {
    const [origin = '', id = ''] = kept.slice(prefix.length).split('.', 2);
    const signature = kept.slice(prefix.length + origin.length + id.length + 2);
    if (origins.has(origin)) {
      return { signature, origin: origin as Origin, ...(id === '' ? {} : { id }) };
    }
  }
  return { signature: kept, origin: native };
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
