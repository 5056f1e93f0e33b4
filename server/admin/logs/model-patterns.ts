// The model filter: exact names, or patterns in which `%` matches any text. The number of wildcards is bounded here for
// every query of the log, because it decides how expensive the check of one row is.
import { AppError } from '#contract/errors.ts';

export const MOST_WILDCARDS = 16;
const MOST_MODELS = 60;

/** One name, or several separated by commas. Undefined: every model matches. */
export function modelPatterns(text: string): string[] | undefined {
  const names = text.split(',').map((name) => name.trim().replaceAll(/%+/g, '%'));
  const models = [...new Set(names.filter((name) => name !== ''))].slice(0, MOST_MODELS);
  if (models.includes('%')) return undefined;
  const wildcards = models.reduce((sum, name) => sum + name.split('%').length - 1, 0);
  if (wildcards > MOST_WILDCARDS)
    throw new AppError('too_many_wildcards', { limit: MOST_WILDCARDS }, { field: 'model_name' });
  return models;
}

export function isPattern(name: string): boolean {
  return name.includes('%');
}

/** For `like … escape '\'`. `_` is an ordinary character of model names; only `%` is a wildcard. */
export function likePattern(pattern: string): string {
  return pattern.replaceAll(/[\\_]/g, (character) => `\\${character}`);
}

/**
 * The same result as `like` in the database, without regard to case. Each part is searched once, behind the part before
 * it: a regular expression could backtrack exponentially, on the thread that relays.
 */
export function fitsPattern(name: string, pattern: string): boolean {
  const [first = '', ...parts] = pattern.toLowerCase().split('%');
  const text = name.toLowerCase();
  const last = parts.pop();
  if (last === undefined) return name === pattern;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const part of parts) {
    const found = text.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}
