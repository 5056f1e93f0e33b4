/** The strength of a password: length first, then variety; common passwords are never strong. */
import { passwordProblem } from '#contract/admin/passwords.ts';
import { PASSWORD_MIN_CHARACTERS } from '#contract/admin/session.ts';

export type Strength = 'short' | 'common' | 'weak' | 'fair' | 'good' | 'strong';

const CLASSES = [/[a-z]/, /[A-Z]/, /\d/, /[^a-zA-Z\d]/];

export function missingCharacters(password: string): number {
  return Math.max(0, PASSWORD_MIN_CHARACTERS - Array.from(password).length);
}

export function passwordStrength(password: string, username = ''): Strength {
  if (missingCharacters(password) > 0) return 'short';
  if (passwordProblem(password, username) === 'password_too_common') return 'common';
  const classes = CLASSES.filter((pattern) => pattern.test(password)).length;
  const distinct = new Set(password).size;
  if (distinct < 5) return 'weak';
  const points = Math.min(password.length, 24) / 4 + classes + (distinct >= 10 ? 1 : 0);
  if (points < 5) return 'weak';
  if (points < 6.5) return 'fair';
  return points < 8 ? 'good' : 'strong';
}

/** Filled bars of four. */
export const STRENGTH_POSTS: Record<Strength, number> = {
  short: 0,
  common: 1,
  weak: 1,
  fair: 2,
  good: 3,
  strong: 4,
};
