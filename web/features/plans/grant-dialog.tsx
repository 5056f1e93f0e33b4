/** Gives a plan to a user without payment. */
import { Button, NumberInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ManagedPlan } from '#contract/money/plans.ts';
import { api } from '#web/api.ts';
import { errorMessage } from '#web/api/errors.ts';
import { CancelButton, DialogFrame } from '#web/ui/feedback/dialog-frame.tsx';
import { toast } from '#web/ui/feedback/toast.tsx';
import { PLANS_KEY } from './queries.ts';
import { usePlanWords } from './words.ts';
import classes from './plans.module.css';

export function GrantDialog({ plan, onClose }: { plan: ManagedPlan; onClose: () => void }) {
  const { t } = useTranslation('plans');
  const words = usePlanWords();
  const client = useQueryClient();
  const [userId, setUserId] = useState<number>();
  const [requestId] = useState(() => crypto.randomUUID());
  const grant = useMutation({
    meta: { silent: true },
    mutationFn: (user_id: number) =>
      api.plans.grant({ body: { plan_id: plan.id, user_id, request_id: requestId } }),
    onSuccess: () => {
      toast.success(t('manage.message.granted'));
      onClose();
    },
    onSettled: () => client.invalidateQueries({ queryKey: PLANS_KEY }),
  });
  return (
    <DialogFrame title={t('grant.title', { name: plan.name })} onClose={onClose}>
      <form
        noValidate
        className={`stack12 ${classes.form}`}
        onSubmit={(event) => {
          event.preventDefault();
          if (userId) grant.mutate(userId);
        }}
      >
        <p className="caption">
          {words.quota(plan)} · {words.duration(plan)}
        </p>
        <NumberInput
          label={t('grant.user')}
          value={userId ?? ''}
          min={1}
          allowDecimal={false}
          allowNegative={false}
          data-autofocus
          error={grant.error ? errorMessage(grant.error) : undefined}
          onChange={(value) => setUserId(Number(value) || undefined)}
        />
        <div className="buttons">
          <CancelButton />
          <Button type="submit" disabled={!userId} loading={grant.isPending}>
            {t('grant.go')}
          </Button>
        </div>
      </form>
    </DialogFrame>
  );
}
