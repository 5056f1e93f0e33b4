/** What can be done with a run in its state. */
import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { RerateDetail } from '#contract/money/rerating.ts';
import { api } from '#web/api.ts';
import { downloadFrom } from '#web/api/download.ts';
import { confirm } from '#web/ui/feedback/dialog-store.ts';
import { toast } from '#web/ui/feedback/toast.tsx';
import { useDisplay } from '#web/ui/format/display.ts';
import { groupDigits, renderQuota } from '#web/ui/format/number.ts';
import { RERATING_KEY } from './queries.ts';
import { UndoDialog } from './undo-dialog.tsx';

export function RunActions({ run }: { run: RerateDetail }) {
  const { t } = useTranslation('rerating');
  const client = useQueryClient();
  const display = useDisplay();
  const [isUndoing, setUndoing] = useState(false);
  const { id, calls, users, credit, debit, state, kind } = run;
  const onSettled = () => client.invalidateQueries({ queryKey: RERATING_KEY });
  const apply = useMutation({
    mutationFn: () => api.rerating.apply({ params: { id }, body: { calls, credit, debit } }),
    onSuccess: () => toast.success(t('apply.begun')),
    onSettled,
  });
  const discard = useMutation({
    mutationFn: () => api.rerating.discard({ params: { id } }),
    onSuccess: () => toast.success(t('discard.done')),
    onSettled,
  });
  const download = useMutation({
    mutationFn: () => downloadFrom(`/api/rerating/${id}/export?format=csv`, `rerating-${id}.csv`),
  });
  const askToApply = async () => {
    const money = (quota: number) => renderQuota(quota, display);
    const words = {
      users: groupDigits(users),
      calls: groupDigits(calls),
      credit: money(credit),
      debit: money(debit),
    };
    const isConfirmed = await confirm({
      title: t('apply.title', { run: id }),
      body: t('apply.text', words),
      confirmLabel: t('action.apply'),
      danger: true,
      typed: { label: t('apply.typed', { calls }), expected: String(calls) },
    });
    if (isConfirmed) apply.mutate();
  };
  const askToDiscard = async () => {
    const question = { title: t('discard.title', { run: id }), body: t('discard.text') };
    if (await confirm({ ...question, confirmLabel: t('action.discard'), danger: true })) discard.mutate();
  };
  const isRerating = kind === 'rerate';
  return (
    <div className="flow8">
      {isRerating && state === 'ready' && calls > 0 ? (
        <Button size="compact-sm" loading={apply.isPending} onClick={() => void askToApply()}>
          {t('action.apply')}
        </Button>
      ) : null}
      {isRerating && state !== 'rating' && state !== 'discarded' && calls > 0 ? (
        <Button
          variant="default"
          size="compact-sm"
          loading={download.isPending}
          onClick={() => download.mutate()}
        >
          {t('action.export')}
        </Button>
      ) : null}
      {isRerating && (state === 'ready' || state === 'rating') ? (
        <Button
          variant="default"
          size="compact-sm"
          loading={discard.isPending}
          onClick={() => void askToDiscard()}
        >
          {t('action.discard')}
        </Button>
      ) : null}
      {isRerating && state === 'applied' && run.undone_by_run === 0 ? (
        <Button variant="default" size="compact-sm" onClick={() => setUndoing(true)}>
          {t('action.undo')}
        </Button>
      ) : null}
      {isUndoing ? <UndoDialog id={id} onClose={() => setUndoing(false)} /> : null}
    </div>
  );
}
