/** The state of the form: values, which problems to show yet, and what has been changed. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ManagedUser } from '#contract/users.ts';
import { useDisplay } from '#web/ui/format/display.ts';
import { renderQuota } from '#web/ui/format/number.ts';
import {
  changedCount,
  formValues,
  freeQuota,
  problemsOf,
  type FieldName,
  type Problem,
  type UserFormValues,
} from './form-values.ts';

export interface UserForm {
  values: UserFormValues;
  set: (name: FieldName, value: string) => void;
  /** The sentence to show at a field, once the user has left it or tried to save. */
  errorOf: (name: FieldName) => string | undefined;
  leave: (name: FieldName) => void;
  /** A refusal of the server that belongs to a field. */
  setServerError: (name: FieldName, message: string) => void;
  changed: number;
  shownProblems: number;
  /** Shows all problems; true when there are none. */
  check: () => boolean;
}

/** Judged while typing: the preview below depends on it. */
const LIVE: readonly FieldName[] = ['quota_change'];

export function useUserForm(user: ManagedUser | undefined): UserForm {
  const { t } = useTranslation('users');
  const display = useDisplay();
  const [values, setValues] = useState(() => formValues(user));
  const [left, setLeft] = useState<ReadonlySet<FieldName>>(new Set(LIVE));
  const [tried, setTried] = useState(false);
  const [serverErrors, setServerErrors] = useState<Partial<Record<FieldName, string>>>({});
  const problems = problemsOf(values, user);

  const sentence = (problem: Problem) =>
    problem === 'quotaShort'
      ? t('error.quotaShort', { available: renderQuota(user ? freeQuota(user) : 0, display) })
      : t(`error.${problem}`);
  const shown = (name: FieldName) => (tried || left.has(name) ? problems[name] : undefined);
  const names = Object.keys(values) as FieldName[];
  return {
    values,
    set: (name, value) => {
      setValues((before) => ({ ...before, [name]: value }));
      setServerErrors((before) => ({ ...before, [name]: undefined }));
    },
    errorOf: (name) => {
      const problem = shown(name);
      return problem ? sentence(problem) : serverErrors[name];
    },
    leave: (name) => setLeft((before) => new Set([...before, name])),
    setServerError: (name, message) => setServerErrors((before) => ({ ...before, [name]: message })),
    changed: user ? changedCount(values, user) : 0,
    shownProblems: names.filter((name) => shown(name) !== undefined || serverErrors[name]).length,
    check: () => {
      setTried(true);
      return Object.keys(problems).length === 0;
    },
  };
}
