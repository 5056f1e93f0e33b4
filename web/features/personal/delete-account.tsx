/** Deletes the account: the user must type the account name. The super admin cannot be deleted. */
import { Button, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isRoot } from '#contract/access.ts';
import type { SelfView } from '#contract/admin/users.ts';
import { api, queryClient } from '#web/api.ts';
import { clearUser } from '#web/api/session.ts';
import { toast } from '#web/ui/feedback/toast.tsx';
import { AccountLeftList } from '#web/ui/account/account-left.tsx';
import { useDisplay } from '#web/ui/format/display.ts';
import { renderQuota } from '#web/ui/format/number.ts';
import { useForm } from '#web/ui/input/use-form.ts';
import { PersonalDialog } from './dialog.tsx';
import classes from './personal.module.css';

export function DeleteAccount({ self }: { self: SelfView }) {
  const { t } = useTranslation('personal');
  const [open, setOpen] = useState(false);
  const root = isRoot(self.role);
  return (
    <div className={classes.danger}>
      <p className={`top2 note ${classes.text}`}>{root ? t('danger.root') : t('danger.text')}</p>
      <Button variant="default" color="red" disabled={root} onClick={() => setOpen(true)}>
        {t('danger.remove')}
      </Button>
      {open ? <DeleteDialog self={self} onClose={() => setOpen(false)} /> : null}
    </div>
  );
}

function DeleteDialog({ self, onClose }: { self: SelfView; onClose: () => void }) {
  const { t } = useTranslation('personal');
  const navigate = useNavigate();
  const display = useDisplay();
  const left = useQuery({
    queryKey: ['self-left'],
    queryFn: ({ signal }) => api.users.selfLeft({ signal }),
    gcTime: 0,
  });
  const form = useForm({
    begin: () => ({ typed: '' }),
    problemsOf: ({ typed }) => (typed === self.username ? {} : { typed: t('danger.mismatch') }),
    send: () => api.self.remove(),
    onSent: () => {
      toast.success(t('danger.done'));
      clearUser();
      queryClient.clear();
      void navigate({ to: '/login' });
    },
  });
  return (
    <PersonalDialog
      title={t('danger.dialogTitle')}
      submitLabel={t('danger.remove')}
      danger
      form={form}
      onClose={onClose}
    >
      <p>{t('danger.dialogText', { name: self.username, amount: renderQuota(self.quota, display) })}</p>
      {left.data ? <AccountLeftList left={left.data} /> : null}
      <TextInput
        {...form.field('typed')}
        data-autofocus
        label={t('danger.label', { name: self.username })}
        autoComplete="off"
      />
    </PersonalDialog>
  );
}
