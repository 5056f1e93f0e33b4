/** Gives a plan to a user without payment. */
import { NumberInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { ManagedPlan } from '#contract/money/plans.ts';
import { api } from '#web/api.ts';
import { FormDialog } from '#web/ui/feedback/form-dialog.tsx';
import { toast } from '#web/ui/feedback/toast.tsx';
import { useForm } from '#web/ui/input/use-form.ts';
import { nameOf } from './plan-text.ts';
import { PLANS_KEY } from './queries.ts';
import { usePlanWords } from './words.ts';
import classes from './plans.module.css';

export function GrantDialog({ plan, onClose }: { plan: ManagedPlan; onClose: () => void }) {
  const { t } = useTranslation('plans');
  const words = usePlanWords();
  const form = useForm({
    begin: () => ({ user_id: Number.NaN }),
    send: ({ user_id }, { requestId }) =>
      api.plans.grant({ body: { plan_id: plan.id, user_id, request_id: requestId() } }),
    onSent: () => {
      toast.success(t('manage.message.granted'));
      onClose();
    },
    refresh: [PLANS_KEY],
  });
  return (
    <FormDialog
      title={t('grant.title', { name: nameOf(plan) })}
      submitLabel={t('grant.go')}
      disabled={!form.values.user_id}
      className={`stack12 ${classes.form}`}
      buttons="buttons"
      form={form}
      onClose={onClose}
    >
      <p className="caption">
        {words.quota(plan)} · {words.duration(plan)}
      </p>
      <NumberInput
        {...form.number('user_id')}
        label={t('grant.user')}
        min={1}
        allowDecimal={false}
        allowNegative={false}
        data-autofocus
        error={form.errorOf('user_id')}
      />
    </FormDialog>
  );
}
