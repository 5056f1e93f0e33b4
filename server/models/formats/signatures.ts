// Reasoning signatures are valid only for their issuer, but callers keep them in a field of their own format. A foreign
// signature is marked with its issuer when sent to the caller, so that it later goes to its issuer and to no other.
import type { CanonicalPart, Origin } from './canonical.ts';

const PREFIX = 'tg1.';
const ORIGINS: ReadonlySet<string> = new Set<Origin>(['openai', 'anthropic', 'google']);

/** A signature of reasoning, or an encrypted block of reasoning. */
export interface ReasoningSignature {
  signature?: string;
  redacted?: string;
  origin: Origin;
  /** The id given by the issuer. */
  id?: string;
}

/** As stored by a caller of `native`'s format. */
export function encodeSignature(
  { signature, redacted, origin, id }: ReasoningSignature,
  native: Origin,
): string {
  const kept = redacted ?? signature ?? '';
  if (origin === native) return kept;
  return `${PREFIX}${origin}${redacted === undefined ? '' : '!'}.${id ?? ''}.${kept}`;
}

/** `isRedacted` applies to a signature of `native` itself. */
export function decodeSignature(kept: string, native: Origin, isRedacted = false): ReasoningSignature {
  if (kept.startsWith(PREFIX)) {
    const [mark = '', id = ''] = kept.slice(PREFIX.length).split('.', 2);
    const origin = mark.replace('!', '');
    const value = kept.slice(PREFIX.length + mark.length + id.length + 2);
    if (ORIGINS.has(origin)) {
      const issued = mark.endsWith('!') ? { redacted: value } : { signature: value };
      return { ...issued, origin: origin as Origin, ...(id === '' ? {} : { id }) };
    }
  }
  return isRedacted ? { redacted: kept, origin: native } : { signature: kept, origin: native };
}

/**
 * Google signs the call or text after the reasoning. Formats that keep signatures beside reasoning put such a signature
 * before that part; this moves it into the part.
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
    } else if (
      held !== undefined &&
      (part.type === 'tool_call' || part.type === 'text' || part.type === 'image')
    ) {
      placed.push({ ...part, signature: held });
      held = undefined;
    } else placed.push(part);
  }
  return placed;
}
