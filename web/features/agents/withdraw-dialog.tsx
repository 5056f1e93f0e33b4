/** Asks for a withdrawal: amount, way, account; the fee is shown before. */
import { Button, Select, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { WITHDRAWAL_ACCOUNT_MAX, type AgentOverview } from '#contract/money/resellers.ts';
import { api } from '#web/api.ts';
import { CancelButton, DialogFrame } from '#web/ui/feedback/dialog-frame.tsx';
import { toast } from '#web/ui/feedback/toast.tsx';
import { useDisplay } from '#web/ui/format/display.ts';
import { renderQuota } from '#web/ui/format/number.ts';
import { Field } from '#web/ui/input/field.tsx';
import { QuotaInput } from '#web/ui/input/quota-input.tsx';
import { RefusalNotice, useRefusal } from '#web/ui/input/refusal.tsx';
import { AGENTS_KEY } from './queries.ts';
import { useMethodName } from './words.ts';

export function WithdrawDialog({ agent, onClose }: { agent: AgentOverview; onClose: () => void }) {
  const { t } = useTranslation('agents');
  const client = useQueryClient();
  const display = useDisplay();
  const methodName = useMethodName();
  const id = useId();
  const { balance, withdrawal } = agent;
  const { methods, minimum, fee_percent: percent } = withdrawal;
  // Idempotency key: a retry of the same dialog is one request.
  const [requestId] = useState(() => crypto.randomUUID());
  const [quota, setQuota] = useState(balance);
  const [method, setMethod] = useState(methods[0] ?? '');
  const [account, setAccount] = useState('');
  const [tried, setTried] = useState(false);
  const refusal = useRefusal(['quota', 'method', 'account']);
  const request = useMutation({
    ...refusal.mutation,
    mutationFn: () =>
      api.agents.withdraw({ body: { quota, method, account: account.trim(), request_id: requestId } }),
    onSuccess: () => {
      toast.success(t('withdraw.done'));
      onClose();
    },
    onSettled: () => client.invalidateQueries({ queryKey: AGENTS_KEY }),
  });
  const amountProblem = () => {
    if (quota > balance) return t('withdraw.tooMuch', { amount: renderQuota(balance, display) });
    if (quota < minimum) return t('withdraw.tooSmall', { amount: renderQuota(minimum, display) });
    return undefined;
  };
  const accountProblem = account.trim() === '' ? t('withdraw.accountRequired') : undefined;
  const fee = Math.round((quota * percent) / 100);
  const amounts = {
    percent,
    fee: renderQuota(fee, display),
    payout: renderQuota(Math.max(0, quota - fee), display),
  };
  return (
    <DialogFrame title={t('withdraw.title')} onClose={onClose}>
      <form
        noValidate
        className="stack12"
        onSubmit={(event) => {
          event.preventDefault();
          setTried(true);
          if (amountProblem() === undefined && accountProblem === undefined) request.mutate();
        }}
      >
        <Field
          label={t('withdraw.amount')}
          htmlFor={id}
          fact={t('withdraw.available', {
            amount: renderQuota(balance, display),
            minimum: renderQuota(minimum, display),
          })}
          hint={t(percent > 0 ? 'withdraw.fee' : 'withdraw.noFee', amounts)}
          error={amountProblem() ?? refusal.errorOf('quota')}
        >
          <QuotaInput
            id={id}
            label={t('withdraw.amount')}
            quota={quota}
            onChange={(next) => {
              setQuota(next);
              refusal.clear('quota');
            }}
          />
        </Field>
        <Select
          label={t('withdraw.method')}
          data={methods.map((value) => ({ value, label: methodName(value) }))}
          value={method}
          allowDeselect={false}
          error={refusal.errorOf('method')}
          onChange={(value) => setMethod(value ?? method)}
        />
        <TextInput
          label={t('withdraw.account')}
          description={t('withdraw.accountHint')}
          value={account}
          maxLength={WITHDRAWAL_ACCOUNT_MAX}
          autoComplete="off"
          error={(tried ? accountProblem : undefined) ?? refusal.errorOf('account')}
          onChange={(event) => {
            setAccount(event.currentTarget.value);
            refusal.clear('account');
          }}
        />
        <RefusalNotice refusal={refusal} />
        <div className="buttons top4">
          <CancelButton />
          <Button type="submit" loading={request.isPending}>
            {t('withdraw.submit')}
          </Button>
        </div>
      </form>
    </DialogFrame>
  );
}
