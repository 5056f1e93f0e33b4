/** Makes a user an agent, changes the rate, or ends the agency. */
import { Button, NumberInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ManagedUser } from '#contract/admin/users.ts';
import { api } from '#web/api.ts';
import { saveOnBase } from '#web/ui/conflict/save-on-base.ts';
import { FormDialog } from '#web/ui/feedback/form-dialog.tsx';
import { toast } from '#web/ui/feedback/toast.tsx';
import { useForm } from '#web/ui/input/use-form.ts';
import { USERS_KEY } from './queries.ts';

const FIRST_PERCENT = 10;

export function ResellerDialog({ user, onClose }: { user: ManagedUser; onClose: () => void }) {
  const { t } = useTranslation('users');
  const client = useQueryClient();
  // A refetch of the list must not change what is saved.
  const [{ agent_rate_percent: before }] = useState(user);
  const isAgent = before !== null;
  const save = (active: boolean, rate_percent: number) =>
    saveOnBase({
      body: { user_id: user.id, active, rate_percent, based_on: { active: isAgent, rate_percent: before } },
      send: (body) => api.agents.set({ body }),
      labelOf: (field) => t(field === 'rate_percent' ? 'agent.rate' : 'agent.isAgent'),
    });
  const onSent = () => {
    toast.success(t('agent.done'));
    onClose();
  };
  const form = useForm({
    begin: () => ({ rate_percent: before ?? FIRST_PERCENT }),
    live: ['rate_percent'],
    problemsOf: ({ rate_percent: rate }) =>
      rate >= 0 && rate <= 100 ? {} : { rate_percent: t('agent.badRate') },
    send: ({ rate_percent }) => save(true, rate_percent),
    onSent,
    refresh: [USERS_KEY],
  });
  const end = useMutation({
    ...form.refusal.mutation,
    // An agency that ends keeps its rate.
    mutationFn: () => save(false, before ?? 0),
    onSuccess: onSent,
    onSettled: () => client.invalidateQueries({ queryKey: USERS_KEY }),
  });
  return (
    <FormDialog
      title={t(isAgent ? 'agent.editTitle' : 'agent.makeTitle', { name: user.username })}
      submitLabel={t(isAgent ? 'agent.save' : 'agent.submit')}
      disabled={!form.isReady}
      className=""
      buttons="flow8 buttons-below"
      aside={
        isAgent ? (
          <Button variant="subtle" color="red" onClick={() => end.mutate()}>
            {t('agent.end')}
          </Button>
        ) : undefined
      }
      form={form}
      onClose={onClose}
    >
      <NumberInput
        {...form.number('rate_percent')}
        label={t('agent.rate')}
        description={t('agent.rateHint', { name: user.username })}
        min={0}
        max={100}
        decimalScale={2}
        allowNegative={false}
        data-autofocus
        error={form.errorOf('rate_percent')}
      />
      {isAgent ? <p className="top8 note">{t('agent.endHint')}</p> : null}
    </FormDialog>
  );
}
