/** The invite link, its earnings, and their transfer to the balance. */
import { Button, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { IconCopy } from '@tabler/icons-react';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { SelfView } from '#contract/admin/users.ts';
import { api } from '#web/api.ts';
import { errorMessage } from '#web/api/errors.ts';
import { selfQuery } from '#web/api/queries.ts';
import { copyText } from '#web/ui/copy/copy.ts';
import { toast } from '#web/ui/feedback/toast.tsx';
import { StatAmount } from '#web/ui/format/amount.tsx';
import { useDisplay } from '#web/ui/format/display.ts';
import { groupDigits, renderQuota } from '#web/ui/format/number.ts';
import { Field } from '#web/ui/input/field.tsx';
import { useRefusal } from '#web/ui/input/refusal.tsx';
import { QuotaInput } from '#web/ui/input/quota-input.tsx';
import { FormDialog } from './dialog.tsx';
import { personalQueries } from './queries.ts';
import { Qr } from '#web/ui/qr/qr.tsx';
import classes from './invite.module.css';
import personalClasses from './personal.module.css';

export function Invite({ self }: { self: SelfView }) {
  const { t } = useTranslation('personal');
  const code = useQuery(personalQueries.inviteCode());
  const [transferring, setTransferring] = useState(false);
  const link = code.data ? `${location.origin}/register?aff=${encodeURIComponent(code.data)}` : '';
  return (
    <div className={classes.invite}>
      <div className="grow">
        <div className={`flex8 start ${personalClasses.withButton}`}>
          <TextInput
            label={t('invite.link')}
            value={link}
            readOnly
            error={code.error ? errorMessage(code.error) : undefined}
            onFocus={(event) => event.currentTarget.select()}
          />
          <Button
            variant="default"
            leftSection={<IconCopy size={15} stroke={1.6} />}
            disabled={link === ''}
            onClick={() => {
              void copyText(link).then((copied) => copied && toast.success(t('invite.copied')));
            }}
          >
            {t('invite.copy')}
          </Button>
        </div>
        <dl className={classes.earnings}>
          <div>
            <dt className="note">{t('invite.pending')}</dt>
            <dd>
              <StatAmount quota={self.aff_quota} />
              <Button
                size="compact-sm"
                variant="light"
                disabled={self.aff_quota === 0}
                onClick={() => setTransferring(true)}
              >
                {t('invite.transfer')}
              </Button>
            </dd>
          </div>
          <div>
            <dt className="note">{t('invite.total')}</dt>
            <dd>
              <StatAmount quota={self.aff_history_quota} />
            </dd>
          </div>
          <div>
            <dt className="note">{t('invite.count')}</dt>
            <dd>{groupDigits(self.aff_count)}</dd>
          </div>
        </dl>
      </div>
      {link ? <Qr text={link} label={t('invite.link')} size={104} /> : null}
      {transferring ? <TransferDialog self={self} onClose={() => setTransferring(false)} /> : null}
    </div>
  );
}

function TransferDialog({ self, onClose }: { self: SelfView; onClose: () => void }) {
  const { t } = useTranslation('personal');
  const client = useQueryClient();
  const display = useDisplay();
  const id = useId();
  // Idempotency key: a retry of the same dialog moves the money once.
  const [requestId] = useState(() => crypto.randomUUID());
  const unit = display.quotaPerUnit;
  const [quota, setQuota] = useState(Math.min(self.aff_quota, unit));
  const [tried, setTried] = useState(false);
  const problem = () => {
    if (quota < unit) return t('invite.tooSmall', { amount: renderQuota(unit, display) });
    if (quota > self.aff_quota) return t('invite.tooMuch', { amount: renderQuota(self.aff_quota, display) });
    return undefined;
  };
  const refusal = useRefusal(['quota']);
  const transfer = useMutation({
    ...refusal.mutation,
    mutationFn: () => api.self.transferInvite({ body: { quota, request_id: requestId } }),
    onSuccess: () => {
      toast.success(t('invite.done', { amount: renderQuota(quota, display) }));
      void client.invalidateQueries({ queryKey: selfQuery.queryKey });
      onClose();
    },
  });
  const error = (tried ? problem() : undefined) ?? refusal.errorOf('quota');
  const change = (next: number) => {
    setQuota(next);
    refusal.clear('quota');
  };
  return (
    <FormDialog
      title={t('invite.transferTitle')}
      submitLabel={t('invite.submit')}
      busy={transfer.isPending}
      refusal={refusal}
      onClose={onClose}
      onSubmit={() => {
        setTried(true);
        if (problem() === undefined) transfer.mutate();
      }}
      aside={
        <Button variant="subtle" onClick={() => change(self.aff_quota)}>
          {t('invite.all')}
        </Button>
      }
    >
      <Field
        label={t('invite.amount')}
        htmlFor={id}
        fact={t('invite.available', { amount: renderQuota(self.aff_quota, display) })}
        hint={t('invite.least', { amount: renderQuota(unit, display) })}
        error={error}
      >
        <QuotaInput id={id} label={t('invite.amount')} quota={quota} onChange={change} />
      </Field>
    </FormDialog>
  );
}
