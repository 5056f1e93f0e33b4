/** The rules of the user form, and its sentences. */
import { useTranslation } from 'react-i18next';
import type { ManagedUser } from '#contract/admin/users.ts';
import { useDisplay } from '#web/ui/format/display.ts';
import { renderQuota } from '#web/ui/format/number.ts';
import { sentencesOf, type FieldRules, type Fields } from '#web/ui/input/use-form.ts';
import {
  formValues,
  freeQuota,
  problemsOf,
  type FieldName,
  type Problem,
  type UserFormValues,
} from './form-values.ts';

export type UserForm = Fields<UserFormValues>;

/** Checked while typing: the preview below depends on it. */
const LIVE: readonly FieldName[] = ['quota_change'];

export function useUserRules(user: ManagedUser | undefined): FieldRules<UserFormValues> {
  const { t } = useTranslation('users');
  const display = useDisplay();
  const sentenceOf = (problem: Problem) =>
    problem === 'quotaShort'
      ? t('error.quotaShort', { available: renderQuota(user ? freeQuota(user) : 0, display) })
      : t(`error.${problem}`);
  return {
    begin: () => formValues(user),
    problemsOf: (values) => sentencesOf(problemsOf(values, user), sentenceOf),
    checksOnLeave: 'filled',
    live: LIVE,
    aliases: { quota: 'quota_change' },
    // The change of the balance is not kept: after a lost answer a restored form would book it again under a new key.
    draft: { name: `user:${user?.id ?? 'new'}`, except: ['password', 'quota_change', 'quota_reason'] },
  };
}
