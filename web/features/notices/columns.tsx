/** The columns of the history. The receiver is shown only where several can be. */
import type { useTranslation } from 'react-i18next';
import type { NoticeView } from '#contract/admin/notices.ts';
import { Moment } from '#web/ui/format/moment.tsx';
import { csvTime } from '#web/ui/grid/columns.ts';
import type { GridColumn } from '#web/ui/grid/types.ts';
import { DeliveryStates, NoticeReceiver } from './cells.tsx';

type Translate = ReturnType<typeof useTranslation<'notices'>>['t'];

export function noticeColumns(
  t: Translate,
  eventName: (event: string) => string,
  hasReceivers: boolean,
): GridColumn<NoticeView>[] {
  const receiver: GridColumn<NoticeView> = {
    id: 'receiver',
    header: t('column.receiver'),
    width: 120,
    cell: (notice) => <NoticeReceiver notice={notice} />,
    csv: (notice) => notice.username,
    skeleton: 'text',
  };
  return [
    {
      id: 'time',
      header: t('column.time'),
      width: 142,
      cell: (notice) => <Moment timestamp={notice.created_at} absolute />,
      csv: (notice) => csvTime(notice.created_at),
      skeleton: 'text',
    },
    ...(hasReceivers ? [receiver] : []),
    {
      id: 'event',
      header: t('column.event'),
      width: 168,
      leaves: 1,
      cell: (notice) => eventName(notice.event),
      csv: (notice) => eventName(notice.event),
      skeleton: 'text',
    },
    {
      id: 'title',
      header: t('column.title'),
      minWidth: 180,
      fixed: true,
      cell: (notice) => <span className="cut">{notice.title}</span>,
      csv: (notice) => notice.title,
      skeleton: 'text',
    },
    {
      id: 'state',
      header: t('column.state'),
      width: 190,
      cell: (notice) => <DeliveryStates notice={notice} />,
      csv: (notice) =>
        notice.deliveries.map((delivery) => `${delivery.kind} ${t(`state.${delivery.status}`)}`).join(', '),
      skeleton: 'status',
    },
  ];
}
