// Audit texts without the values of fields that have the name of a secret.
const SECRET_NAME =
  /(password|passwd|secret|private_?key|api_?key|access_?token|token_?key|_digest|_sealed|_hash)$/i;
const EXACT_SECRET_NAME = /^(key|token|code|cookie|authorization)$/i;
const HIDDEN = '•••';

/** Text that does not parse is not shown: a secret in it could not be masked. */
export function withoutSecrets(text: string): string {
  if (text === '' || text === '{}') return '';
  try {
    const value: unknown = JSON.parse(text);
    return JSON.stringify(value, (name, part: unknown) =>
      typeof part === 'string' && part !== '' && (SECRET_NAME.test(name) || EXACT_SECRET_NAME.test(name))
        ? HIDDEN
        : part,
    );
  } catch {
    return '';
  }
}
