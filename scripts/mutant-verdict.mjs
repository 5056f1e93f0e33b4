// One planted fault: how it is applied, and what a run of the tests says of it.

/** The text must occur once, so that the list cannot name text that is gone. */
export function mutated(mutant, source) {
  const found = source.split(mutant.find).length - 1;
  if (found !== 1)
    throw new Error(`${mutant.name}: the text to replace occurs ${found} times in ${mutant.file}, not once`);
  return source.replace(mutant.find, () => mutant.replace);
}

/**
 * `broken`: no test began, or each failed with an error of the program text, as when a name is missing; that says nothing
 * about the tests. An error of the database is a failed check: its constraints are part of the defence.
 */
export function verdictOf(code, output) {
  if (code === 0) return 'survived';
  if (!/^\(fail\)/m.test(output)) return 'broken';
  const hasPassed = /^\(pass\)/m.test(output);
  const isTextFault =
    /^(?:error: )?(?:SyntaxError|ReferenceError|TypeError|ResolveMessage|BuildMessage)\b/m.test(output);
  return hasPassed || !isTextFault || /^error: expect\(/m.test(output) ? 'caught' : 'broken';
}
