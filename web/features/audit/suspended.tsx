/** Users the system suspended, and why; hidden while there are none. A suspension can be lifted only here. */
import { Button, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconAlertTriangleFilled } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import limits from 'virtual:limits/userManagement.lift';
import { FormDialog } from '#web/ui/feedback/form-dialog.tsx';
import type { ManagedUser } from '#contract/admin/users.ts';
import { api } from '#web/api.ts';
import { toast } from '#web/ui/feedback/toast.tsx';
import { useFacts } from '#web/ui/facts/use-facts.ts';
import { useForm } from '#web/ui/input/use-form.ts';
import { AUDIT_KEY, auditQueries, SUSPENDED_KEY } from './queries.ts';
import classes from './audit.module.css';

export function Suspended() {
  const { t } = useTranslation('audit');
  const facts = useFacts();
  const { data } = useQuery(auditQueries.suspended());
  const [lifting, setLifting] = useState<ManagedUser>();
  if (!data || data.items.length === 0) return null;
  return (
    <section className={classes.suspended} aria-label={t('suspended.title')}>
      <h2>
        <IconAlertTriangleFilled size={14} aria-hidden />
        {t('suspended.title')}
      </h2>
      <p>{t('suspended.text')}</p>
      <ul>
        {data.items.map((user) => (
          <li key={user.id}>
            <b>{user.username}</b>
            <span title={facts.words(user.suspended_reason)}>{facts.words(user.suspended_reason)}</span>
            <Button size="compact-sm" variant="default" onClick={() => setLifting(user)}>
              {t('suspended.lift')}
            </Button>
          </li>
        ))}
      </ul>
      {lifting ? <LiftDialog user={lifting} onClose={() => setLifting(undefined)} /> : null}
    </section>
  );
}

function LiftDialog({ user, onClose }: { user: ManagedUser; onClose: () => void }) {
  const { t } = useTranslation('audit');
  const facts = useFacts();
  const form = useForm({
    begin: () => ({ reason: '' }),
    limits,
    problemsOf: ({ reason }) => (reason.trim() === '' ? { reason: t('suspended.reasonRequired') } : {}),
    send: ({ reason }) =>
      api.userManagement.lift({ params: { id: user.id }, body: { reason: reason.trim() } }),
    onSent: () => {
      toast.success(t('suspended.done'));
      onClose();
    },
    refresh: [SUSPENDED_KEY, AUDIT_KEY],
  });
  return (
    <FormDialog
      title={t('suspended.liftTitle', { name: user.username })}
      submitLabel={t('suspended.lift')}
      className=""
      buttons="buttons-below"
      form={form}
      onClose={onClose}
    >
      <p className={classes.why}>{facts.words(user.suspended_reason)}</p>
      <TextInput {...form.field('reason')} label={t('suspended.reason')} data-autofocus />
    </FormDialog>
  );
}
