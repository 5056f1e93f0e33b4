// The clauses of the audit's statements. Each can be changed alone: a condition that always or never holds, a branch of a union that
// is left out, a value of a list that is left out. A clause that no state of the books decides could be lost without notice.

/** A place of a statement, and what stands there instead. */
export interface Change {
  start: number;
  end: number;
  text: string;
}

interface Token {
  text: string;
  start: number;
  end: number;
}
/** What stands between parentheses, or between `case` and `end`. */
interface Group {
  kind: 'paren' | 'case';
  start: number;
  end: number;
  parts: Part[];
}
type Part = Token | Group;

const tokenPattern = /'(?:[^']|'')*'|"[^"]*"|[A-Za-z_$][\w.$]*|\d+|<>|<=|>=|\|\||::|[^\s]/g;
const isGroup = (part: Part | undefined): part is Group => part !== undefined && 'parts' in part;
const wordOf = (part: Part | undefined): string =>
  part === undefined || isGroup(part) ? '' : part.text.toLowerCase();

function parse(sql: string): Part[] {
  const tokens = Array.from(sql.matchAll(tokenPattern), ({ 0: text, index }) => ({
    text,
    start: index,
    end: index + text.length,
  }));
  let next = 0;
  const read = (closer: string): Part[] => {
    const parts: Part[] = [];
    for (;;) {
      const token = tokens[next];
      next += 1;
      if (token === undefined || wordOf(token) === closer) return parts;
      const kind = token.text === '(' ? 'paren' : wordOf(token) === 'case' ? 'case' : undefined;
      if (kind === undefined) {
        parts.push(token);
        continue;
      }
      const inner = read(kind === 'paren' ? ')' : 'end');
      parts.push({ kind, start: token.start, end: tokens[next - 1]?.end ?? sql.length, parts: inner });
    }
  };
  return read('');
}

/** Splits at these words; each piece begins after one. */
function splitAt(parts: readonly Part[], isSeparator: (word: string, index: number) => boolean): Part[][] {
  const pieces: Part[][] = [[]];
  for (const [index, part] of parts.entries()) {
    if (isSeparator(wordOf(part), index)) pieces.push([]);
    else pieces.at(-1)?.push(part);
  }
  return pieces;
}

const comparisons = new Set(['=', '<>', '<', '>', '<=', '>=', 'like', 'in', 'is', 'exists', 'between']);
const conditionsBegin = new Set(['where', 'having', 'on']);
const conditionsEnd = new Set(['group', 'order', 'limit', 'join', 'left', 'from', 'select', 'union']);

/** Every change of one clause, in the order of the text: statements that differ in their values have the same list. */
export function changesOf(sql: string): Change[] {
  const changes: Change[] = [];
  const replace = (piece: readonly Part[], text: string) => {
    const [first, last] = [piece[0], piece.at(-1)];
    if (first !== undefined && last !== undefined) changes.push({ start: first.start, end: last.end, text });
  };

  function readStatement(parts: readonly Part[]): void {
    const branches = splitAt(parts, (word) => word === 'union');
    for (const branch of branches) {
      const own = wordOf(branch[0]) === 'all' ? branch.slice(1) : branch;
      const [start, end] = [own[0]?.start ?? 0, own.at(-1)?.end ?? 0];
      if (branches.length > 1)
        changes.push({ start, end, text: `select * from (${sql.slice(start, end)}) gone where 1 = 0` });
      readBranch(own);
    }
  }

  function readBranch(parts: readonly Part[]): void {
    let condition: Part[] | undefined;
    let others: Part[] = [];
    const close = () => {
      if (condition !== undefined) readCondition(condition);
      condition = undefined;
      readOthers(others);
      others = [];
    };
    for (const part of parts) {
      const word = wordOf(part);
      if (conditionsBegin.has(word) || conditionsEnd.has(word)) {
        close();
        if (conditionsBegin.has(word)) condition = [];
      } else (condition ?? others).push(part);
    }
    close();
  }

  function readCondition(parts: readonly Part[]): void {
    const ofBetween = parts.flatMap((part, index) =>
      wordOf(part) === 'between'
        ? [parts.findIndex((later, at) => at > index && wordOf(later) === 'and')]
        : [],
    );
    const isBetween = (index: number) => ofBetween.includes(index);
    for (const piece of splitAt(parts, (word, at) => word === 'or' || (word === 'and' && !isBetween(at)))) {
      const [only] = piece;
      if (piece.length === 1 && isGroup(only) && !isStatement(only)) {
        if (only.kind === 'case') readCase(only, true);
        else readCondition(only.parts);
        continue;
      }
      replace(piece, '(1 = 1)');
      replace(piece, '(1 = 0)');
      readOthers(piece);
    }
  }

  function readCase({ parts }: Group, isCondition: boolean): void {
    const isSearched = wordOf(parts[0]) === 'when';
    let piece: Part[] = [];
    let opener = '';
    const close = () => {
      if (opener === 'when' && isSearched) readCondition(piece);
      else if (opener === 'when') replace(piece, 'null');
      else if (isCondition && opener !== '') readCondition(piece);
      else readOthers(piece);
    };
    for (const part of parts) {
      if (!['when', 'then', 'else'].includes(wordOf(part))) piece.push(part);
      else {
        close();
        [piece, opener] = [[], wordOf(part)];
      }
    }
    close();
  }

  const isStatement = ({ kind, parts }: Group) =>
    kind === 'paren' && ['select', 'with'].includes(wordOf(parts[0]));

  function readOthers(parts: readonly Part[]): void {
    for (const [index, part] of parts.entries()) {
      if (!isGroup(part)) continue;
      if (part.kind === 'case') readCase(part, false);
      else if (isStatement(part)) readStatement(part.parts);
      else if (wordOf(parts[index - 1]) === 'in') readList(part);
      else if (!isCall(parts[index - 1]) && part.parts.some((inner) => comparisons.has(wordOf(inner))))
        readCondition(part.parts);
      else readOthers(part.parts);
    }
  }

  const isCall = (before: Part | undefined) => /^[a-z_]\w*$/.test(wordOf(before)) && wordOf(before) !== 'not';

  function readList(list: Group): void {
    const values = splitAt(list.parts, (word) => word === ',');
    const textOf = (piece: readonly Part[]) => sql.slice(piece[0]?.start, piece.at(-1)?.end);
    if (values.length < 2) return;
    for (const left of values) {
      const kept = values.filter((value) => value !== left).map(textOf);
      changes.push({ start: list.start, end: list.end, text: `(${kept.join(', ')})` });
    }
  }

  readStatement(parse(sql));
  return changes;
}

export const changed = (sql: string, { start, end, text }: Change): string =>
  sql.slice(0, start) + text + sql.slice(end);

/** The statement with its values in the text: a clause that is left out takes its values along. */
export function withValues(sql: string, values: readonly unknown[]): string {
  let count = 0;
  return sql.replace(/'(?:[^']|'')*'|\?|\$(\d+)/g, (found, number: string | undefined) => {
    if (found.startsWith("'")) return found;
    const value = values[number === undefined ? count++ : Number(number) - 1];
    if (typeof value === 'number' || typeof value === 'bigint') return String(value);
    return `'${String(value).replaceAll("'", "''")}'`;
  });
}
