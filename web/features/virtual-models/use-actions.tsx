/** What can be done to a virtual model from its row and its page. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Menu } from '@mantine/core';
import { IconCopy, IconTrash } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { VirtualModelView } from '#contract/relay/virtual-models.ts';
import { api } from '#web/api.ts';
import { confirm } from '#web/ui/feedback/dialog-store.ts';
import { toast } from '#web/ui/feedback/toast.tsx';
import { VIRTUAL_MODELS_KEY } from './queries.ts';
import { bodyOf, formValues } from './form/values.ts';

export function useVirtualModelActions() {
  const { t } = useTranslation('virtual-models');
  const client = useQueryClient();
  const navigate = useNavigate();
  const refresh = () => client.invalidateQueries({ queryKey: VIRTUAL_MODELS_KEY });
  const toggle = useMutation({
    mutationFn: (model: VirtualModelView) => {
      const enabled = !model.enabled;
      const body = { ...bodyOf(formValues(model)), enabled, based_on: { enabled: model.enabled } };
      return api.virtualModels.change({ params: { id: model.id }, body });
    },
    onSuccess: ({ enabled }) => toast.success(t(enabled ? 'switched.on' : 'switched.off')),
    onSettled: refresh,
  });
  const removal = useMutation({
    mutationFn: ({ id }: VirtualModelView) => api.virtualModels.remove({ params: { id } }),
    onSuccess: async () => {
      toast.success(t('remove.done'));
      await navigate({ to: '/virtual-model' });
    },
    onSettled: refresh,
  });
  const remove = async (model: VirtualModelView) => {
    const sure = await confirm({
      title: t('remove.title', { name: model.name }),
      body: t('remove.text'),
      confirmLabel: t('remove.confirm'),
      danger: true,
    });
    if (sure) removal.mutate(model);
  };
  return {
    toggle: (model: VirtualModelView) => toggle.mutate(model),
    duplicate: ({ name }: VirtualModelView) =>
      void navigate({ to: '/virtual-model', search: { new: 1, copy: name } }),
    remove: (model: VirtualModelView) => void remove(model),
  };
}

const SIZE = { size: 15, stroke: 1.6 };

/** The entries that the row and the page have in common. */
export function MoreActions({ model }: { model: VirtualModelView }) {
  const { t } = useTranslation('virtual-models');
  const actions = useVirtualModelActions();
  return (
    <>
      <Menu.Item leftSection={<IconCopy {...SIZE} />} onClick={() => actions.duplicate(model)}>
        {t('action.duplicate')}
      </Menu.Item>
      <Menu.Divider />
      <Menu.Item data-danger leftSection={<IconTrash {...SIZE} />} onClick={() => actions.remove(model)}>
        {t('action.remove')}
      </Menu.Item>
    </>
  );
}
