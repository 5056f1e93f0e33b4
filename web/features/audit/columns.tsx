/** The columns of the trail. On narrow screens the address is hidden first, then the change. */
import type { useTranslation } from 'react-i18next';
import type { AuditView } from '#contract/admin/audit.ts';
import { Empty } from '#web/ui/badge/empty.tsx';
import { Moment } from '#web/ui/format/moment.tsx';
import type { GridColumn } from '#web/ui/grid/types.ts';
import { changeWords } from './change.ts';
import type { AuditScope } from './queries.ts';
import { TargetLink } from './target-link.tsx';
import type { AuditWords } from '#web/ui/audit/words.ts';

type Translate = ReturnType<typeof useTranslation<'audit'>>['t'];

export function auditColumns(
  t: Translate,
  words: AuditWords,
  { names, scope }: { names: Readonly<Record<string, string>>; scope: AuditScope },
): GridColumn<AuditView>[] {
  return [
    {
      id: 'time',
      header: t('column.time'),
      width: 146,
      cell: (row) => <Moment timestamp={row.created_at} absolute />,
      skeleton: 'text',
    },
    {
      id: 'actor',
      header: t('column.actor'),
      width: 108,
      cell: (row) => (row.actor_name ? row.actor_name : <span className="muted">{t('nobody')}</span>),
      skeleton: 'text',
    },
    {
      id: 'action',
      header: t('column.action'),
      width: 176,
      fixed: true,
      cell: (row) => <span title={row.action}>{words.action(row.action)}</span>,
      skeleton: 'text',
    },
    {
      id: 'target',
      header: t('column.target'),
      width: 140,
      leaves: 2,
      cell: (row) => <TargetLink target={row.target} names={names} scope={scope} />,
      skeleton: 'text',
    },
    {
      id: 'change',
      header: t('column.change'),
      minWidth: 136,
      cell: (row) => {
        const line = changeWords(row, words);
        return line ? <span title={line}>{line}</span> : <Empty />;
      },
      skeleton: 'text',
    },
    {
      id: 'address',
      header: t('column.address'),
      width: 128,
      leaves: 1,
      cell: (row) => <span className="muted">{row.ip}</span>,
      skeleton: 'text',
    },
  ];
}
