/** Moves dividends to the balance. */
import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '#web/api.ts';
import { selfQuery } from '#web/api/queries.ts';
import { CancelButton, DialogFrame } from '#web/ui/feedback/dialog-frame.tsx';
import { toast } from '#web/ui/feedback/toast.tsx';
import { useDisplay } from '#web/ui/format/display.ts';
import { renderQuota } from '#web/ui/format/number.ts';
import { Field } from '#web/ui/input/field.tsx';
import { QuotaInput } from '#web/ui/input/quota-input.tsx';
import { RefusalNotice, useRefusal } from '#web/ui/input/refusal.tsx';
import { AGENTS_KEY } from './queries.ts';

export function TransferDialog({ balance, onClose }: { balance: number; onClose: () => void }) {
  const { t } = useTranslation('agents');
  const client = useQueryClient();
  const display = useDisplay();
  const id = useId();
  // Idempotency key: a retry of the same dialog moves the money once.
  const [requestId] = useState(() => crypto.randomUUID());
  const [quota, setQuota] = useState(balance);
  const refusal = useRefusal(['quota']);
  const transfer = useMutation({
    ...refusal.mutation,
    mutationFn: () => api.agents.transfer({ body: { quota, request_id: requestId } }),
    onSuccess: () => {
      toast.success(t('transfer.done', { amount: renderQuota(quota, display) }));
      onClose();
    },
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: AGENTS_KEY }),
        client.invalidateQueries({ queryKey: selfQuery.queryKey }),
      ]),
  });
  const problem =
    quota > balance
      ? t('transfer.tooMuch', { amount: renderQuota(balance, display) })
      : quota === 0
        ? t('transfer.tooSmall')
        : refusal.errorOf('quota');
  return (
    <DialogFrame title={t('transfer.title')} onClose={onClose}>
      <form
        noValidate
        className="stack12"
        onSubmit={(event) => {
          event.preventDefault();
          if (quota > 0 && quota <= balance) transfer.mutate();
        }}
      >
        <Field
          label={t('transfer.amount')}
          htmlFor={id}
          fact={t('transfer.available', { amount: renderQuota(balance, display) })}
          hint={t('transfer.hint')}
          error={problem}
        >
          <QuotaInput
            id={id}
            label={t('transfer.amount')}
            quota={quota}
            onChange={(next) => {
              setQuota(next);
              refusal.clear('quota');
            }}
          />
        </Field>
        <RefusalNotice refusal={refusal} />
        <div className="buttons top4">
          <Button variant="subtle" onClick={() => setQuota(balance)}>
            {t('transfer.all')}
          </Button>
          <CancelButton />
          <Button type="submit" loading={transfer.isPending}>
            {t('transfer.submit')}
          </Button>
        </div>
      </form>
    </DialogFrame>
  );
}
