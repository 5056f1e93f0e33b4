/** The ⋯ menu of a plan. */
import { ActionIcon, Menu } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { IconDots, IconGift, IconListDetails, IconPencil, IconTrash } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { ManagedPlan } from '#contract/money/plans.ts';
import { api } from '#web/api.ts';
import { confirm } from '#web/ui/feedback/dialog-store.ts';
import { toast } from '#web/ui/feedback/toast.tsx';
import { nameOf } from './plan-text.ts';
import { PLANS_KEY } from './queries.ts';

interface PlanMenuProps {
  plan: ManagedPlan;
  onEdit: (plan: ManagedPlan) => void;
  onGrant: (plan: ManagedPlan) => void;
  onSubscriptions: (plan: ManagedPlan) => void;
}

const SIZE = { size: 15, stroke: 1.6 };

export function PlanMenu({ plan, onEdit, onGrant, onSubscriptions }: PlanMenuProps) {
  const { t } = useTranslation('plans');
  const { t: ui } = useTranslation('ui');
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: () => api.plans.remove({ params: { id: plan.id } }),
    onSuccess: () => toast.success(t('manage.message.removed')),
    onSettled: () => client.invalidateQueries({ queryKey: PLANS_KEY }),
  });
  const ask = async () => {
    const options = {
      title: t('manage.remove.title', { name: nameOf(plan) }),
      body: t('manage.remove.text'),
      confirmLabel: t('manage.remove.confirm'),
      danger: true,
    };
    if (await confirm(options)) remove.mutate();
  };
  return (
    <Menu>
      <Menu.Target>
        <ActionIcon size={24} aria-label={ui('grid.rowActions', { name: nameOf(plan) })}>
          <IconDots size={15} stroke={1.6} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconPencil {...SIZE} />} onClick={() => onEdit(plan)}>
          {t('manage.action.edit')}
        </Menu.Item>
        <Menu.Item leftSection={<IconListDetails {...SIZE} />} onClick={() => onSubscriptions(plan)}>
          {t('manage.action.subscriptions')}
        </Menu.Item>
        <Menu.Item leftSection={<IconGift {...SIZE} />} onClick={() => onGrant(plan)}>
          {t('manage.action.grant')}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item data-danger leftSection={<IconTrash {...SIZE} />} onClick={() => void ask()}>
          {t('manage.action.remove')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
