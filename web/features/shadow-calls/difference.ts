/** Which words of two texts are in both, in their order; for long texts the question costs too much and is not asked. */

export interface Piece {
  readonly text: string;
  readonly isShared: boolean;
}

const MOST_WORDS = 1200;

/** Words with the space behind them; Chinese by the character. */
const wordsOf = (text: string): string[] =>
  text.match(/[\p{Script=Han}]|[^\s\p{Script=Han}]+\s*|\s+/gu) ?? [];

/** The pieces of each text; undefined: too long. */
export function differenceOf(left: string, right: string): [Piece[], Piece[]] | undefined {
  const [one, other] = [wordsOf(left), wordsOf(right)];
  if (one.length > MOST_WORDS || other.length > MOST_WORDS) return undefined;
  const at = commonLengths(one, other);
  const pieces: [Piece[], Piece[]] = [[], []];
  let [row, column] = [0, 0];
  while (row < one.length || column < other.length) {
    const isShared = row < one.length && column < other.length && one[row]?.trim() === other[column]?.trim();
    if (isShared) {
      add(pieces[0], one[row] ?? '', true);
      add(pieces[1], other[column] ?? '', true);
      row += 1;
      column += 1;
    } else if (column >= other.length || (row < one.length && at(row + 1, column) >= at(row, column + 1))) {
      add(pieces[0], one[row] ?? '', false);
      row += 1;
    } else {
      add(pieces[1], other[column] ?? '', false);
      column += 1;
    }
  }
  return pieces;
}

function add(pieces: Piece[], text: string, isShared: boolean): void {
  const last = pieces.at(-1);
  if (last?.isShared === isShared) pieces[pieces.length - 1] = { text: last.text + text, isShared };
  else pieces.push({ text, isShared });
}

/** How long the longest common part is of what begins at each pair of words. */
function commonLengths(
  one: readonly string[],
  other: readonly string[],
): (row: number, column: number) => number {
  const width = other.length + 1;
  const lengths = new Uint16Array((one.length + 1) * width);
  const at = (row: number, column: number): number => lengths[row * width + column] ?? 0;
  for (let row = one.length - 1; row >= 0; row -= 1)
    for (let column = other.length - 1; column >= 0; column -= 1)
      lengths[row * width + column] =
        one[row]?.trim() === other[column]?.trim()
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
  return at;
}
