/** What the server refused of the targets, by its place: `0.when.max_cost`; blank for all of them together. */
import type { FieldProblem } from '#contract/endpoint.ts';

const PREFIX = /^(?:draft\.)?targets\.?/;

export function targetProblems(errors: readonly unknown[]): ReadonlyMap<string, string> {
  const problems = errors.flatMap((error) =>
    error instanceof Error && 'fields' in error && Array.isArray(error.fields)
      ? (error.fields as FieldProblem[])
      : [],
  );
  return new Map(
    problems
      .filter(({ field }) => PREFIX.test(field))
      .map(({ field, message }) => [field.replace(PREFIX, ''), message]),
  );
}

/** The sentences of one target; `within` gets the place in it. */
export function problemsWithin(problems: ReadonlyMap<string, string>, place: string): Map<string, string> {
  const prefix = `${place}.`;
  return new Map(
    [...problems]
      .filter(([at]) => at.startsWith(prefix))
      .map(([at, message]) => [at.slice(prefix.length), message]),
  );
}
