// A function that acts begins with a verb: one that waits for something, or returns nothing, is not named by a participle
// (`lockOrder`, not `lockedOrder`). A pure function may be named by what it returns. Methods are left out: `breaker.failed(…)` tells
// an object what has happened.
import { expect, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.join(import.meta.dirname, '..');

const IRREGULAR =
  'begun|bought|broken|chosen|done|drawn|found|given|gone|held|hidden|kept|known|left|lost|made|meant|overwritten|paid|rewritten|' +
  'said|seen|sent|shown|sold|spent|spoken|taken|taught|told|understood|woken|written|withdrawn';
const PARTICIPLE = new RegExp(`^(?:(?:un|re|over)?[a-z]+ed|(?:un)?(?:${IRREGULAR}))(?![a-z])`);
/** Verbs that look like one. */
const VERB = /^(?:need|seed|feed|embed|proceed|succeed|exceed)(?![a-z])/;
const FUNCTION =
  /^[ \t]*(?:export )?(async )?function\*? (\w+)(?:<[^(]*>)?\(|^[ \t]*(?:export )?const (\w+) = (async )?(?:<[^(]*>)?\(/gm;
/** What stands after the parameters, whose opening bracket is before `at`. */
function afterParameters(text: string, at: number): string {
  let depth = 1;
  let end = at;
  for (; depth > 0 && end < text.length; end += 1)
    if (text[end] === '(') depth += 1;
    else if (text[end] === ')') depth -= 1;
  return text.slice(end, end + 300);
}

function actingParticiples(text: string): string[] {
  return [...text.matchAll(FUNCTION)].flatMap((match) => {
    const name = match[2] ?? match[3] ?? '';
    if (!PARTICIPLE.test(name) || VERB.test(name)) return [];
    const rest = afterParameters(text, match.index + match[0].length);
    // An expression in brackets is no function.
    if (match[3] !== undefined && !/^(?:: [^=;]+)? =>/.test(rest)) return [];
    const isAsync = (match[1] ?? match[4]) !== undefined;
    return isAsync || /^: (?:Promise<|AsyncGenerator<|void\b|never\b)/.test(rest) ? [name] : [];
  });
}

test('functions that act begin with a verb (R30)', () => {
  const files = execFileSync('git', ['ls-files', '-z', 'contract', 'server', 'web'], { cwd: ROOT })
    .toString()
    .split('\0')
    .filter((file) => /\.tsx?$/.test(file) && !/\.test\.|\/migrations\//.test(file));
  const found = files.flatMap((file) =>
    actingParticiples(readFileSync(path.join(ROOT, file), 'utf8')).map((name) => `${file}: ${name}`),
  );
  expect(found).toEqual([]);
});

test('a participle is found, whatever kind of function it names', () => {
  const text = `
export async function lockedOrder({ dialect }: Engine, id: number) {
  return 1;
}
function announced(
  streams: Set<string>,
  log: Log,
): void {
}
const kept = async () => {};
const broken = (error: unknown): Promise<void> => fail(error);
function changed(text: string): string {
  return text;
}
const shown = (await readAll()).map((row): void => {});
async function lockOrder() {
}
`;
  expect(actingParticiples(text)).toEqual(['lockedOrder', 'announced', 'kept', 'broken']);
});
