/** Whether answers to the calls of the organization's keys are kept for all of them; shown where the site keeps answers. */
import { Switch } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { OrganizationView } from '#contract/admin/organizations.ts';
import { api } from '#web/api.ts';
import { ORGANIZATIONS_KEY } from '#web/api/holders.ts';
import { saveOnBase } from '#web/ui/conflict/save-on-base.ts';
import { toast } from '#web/ui/feedback/toast.tsx';

export function AnswerCacheSwitch({
  organization: { answer_cache: isOn },
}: {
  organization: OrganizationView;
}) {
  const { t } = useTranslation('organizations');
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: (answer_cache: boolean) =>
      saveOnBase({
        body: { answer_cache, based_on: { answer_cache: isOn } },
        send: (body) => api.organizations.change({ body }),
        labelOf: () => t('setting.cacheSwitch'),
      }),
    onSuccess: () => toast.success(t('setting.saved')),
    onSettled: () => client.invalidateQueries({ queryKey: ORGANIZATIONS_KEY }),
  });
  return (
    <Switch
      label={t('setting.cacheSwitch')}
      checked={isOn}
      disabled={change.isPending}
      onChange={(event) => change.mutate(event.currentTarget.checked)}
    />
  );
}
