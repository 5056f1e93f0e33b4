/** The terms of a plan, with what they are worth. */
import { UnstyledButton } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { PlanPageView } from '#contract/admin/plan-page.ts';
import { usePlanWords } from '#web/features/plans/words.ts';
import { GroupTag, Tag } from '#web/ui/badge/tag.tsx';
import { Moment } from '#web/ui/format/moment.tsx';
import layout from '#web/ui/input/form.module.css';
import { FactList } from '#web/ui/thing/facts.tsx';
import { ThingPanel } from '#web/ui/thing/panel.tsx';
import { descriptionOf } from '#web/features/plans/plan-text.ts';

export function PlanFacts({ data, onEdit }: { data: PlanPageView; onEdit: (() => void) | undefined }) {
  const { t } = useTranslation('plans');
  const { t: thing } = useTranslation('thing');
  const words = usePlanWords();
  const { plan } = data;
  const prices = words.prices(plan);
  const description = descriptionOf(plan);
  return (
    <ThingPanel
      title={thing('facts')}
      more={
        onEdit ? (
          <UnstyledButton className={layout.link} onClick={onEdit}>
            {t('manage.action.edit')}
          </UnstyledButton>
        ) : null
      }
      isFlush
    >
      <FactList
        facts={[
          { label: t('page.price'), value: prices.length > 0 ? prices.join(' / ') : t('page.notSold') },
          { label: t('page.lasts'), value: words.duration(plan) },
          { label: t('page.quota'), value: words.quota(plan), derived: words.worth(plan) },
          {
            label: t('page.models'),
            value:
              plan.models.length === 0 ? (
                t('offers.allModels')
              ) : (
                <span className="wrap8">
                  {plan.models.map((name) => (
                    <Tag key={name}>{name}</Tag>
                  ))}
                </span>
              ),
          },
          plan.group !== '' && { label: t('page.group'), value: <GroupTag group={plan.group} /> },
          plan.limit_per_user > 0 && { label: t('page.limit'), value: plan.limit_per_user },
          description !== '' && { label: t('page.description'), value: description },
          { label: t('page.created'), value: <Moment timestamp={plan.created_at} absolute /> },
          plan.deleted_at !== null && {
            label: t('page.removed'),
            value: <Moment timestamp={plan.deleted_at} absolute />,
          },
        ]}
      />
    </ThingPanel>
  );
}
