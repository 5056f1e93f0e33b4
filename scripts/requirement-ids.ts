// Reads requirement ids from the checklists and from test titles, and reports which requirements have a test. A title is any
// string literal of a test file that is not in a comment and not behind `.skip` or `.todo`, so that tables of cases count
// too.

export interface Requirement {
  id: string;
  section: string;
  text: string;
}

export interface TitledId {
  id: string;
  file: string;
  line: number;
}

export interface SectionReport {
  section: string;
  covered: readonly Requirement[];
  /** Requirements without a test, with a written reason. */
  explained: readonly Requirement[];
  open: readonly Requirement[];
}

const ID_PATTERN = /\b[A-Z]{3}-\d+\.\d+\b/g;

/** The lines of one checklist: table rows whose first cell is an id, under their `## ` heading. */
export function readChecklist(markdown: string): Requirement[] {
  const requirements: Requirement[] = [];
  let heading = '';
  for (const line of markdown.split('\n')) {
    if (line.startsWith('## ')) heading = line.slice(3).trim();
    const row = /^\| ([A-Z]{3}-\d+\.\d+) \| (.*?) \|/.exec(line);
    if (row?.[1])
      requirements.push({ id: row[1], section: `${row[1].slice(0, 3)} ${heading}`, text: row[2] ?? '' });
  }
  return requirements;
}

/** Reasons for requirements without a test: table rows of ids and a reason. `REL-2.82 to REL-2.93` is a range. */
export function readReasons(markdown: string): Map<string, string> {
  const reasons = new Map<string, string>();
  for (const line of markdown.split('\n')) {
    const row = /^\| ((?:[A-Z]{3}-\d+\.\d+(?: to |, )?)+) +\| (.+?) +\|$/.exec(line);
    if (!row?.[1] || !row[2]) continue;
    for (const part of row[1].split(',')) {
      const [first = '', last = first] = part.trim().split(' to ');
      for (const id of idsBetween(first, last)) reasons.set(id, row[2]);
    }
  }
  return reasons;
}

/** Numbers of a section have two or three digits, as in its checklist. */
function idsBetween(first: string, last: string): string[] {
  const [, section = '', from = ''] = /^([A-Z]{3}-\d+\.)(\d+)$/.exec(first) ?? [];
  const [, other = '', to = ''] = /^([A-Z]{3}-\d+\.)(\d+)$/.exec(last) ?? [];
  if (section !== other) return [];
  const count = Math.max(0, Number(to) - Number(from)) + 1;
  return Array.from(
    { length: count },
    (_, index) => section + String(Number(from) + index).padStart(from.length, '0'),
  );
}

/** Every id in a string literal of a test file, with its line. */
export function readTitles(file: string, source: string): TitledId[] {
  const found: TitledId[] = [];
  for (const literal of stringLiterals(source)) {
    for (const match of literal.text.matchAll(ID_PATTERN)) {
      const line = source.slice(0, literal.start + match.index).split('\n').length;
      found.push({ id: match[0], file, line });
    }
  }
  return found;
}

/** Ids with a reason that are in no checklist. */
export function unknownReasons(
  requirements: readonly Requirement[],
  reasons: ReadonlyMap<string, string>,
): string[] {
  const known = new Set(requirements.map((requirement) => requirement.id));
  return [...reasons.keys()].filter((id) => !known.has(id));
}

/** Ids in titles that are in no checklist; only the checklists' prefixes count. */
export function unknownIds(requirements: readonly Requirement[], titled: readonly TitledId[]): TitledId[] {
  const known = new Set(requirements.map((requirement) => requirement.id));
  const prefixes = new Set(requirements.map((requirement) => requirement.id.slice(0, 3)));
  return titled.filter((title) => prefixes.has(title.id.slice(0, 3)) && !known.has(title.id));
}

/** Requirements by section, split into proven, explained and open. */
export function report(
  requirements: readonly Requirement[],
  titled: readonly TitledId[],
  reasons: ReadonlyMap<string, string> = new Map(),
): SectionReport[] {
  const proven = new Set(titled.map((title) => title.id));
  const sections = Map.groupBy(requirements, (requirement) => requirement.section);
  return [...sections].map(([section, members]) => ({
    section,
    covered: members.filter((member) => proven.has(member.id)),
    explained: members.filter((member) => !proven.has(member.id) && reasons.has(member.id)),
    open: members.filter((member) => !proven.has(member.id) && !reasons.has(member.id)),
  }));
}

interface Literal {
  start: number;
  text: string;
}

// A scanner, not a parser: it recognises comments, quotes and templates. A quote inside a regular expression misleads it at
// most to the end of that line.
function* stringLiterals(source: string): Generator<Literal> {
  let position = 0;
  while (position < source.length) {
    const two = source.slice(position, position + 2);
    const character = source[position] ?? '';
    if (two === '//') {
      position = endOf(source, '\n', position);
    } else if (two === '/*') {
      position = endOf(source, '*/', position + 2);
    } else if (character === "'" || character === '"' || character === '`') {
      const end = closingQuote(source, position, character);
      const before = source.slice(Math.max(0, position - 40), position);
      if (!/\.(skip|todo)(\.each)?\s*\(\s*$/.test(before)) {
        yield { start: position + 1, text: source.slice(position + 1, end) };
      }
      position = end + 1;
    } else {
      position += 1;
    }
  }
}

function endOf(source: string, mark: string, from: number): number {
  const index = source.indexOf(mark, from);
  return index === -1 ? source.length : index + mark.length;
}

function closingQuote(source: string, open: number, quote: string): number {
  for (let position = open + 1; position < source.length; position += 1) {
    const character = source[position];
    if (character === '\\') position += 1;
    else if (character === quote) return position;
    else if (character === '\n' && quote !== '`') return position;
  }
  return source.length;
}
