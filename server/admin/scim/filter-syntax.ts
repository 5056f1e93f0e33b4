// The syntax of filters, read by a library whose costs are bounded here: its tokenizer backtracks on line breaks in an open text,
// and it goes as deep as the brackets do.
import { parse, type Filter } from 'scim2-parse-filter';
import { ScimProblem } from './problem.ts';

export type { Filter } from 'scim2-parse-filter';

const LONGEST = 2000;
const DEEPEST = 10;
const MOST_TERMS = 50;

const invalidFilter = (detail: string) => new ScimProblem(400, detail, 'invalidFilter');

export function parseFilter(text: string): Filter {
  if (text.length > LONGEST) throw invalidFilter(`A filter has at most ${LONGEST} characters.`);
  if (/\p{Cc}/u.test(text)) throw invalidFilter('A filter has no control characters.');
  requireShallow(text);
  let filter: Filter;
  try {
    filter = parse(text);
  } catch {
    throw invalidFilter('The filter cannot be read.');
  }
  if (termsIn(filter) > MOST_TERMS) throw invalidFilter(`A filter has at most ${MOST_TERMS} terms.`);
  return filter;
}

/** Outside texts. */
function requireShallow(text: string): void {
  const bare = text.replaceAll(/"(?:[^"\\]|\\.)*"/g, '');
  let depth = 0;
  for (const character of bare) {
    if (character === '(' || character === '[') depth += 1;
    if (character === ')' || character === ']') depth -= 1;
    if (depth > DEEPEST) throw invalidFilter(`Brackets of a filter go at most ${DEEPEST} deep.`);
  }
  if ((bare.match(/\bnot\b/gi)?.length ?? 0) > DEEPEST)
    throw invalidFilter(`A filter has at most ${DEEPEST} nots.`);
}

function termsIn(filter: Filter): number {
  switch (filter.op) {
    case 'and':
    case 'or':
      return filter.filters.reduce((sum, each) => sum + termsIn(each), 0);
    case 'not':
      return termsIn(filter.filter);
    case '[]':
      return termsIn(filter.valFilter);
    default:
      return 1;
  }
}
