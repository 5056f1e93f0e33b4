/** Leaves the organization after a question; the page is loaded anew for the reader's own account. */
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api } from '#web/api.ts';
import { openScope, useScope } from '#web/api/scope.ts';
import { useUser } from '#web/api/session.ts';
import { confirm } from '#web/ui/feedback/dialog-store.ts';

export function useLeave(): () => void {
  const { t } = useTranslation('organizations');
  const user = useUser();
  const name = useScope()?.name ?? '';
  const { mutate } = useMutation({
    mutationFn: () => api.members.leave(),
    onSuccess: () => user && openScope(undefined, user.id, '/overview'),
  });
  return () =>
    void confirm({
      title: t('members.leave.title', { name }),
      body: t('members.leave.body'),
      confirmLabel: t('members.leave.confirm'),
      danger: true,
    }).then((sure) => sure && mutate());
}
