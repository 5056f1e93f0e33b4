/** The admin keys of the reader or of the organization, with the dialogs that make and revoke one. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AdminKeyView } from '#contract/admin/admin-keys.ts';
import { api } from '#web/api.ts';
import { confirm } from '#web/ui/feedback/dialog-store.ts';
import { toast } from '#web/ui/feedback/toast.tsx';
import { Moment } from '#web/ui/format/moment.tsx';
import { CreateDialog, MadeDialog } from './admin-key-dialogs.tsx';
import { ADMIN_KEYS_KEY, personalQueries } from './queries.ts';

export function useAdminKeys(mayReadSite: boolean) {
  const { t } = useTranslation('personal');
  const client = useQueryClient();
  const keys = useQuery(personalQueries.adminKeys());
  const [dialog, setDialog] = useState<'create' | AdminKeyView>();
  const refresh = () => client.invalidateQueries({ queryKey: ADMIN_KEYS_KEY });
  const revoking = useMutation({
    mutationFn: (id: number) => api.adminKeys.remove({ params: { id } }),
    onSuccess: () => toast.success(t('adminKeys.revoked')),
    onSettled: refresh,
  });
  const askRevoke = async ({ id, name }: AdminKeyView) => {
    const sure = await confirm({
      title: t('adminKeys.revokeTitle'),
      body: t('adminKeys.revokeText', { name }),
      confirmLabel: t('adminKeys.revoke'),
      danger: true,
    });
    if (sure) revoking.mutate(id);
  };
  const close = () => setDialog(undefined);
  const onMade = (made: AdminKeyView) => {
    setDialog(made);
    void refresh();
  };
  return {
    keys,
    create: () => setDialog('create'),
    revoke: (key: AdminKeyView) => void askRevoke(key),
    dialogs: (
      <>
        {dialog === 'create' ? (
          <CreateDialog mayReadSite={mayReadSite} onClose={close} onMade={onMade} />
        ) : null}
        {typeof dialog === 'object' ? <MadeDialog secret={dialog.key} onClose={close} /> : null}
      </>
    ),
  };
}

export function LastUsed({ adminKey: { last_used_at } }: { adminKey: AdminKeyView }) {
  const { t } = useTranslation('personal');
  if (last_used_at === 0) return t('adminKeys.never');
  return (
    <>
      {t('adminKeys.lastUsed')} <Moment timestamp={last_used_at} />
    </>
  );
}
