/** The invite link, its earnings, and their transfer to the balance. */
import { Button, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconCopy } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { SelfView } from '#contract/admin/users.ts';
import { api } from '#web/api.ts';
import { errorMessage } from '#web/api/errors.ts';
import { selfQuery } from '#web/api/queries.ts';
import { copyText } from '#web/ui/copy/copy.ts';
import { toast } from '#web/ui/feedback/toast.tsx';
import { StatAmount } from '#web/ui/format/page-amounts.tsx';
import { useDisplay } from '#web/ui/format/display.ts';
import { groupDigits, renderQuota } from '#web/ui/format/number.ts';
import { Field } from '#web/ui/input/field.tsx';
import { useForm } from '#web/ui/input/use-form.ts';
import { QuotaInput } from '#web/ui/input/quota-input.tsx';
import { PersonalDialog } from './dialog.tsx';
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
  const display = useDisplay();
  const unit = display.quotaPerUnit;
  const [least, most] = [unit, self.aff_quota].map((quota) => ({ amount: renderQuota(quota, display) }));
  const form = useForm({
    begin: () => ({ quota: Math.min(self.aff_quota, unit) }),
    problemsOf: ({ quota }) => ({
      quota:
        quota < unit
          ? t('invite.tooSmall', least)
          : quota > self.aff_quota
            ? t('invite.tooMuch', most)
            : undefined,
    }),
    send: ({ quota }, { requestId }) => api.self.transferInvite({ body: { quota, request_id: requestId() } }),
    onSent: (_moved, { quota }) => {
      toast.success(t('invite.done', { amount: renderQuota(quota, display) }));
      onClose();
    },
    refresh: [selfQuery.queryKey],
  });
  return (
    <PersonalDialog
      title={t('invite.transferTitle')}
      submitLabel={t('invite.submit')}
      aside={
        <Button variant="subtle" onClick={() => form.set('quota', self.aff_quota)}>
          {t('invite.all')}
        </Button>
      }
      form={form}
      onClose={onClose}
    >
      <Field
        {...form.row('quota')}
        label={t('invite.amount')}
        fact={t('invite.available', most)}
        hint={t('invite.least', least)}
      >
        <QuotaInput {...form.control('quota')} label={t('invite.amount')} />
      </Field>
    </PersonalDialog>
  );
}
