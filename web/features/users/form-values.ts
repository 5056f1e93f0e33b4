/** The user form: its values, their problems, and the request body. */
import { PASSWORD_MIN_CHARACTERS, USERNAME_HINT_CHARACTERS } from '#contract/admin/session.ts';
import { DISPLAY_NAME_MAX } from '#contract/admin/user-management.ts';
import type { ManagedUser } from '#contract/admin/users.ts';

export interface UserFormValues {
  username: string;
  display_name: string;
  password: string;
  group: string;
  /** As typed, so that an invalid number can be reported. */
  quota_change: string;
  quota_reason: string;
}

export type FieldName = keyof UserFormValues;
export type Problem =
  | 'credentials'
  | 'usernameTooLong'
  | 'displayNameTooLong'
  | 'passwordTooShort'
  | 'quotaNumber'
  | 'quotaShort';

export function formValues(user: ManagedUser | undefined): UserFormValues {
  return {
    username: user?.username ?? '',
    display_name: user?.display_name ?? '',
    password: '',
    group: user?.group ?? 'default',
    quota_change: '',
    quota_reason: '',
  };
}

const lengthOf = (text: string) => Array.from(text.trim()).length;

/** Whole quota units; undefined when it is not a number. An empty field changes nothing. */
export function quotaChangeOf(text: string): number | undefined {
  const plain = text.replaceAll(/[,\s]/g, '').replace('−', '-');
  if (plain === '') return 0;
  if (!/^[+-]?\d+$/.test(plain)) return undefined;
  const change = Number(plain);
  return Number.isSafeInteger(change) ? change : undefined;
}

/** The quota without the holds of running calls. */
export function freeQuota(user: Pick<ManagedUser, 'quota' | 'held_quota'>): number {
  return user.quota - user.held_quota;
}

export function problemsOf(
  values: UserFormValues,
  user: ManagedUser | undefined,
): Partial<Record<FieldName, Problem>> {
  const problems: Partial<Record<FieldName, Problem>> = {};
  if (values.username.trim() === '') problems.username = 'credentials';
  // An imported name may be longer than the form accepts; it may stay.
  else if (values.username !== user?.username && lengthOf(values.username) > USERNAME_HINT_CHARACTERS)
    problems.username = 'usernameTooLong';
  if (lengthOf(values.display_name) > DISPLAY_NAME_MAX) problems.display_name = 'displayNameTooLong';
  if (values.password === '' && !user) problems.password = 'credentials';
  else if (values.password !== '' && Array.from(values.password).length < PASSWORD_MIN_CHARACTERS)
    problems.password = 'passwordTooShort';
  const change = quotaChangeOf(values.quota_change);
  if (change === undefined) problems.quota_change = 'quotaNumber';
  else if (user && freeQuota(user) + change < 0 && change < 0) problems.quota_change = 'quotaShort';
  return problems;
}

export function createBody(values: UserFormValues) {
  return {
    username: values.username.trim(),
    display_name: values.display_name.trim(),
    password: values.password,
    group: values.group,
  };
}

/** What the form was loaded with, or a restored draft was made from. */
export function baseValues({ username, display_name, group }: UserFormValues) {
  return { username, display_name, group };
}

/** Only changed fields; the balance as a difference, with an idempotency key. */
export function changeBody(values: UserFormValues, user: ManagedUser, key: string) {
  const quota_change = quotaChangeOf(values.quota_change) ?? 0;
  return {
    id: user.id,
    ...(values.username.trim() === user.username ? {} : { username: values.username.trim() }),
    ...(values.display_name.trim() === user.display_name ? {} : { display_name: values.display_name.trim() }),
    ...(values.group === user.group ? {} : { group: values.group }),
    ...(values.password === '' ? {} : { password: values.password }),
    ...(quota_change === 0 ? {} : { quota_change, quota_reason: values.quota_reason.trim(), quota_key: key }),
  };
}

/** How many fields would be sent. */
export function changedCount(values: UserFormValues, user: ManagedUser): number {
  const {
    id: _id,
    quota_key: _key,
    quota_reason: _reason,
    ...sent
  } = {
    quota_key: '',
    quota_reason: '',
    ...changeBody(values, user, ''),
  };
  return Object.keys(sent).length;
}
