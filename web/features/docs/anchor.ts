/** The anchor of a heading, as GitHub makes it too: lower case, hyphens for spaces, other punctuation left out. */
export function anchorOf(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');
}
