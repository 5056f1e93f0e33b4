// Names of a source that fit here.

/** Without control characters, at most so many characters, and unlike `taken`, which it joins in lower case. */
export function uniqueName(text: string, most: number, taken: Set<string>): string {
  const plain = text.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim();
  const cut = (length: number) => Array.from(plain).slice(0, length).join('').trim();
  let name = cut(most);
  for (let number = 2; taken.has(name.toLowerCase()); number += 1) {
    const suffix = ` ${number}`;
    name = `${cut(most - suffix.length)}${suffix}`;
  }
  taken.add(name.toLowerCase());
  return name;
}
