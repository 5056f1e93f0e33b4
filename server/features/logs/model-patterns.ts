// The models a filter names: exact names, or patterns in which `%` stands for any text. What one pattern costs is bounded
// here for every question about the log, so that no caller can make one row expensive to look at.
import { AppError } from '#contract/errors.ts';

export const MOST_WILDCARDS = 16;
const MOST_MODELS = 60;

/** One name or several with commas. Undefined: any text at all, which is no filter. */
export function modelPatterns(text: string): string[] | undefined {
  const names = text.split(',').map((name) => name.trim().replaceAll(/%+/g, '%'));
  const models = [...new Set(names.filter((name) => name !== ''))].slice(0, MOST_MODELS);
  if (models.includes('%')) return undefined;
  const wildcards = models.reduce((sum, name) => sum + name.split('%').length - 1, 0);
  if (wildcards > MOST_WILDCARDS) throw new AppError('too_many_wildcards', { limit: MOST_WILDCARDS });
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
 * As `like` of the database sees it, whatever the case. Each part is looked for once, behind the one before it: a regular
 * expression would try them in every arrangement, on the thread that relays.
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
