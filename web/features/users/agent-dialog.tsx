/** Makes a user an agent, changes the rate, or ends the agency. */
import { Button, NumberInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ManagedUser } from '#contract/admin/users.ts';
import { api } from '#web/api.ts';
import { errorMessage } from '#web/api/errors.ts';
import { CancelButton, DialogFrame } from '#web/ui/feedback/dialog-frame.tsx';
import { saveOnBase } from '#web/ui/conflict/save-on-base.ts';
import { toast } from '#web/ui/feedback/toast.tsx';
import { USERS_KEY } from './queries.ts';

const FIRST_PERCENT = 10;

export function AgentDialog({ user, onClose }: { user: ManagedUser; onClose: () => void }) {
  const { t } = useTranslation('users');
  const client = useQueryClient();
  // A refetch of the list must not change what is saved.
  const [loaded] = useState(user);
  const isAgent = loaded.agent_rate_percent !== null;
  const [percent, setPercent] = useState<number | string>(loaded.agent_rate_percent ?? FIRST_PERCENT);
  const rate = typeof percent === 'number' && percent >= 0 && percent <= 100 ? percent : undefined;
  const set = useMutation({
    meta: { silent: true },
    mutationFn: (active: boolean) => {
      const before = loaded.agent_rate_percent;
      // An agency that ends keeps its rate.
      const rate_percent = (active ? rate : before) ?? before ?? 0;
      const based_on = { active: before !== null, rate_percent: before };
      return saveOnBase({
        body: { user_id: user.id, active, rate_percent, based_on },
        send: (body) => api.agents.set({ body }),
        labelOf: (field) => t(field === 'rate_percent' ? 'agent.rate' : 'agent.isAgent'),
      });
    },
    onSuccess: () => {
      toast.success(t('agent.done'));
      onClose();
    },
    onSettled: () => client.invalidateQueries({ queryKey: USERS_KEY }),
  });
  const problem = rate === undefined ? t('agent.badRate') : set.error ? errorMessage(set.error) : undefined;
  return (
    <DialogFrame
      title={t(isAgent ? 'agent.editTitle' : 'agent.makeTitle', { name: user.username })}
      onClose={onClose}
    >
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (rate !== undefined) set.mutate(true);
        }}
      >
        <NumberInput
          label={t('agent.rate')}
          description={t('agent.rateHint', { name: user.username })}
          value={percent}
          min={0}
          max={100}
          decimalScale={2}
          allowNegative={false}
          data-autofocus
          error={problem}
          onChange={setPercent}
        />
        {isAgent ? <p className="top8 note">{t('agent.endHint')}</p> : null}
        <div className="flow8 buttons-below">
          {isAgent ? (
            <Button variant="subtle" color="red" onClick={() => set.mutate(false)}>
              {t('agent.end')}
            </Button>
          ) : null}
          <CancelButton />
          <Button type="submit" disabled={rate === undefined} loading={set.isPending}>
            {t(isAgent ? 'agent.save' : 'agent.submit')}
          </Button>
        </div>
      </form>
    </DialogFrame>
  );
}
