/** The columns of the list of virtual models. */
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { VirtualModelView } from '#contract/relay/virtual-models.ts';
import { StatusBadge } from '#web/ui/badge/status.tsx';
import { GroupTags } from '#web/ui/badge/tag.tsx';
import { menuColumn } from '#web/ui/grid/columns.ts';
import type { GridColumn } from '#web/ui/grid/types.ts';
import { useRuleWords } from './rule-words.ts';

type Translate = ReturnType<typeof useTranslation<'virtual-models'>>['t'];

export const isUnreachable = ({ enabled, groups }: VirtualModelView): boolean =>
  enabled && groups.length === 0;

export function VirtualState({ model }: { model: VirtualModelView }) {
  const { t } = useTranslation('virtual-models');
  if (!model.enabled) return <StatusBadge kind="disabled">{t('state.off')}</StatusBadge>;
  return isUnreachable(model) ? (
    <StatusBadge kind="failed">{t('state.unreachable')}</StatusBadge>
  ) : (
    <StatusBadge kind="enabled">{t('state.on')}</StatusBadge>
  );
}

/** `gpt-4o (with images) → gpt-4o-mini`. */
export function useTargetsText(): (model: Pick<VirtualModelView, 'targets'>) => string {
  const { t } = useTranslation('virtual-models');
  const words = useRuleWords();
  return ({ targets }) =>
    targets
      .map(({ model, when }) => {
        const rules = words.joined(words.conditions(when));
        return rules === '' ? model : t('targetOf', { model, rules });
      })
      .join(' → ');
}

export function virtualModelColumns(
  t: Translate,
  targetsText: (model: VirtualModelView) => string,
  menu: (model: VirtualModelView) => ReactNode,
): GridColumn<VirtualModelView>[] {
  const stateWord = (model: VirtualModelView) =>
    t(`state.${model.enabled ? (isUnreachable(model) ? 'unreachable' : 'on') : 'off'}`);
  return [
    {
      id: 'name',
      header: t('column.name'),
      width: 200,
      fixed: true,
      cell: ({ name, description }) => <span title={description || undefined}>{name}</span>,
      csv: ({ name }) => name,
      skeleton: 'text',
    },
    {
      id: 'status',
      header: t('column.status'),
      width: 110,
      cell: (model) => <VirtualState model={model} />,
      csv: stateWord,
      skeleton: 'status',
    },
    {
      id: 'targets',
      header: t('column.targets'),
      minWidth: 240,
      cell: targetsText,
      csv: targetsText,
      skeleton: 'text',
    },
    {
      id: 'price',
      header: t('column.price'),
      width: 130,
      leaves: 1,
      cell: ({ price }) => t(`price.${price}`),
      csv: ({ price }) => price,
      skeleton: 'text',
    },
    {
      id: 'groups',
      header: t('column.groups'),
      width: 170,
      leaves: 2,
      cell: ({ groups }) =>
        groups.length === 0 ? <span className="muted">{t('nobody')}</span> : <GroupTags groups={groups} />,
      csv: ({ groups }) => groups.join(' '),
      skeleton: 'text',
    },
    menuColumn(t('column.name'), menu),
  ];
}
