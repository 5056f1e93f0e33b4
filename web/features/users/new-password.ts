/** A random password of 16 characters, without characters that look alike. */

const ALPHABET = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const LENGTH = 16;

export function newPassword(): string {
  const characters: string[] = [];
  while (characters.length < LENGTH) {
    for (const byte of crypto.getRandomValues(new Uint8Array(LENGTH))) {
      // Rejection sampling: the remaining bytes would make the first letters more likely.
      const character = byte < 256 - (256 % ALPHABET.length) ? ALPHABET[byte % ALPHABET.length] : undefined;
      if (character !== undefined && characters.length < LENGTH) characters.push(character);
    }
  }
  return characters.join('');
}
