// What an agent sees of a customer's username: its first and last character.

export function maskedName(username: string): string {
  const characters = Array.from(username);
  const [first = ''] = characters;
  const last = characters.length > 2 ? characters.at(-1) : '';
  return `${first}***${last}`;
}
