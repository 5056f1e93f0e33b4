/** The text of "copy selected". Keys have their prefix, as callers send them. */
import { TOKEN_KEY_PREFIX, type TokenView } from '#contract/admin/tokens.ts';

export const COPY_FORMATS = ['keys', 'named', 'env'] as const;
export type CopyFormat = (typeof COPY_FORMATS)[number];

type Named = Pick<TokenView, 'name' | 'key'>;

export function fullKey(token: Pick<TokenView, 'key'>): string {
  return TOKEN_KEY_PREFIX + token.key;
}

export function copyTextOf(tokens: readonly Named[], format: CopyFormat): string {
  if (format === 'keys') return tokens.map(fullKey).join('\n');
  if (format === 'named') return tokens.map((token) => `${token.name}    ${fullKey(token)}`).join('\n');
  const names = variableNames(tokens);
  return tokens.map((token, index) => `${names[index]}=${fullKey(token)}`).join('\n');
}

/** `prod-web` → `PROD_WEB_API_KEY`; names without ASCII letters and duplicates are numbered. */
export function variableNames(tokens: readonly Named[]): string[] {
  const taken = new Set<string>();
  return tokens.map((token) => {
    const letters = token.name
      .toUpperCase()
      .replaceAll(/[^A-Z\d]+/g, '_')
      .replaceAll(/^_+|_+$/g, '');
    const stem = letters === '' ? 'TOKEN' : /^\d/.test(letters) ? `TOKEN_${letters}` : letters;
    let name = `${stem}_API_KEY`;
    for (let number = 2; taken.has(name); number += 1) name = `${stem}_${number}_API_KEY`;
    taken.add(name);
    return name;
  });
}
