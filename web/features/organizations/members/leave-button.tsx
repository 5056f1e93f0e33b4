/** Leaves the organization; the page is loaded anew for the reader's own account. */
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api } from '#web/api.ts';
import { openScope } from '#web/api/scope.ts';
import { useUser } from '#web/api/session.ts';
import { confirm } from '#web/ui/feedback/dialog-store.ts';

export function LeaveButton({ name }: { name: string }) {
  const { t } = useTranslation('organizations');
  const user = useUser();
  const leave = useMutation({
    mutationFn: () => api.members.leave(),
    onSuccess: () => user && openScope(undefined, user.id, '/overview'),
  });
  const ask = async () => {
    const sure = await confirm({
      title: t('members.leave.title', { name }),
      body: t('members.leave.body'),
      confirmLabel: t('members.leave.confirm'),
      danger: true,
    });
    if (sure) leave.mutate();
  };
  return (
    <Button variant="default" loading={leave.isPending} onClick={() => void ask()}>
      {t('members.action.leave')}
    </Button>
  );
}
