// An upstream's error may repeat the caller's texts, and operators read such errors in logs. What the error quotes is masked.

const MASKED = '***';
/** Shorter matches are words that errors and prompts have in common. */
const SHORTEST_QUOTE = 12;
/** Half of it: a quote of that length contains a whole block of the text, wherever the quote begins. */
const BLOCK_LENGTH = SHORTEST_QUOTE / 2;
/** Bounds the time: beginning and end of the request are what errors quote. */
const MOST_TEXT = 500_000;

/** `words` without what they repeat of the texts. White space is compared as one space, because `words` are one line. */
export function withoutQuotes(words: string, texts: Iterable<string>): string {
  const places = blocksOf(words);
  if (places.size === 0) return words;
  const isQuoted = new Uint8Array(words.length);
  const text = readableText(texts);
  for (let at = 0; at + BLOCK_LENGTH <= text.length && places.size > 0; at += BLOCK_LENGTH) {
    const block = text.slice(at, at + BLOCK_LENGTH);
    const found = places.get(block);
    if (found === undefined) continue;
    for (const place of found) markQuote(words, place, text, at, isQuoted);
    // A text that repeats one block does not search it again.
    if (found.every((place) => isQuoted[place] === 1)) places.delete(block);
  }
  return shown(words, isQuoted);
}

function blocksOf(words: string): Map<string, number[]> {
  const places = new Map<string, number[]>();
  for (let at = 0; at + BLOCK_LENGTH <= words.length; at += 1) {
    const block = words.slice(at, at + BLOCK_LENGTH);
    const known = places.get(block);
    if (known === undefined) places.set(block, [at]);
    else known.push(at);
  }
  return places;
}

function readableText(texts: Iterable<string>): string {
  let text = '';
  for (const each of texts) {
    text += `${each.length > MOST_TEXT ? each.slice(0, MOST_TEXT) + each.slice(-MOST_TEXT) : each} `;
    if (text.length > 2 * MOST_TEXT) text = text.slice(0, MOST_TEXT) + text.slice(-MOST_TEXT);
  }
  return text.replaceAll(/\s+/g, ' ');
}

/** Extends the block that both have to both sides. */
function markQuote(words: string, place: number, text: string, at: number, isQuoted: Uint8Array): void {
  if (isQuoted[place] === 1) return;
  let before = 0;
  while (before < place && before < at && words[place - before - 1] === text[at - before - 1]) before += 1;
  let length = BLOCK_LENGTH;
  while (place + length < words.length && words[place + length] === text[at + length]) length += 1;
  if (before + length >= SHORTEST_QUOTE) isQuoted.fill(1, place - before, place + length);
}

function shown(words: string, isQuoted: Uint8Array): string {
  let text = '';
  for (let at = 0; at < words.length; at += 1) {
    if (isQuoted[at] === 0) text += words[at];
    else if (isQuoted[at - 1] !== 1) text += MASKED;
  }
  return text;
}
