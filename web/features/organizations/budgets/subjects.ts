/** Whose a budget can be, in words. The tag `user` is the end user of the caller's product. */
import { useTranslation } from 'react-i18next';
import { BUDGET_SUBJECTS, type BudgetView } from '#contract/admin/organization-budgets.ts';

export const END_USER_TAG = 'user';
export const SUBJECT_KINDS = [...BUDGET_SUBJECTS, 'user'] as const;
export type SubjectKind = (typeof SUBJECT_KINDS)[number];

export function useSubjectWords(): (
  budget: Pick<BudgetView, 'subject' | 'subject_name' | 'tag_key' | 'tag_value'>,
) => string {
  const { t } = useTranslation('organizations');
  return ({ subject, subject_name, tag_key, tag_value }) => {
    if (subject === 'organization') return t('budgets.subject.organization');
    if (subject !== 'tag')
      return t('budgets.of', { kind: t(`budgets.subject.${subject}`), name: subject_name || '?' });
    if (tag_key === END_USER_TAG)
      return tag_value === ''
        ? t('budgets.eachUser')
        : t('budgets.of', { kind: t('budgets.subject.user'), name: tag_value });
    return tag_value === '' ? t('budgets.eachOf', { tag: tag_key }) : `${tag_key}=${tag_value}`;
  };
}
