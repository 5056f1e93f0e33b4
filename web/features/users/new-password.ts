/** A password nobody would choose: 16 characters without those that are mistaken for each other. */

const ALPHABET = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const LENGTH = 16;

export function newPassword(): string {
  const characters: string[] = [];
  while (characters.length < LENGTH) {
    for (const byte of crypto.getRandomValues(new Uint8Array(LENGTH))) {
      // Bytes beyond the last whole round of the alphabet would make its first letters likelier.
      const character = byte < 256 - (256 % ALPHABET.length) ? ALPHABET[byte % ALPHABET.length] : undefined;
      if (character !== undefined && characters.length < LENGTH) characters.push(character);
    }
  }
  return characters.join('');
}
