/** Deletes the organization; the page is loaded anew for the reader's own account. */
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { hasRight } from '#contract/admin/organization-rights.ts';
import type { OrganizationView } from '#contract/admin/organizations.ts';
import { api } from '#web/api.ts';
import { errorMessage } from '#web/api/errors.ts';
import { openScope } from '#web/api/scope.ts';
import { useUser } from '#web/api/session.ts';
import { confirm } from '#web/ui/feedback/dialog-store.ts';

export function Deletion({ organization: { name, role } }: { organization: OrganizationView }) {
  const { t } = useTranslation('organizations');
  const user = useUser();
  const remove = useMutation({
    meta: { silent: true },
    mutationFn: () => api.organizations.remove(),
    onSuccess: () => user && openScope(undefined, user.id, '/overview'),
  });
  const ask = async () => {
    const sure = await confirm({
      title: t('setting.removeTitle', { name }),
      body: t('setting.removeBody'),
      confirmLabel: t('setting.removeConfirm'),
      danger: true,
      typed: { label: t('setting.removeTyped'), expected: name },
    });
    if (sure) remove.mutate();
  };
  if (!hasRight(role, 'organization.delete')) return <p className="soft">{t('setting.notOwner')}</p>;
  return (
    <div className="stack8 start">
      <Button variant="default" color="red" data-danger loading={remove.isPending} onClick={() => void ask()}>
        {t('setting.remove')}
      </Button>
      {remove.error ? (
        <p className="danger" role="alert">
          {errorMessage(remove.error)}
        </p>
      ) : null}
    </div>
  );
}
