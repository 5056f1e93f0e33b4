/** The rules of the registration form, checked before anything is sent. */
import { PASSWORD_MIN_CHARACTERS, USERNAME_HINT_CHARACTERS } from '#contract/admin/session.ts';

export interface RegisterFields {
  username: string;
  password: string;
  password2: string;
  email: string;
  verification_code: string;
}

export type RegisterProblem =
  | 'required'
  | 'usernameTooLong'
  | 'tooShort'
  | 'differ'
  | 'emailRequired'
  | 'codeRequired';

export type RegisterProblems = Partial<Record<keyof RegisterFields, RegisterProblem>>;

const length = (text: string) => Array.from(text).length;

export function registerProblems(fields: RegisterFields, emailVerification: boolean): RegisterProblems {
  const problems: RegisterProblems = {};
  if (!fields.username.trim()) problems.username = 'required';
  else if (length(fields.username.trim()) > USERNAME_HINT_CHARACTERS) problems.username = 'usernameTooLong';
  if (!fields.password) problems.password = 'required';
  else if (length(fields.password) < PASSWORD_MIN_CHARACTERS) problems.password = 'tooShort';
  if (fields.password !== fields.password2) problems.password2 = 'differ';
  if (emailVerification && !fields.email.trim()) problems.email = 'emailRequired';
  if (emailVerification && !fields.verification_code.trim()) problems.verification_code = 'codeRequired';
  return problems;
}
