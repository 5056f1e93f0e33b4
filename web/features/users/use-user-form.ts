/** The state of the user form, and its sentences. */
import { useTranslation } from 'react-i18next';
import type { ManagedUser } from '#contract/admin/users.ts';
import { useDisplay } from '#web/ui/format/display.ts';
import { renderQuota } from '#web/ui/format/number.ts';
import { useFields, type Fields } from '#web/ui/input/use-fields.ts';
import {
  changedCount,
  formValues,
  freeQuota,
  problemsOf,
  type FieldName,
  type Problem,
  type UserFormValues,
} from './form-values.ts';

export interface UserForm extends Fields<UserFormValues> {
  changed: number;
}

/** Checked while typing: the preview below depends on it. */
const LIVE: readonly FieldName[] = ['quota_change'];

export function useUserForm(user: ManagedUser | undefined): UserForm {
  const { t } = useTranslation('users');
  const display = useDisplay();
  const fields = useFields<UserFormValues, Problem>({
    begin: () => formValues(user),
    problemsOf: (values) => problemsOf(values, user),
    sentenceOf: (problem) =>
      problem === 'quotaShort'
        ? t('error.quotaShort', { available: renderQuota(user ? freeQuota(user) : 0, display) })
        : t(`error.${problem}`),
    live: LIVE,
    aliases: { quota: 'quota_change' },
    // The change of the balance is not kept: after a lost answer a restored form would book it again under a new key.
    draft: { name: `user:${user?.id ?? 'new'}`, except: ['password', 'quota_change', 'quota_reason'] },
  });
  return { ...fields, changed: user ? changedCount(fields.values, user) : 0 };
}
