/** Deletes the account: the user must type the account name. The super admin cannot be deleted. */
import { Button, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
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
import { useRefusal } from '#web/ui/input/refusal.tsx';
import { FormDialog } from './dialog.tsx';
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
  const [typed, setTyped] = useState('');
  const [tried, setTried] = useState(false);
  const left = useQuery({
    queryKey: ['self-left'],
    queryFn: ({ signal }) => api.users.selfLeft({ signal }),
    gcTime: 0,
  });
  const refusal = useRefusal([]);
  const remove = useMutation({
    ...refusal.mutation,
    mutationFn: () => api.self.remove(),
    onSuccess: () => {
      toast.success(t('danger.done'));
      clearUser();
      queryClient.clear();
      void navigate({ to: '/login' });
    },
  });
  const differs = typed !== self.username;
  return (
    <FormDialog
      title={t('danger.dialogTitle')}
      submitLabel={t('danger.remove')}
      danger
      busy={remove.isPending}
      refusal={refusal}
      onClose={onClose}
      onSubmit={() => {
        setTried(true);
        if (!differs) remove.mutate();
      }}
    >
      <p>{t('danger.dialogText', { name: self.username, amount: renderQuota(self.quota, display) })}</p>
      {left.data ? <AccountLeftList left={left.data} /> : null}
      <TextInput
        data-autofocus
        label={t('danger.label', { name: self.username })}
        value={typed}
        autoComplete="off"
        error={tried && differs ? t('danger.mismatch') : undefined}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
