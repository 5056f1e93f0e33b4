// An upstream's own words for the operator: in one line, with keys masked. Callers never read them.

const LONGEST = 300;
const MASKED = '***';

/** Keys of known vendors, bearer tokens, and passwords in addresses. */
const SECRET_SHAPES: readonly RegExp[] = [
  /\b(?:sk|pk|rk|ak|key|xai|gsk|AIza|Bearer\s+|Basic\s+)[-_]?[\w*.~+/=-]{8,}/gi,
  /\beyJ[\w-]{8,}\.[\w-]+(?:\.[\w-]*)?/g,
  /(?<=[?&](?:key|api[-_]?key|token|access_token|signature)=)[^&\s"']+/gi,
  /(?<=:\/\/)[^\s/@"']+(?=@)/g,
];

/** `key` is the channel's key; each part of a key of several parts is secret too. */
export function withoutKey(text: string, key: string): string {
  const parts = [key, ...key.split('|')].filter((part) => part.length >= 8);
  return parts.reduce((shown, part) => shown.replaceAll(part, MASKED), text);
}

export function operatorText(text: string, key: string): string {
  const line = text
    .slice(0, 4000)
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .trim();
  const hidden = SECRET_SHAPES.reduce(
    (shown, shape) => shown.replaceAll(shape, MASKED),
    withoutKey(line, key),
  );
  return hidden.length > LONGEST ? `${hidden.slice(0, LONGEST)}…` : hidden;
}
