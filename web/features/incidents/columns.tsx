/** The columns of the incidents. When space goes, the models leave first. */
import { useTranslation } from 'react-i18next';
import { languageOf } from '#contract/language.ts';
import type { Incident } from '#contract/admin/incidents.ts';
import { Empty } from '#web/ui/badge/empty.tsx';
import { StatusBadge } from '#web/ui/badge/status.tsx';
import { Count } from '#web/ui/format/amount.tsx';
import { Moment, useNow } from '#web/ui/format/moment.tsx';
import type { GridColumn } from '#web/ui/grid/types.ts';

type Translate = ReturnType<typeof useTranslation<'incidents'>>['t'];

export function IncidentTitle({ incident: { title_zh, title_en } }: { incident: Incident }) {
  const { i18n } = useTranslation();
  return languageOf(i18n.language) === 'zh' ? title_zh || title_en : title_en || title_zh;
}

export function IncidentState({ incident: { begun_at, ended_at } }: { incident: Incident }) {
  const { t } = useTranslation('incidents');
  const now = useNow();
  if (ended_at > 0) return <StatusBadge kind="enabled">{t('state.over')}</StatusBadge>;
  if (begun_at > now) return <StatusBadge kind="queued">{t('state.planned')}</StatusBadge>;
  return <StatusBadge kind="auto-disabled">{t('state.running')}</StatusBadge>;
}

/** To the minute, and for days to the hour. */
export function Lasted({ incident: { begun_at, ended_at } }: { incident: Incident }) {
  const { t } = useTranslation('incidents');
  const now = useNow();
  const seconds = (ended_at === 0 ? now : ended_at) - begun_at;
  if (seconds <= 0) return <Empty />;
  const minutes = Math.max(1, Math.round(seconds / 60));
  if (minutes < 60) return t('lasted.minutes', { minutes });
  const hours = Math.floor(minutes / 60);
  if (hours < 48)
    return t(minutes % 60 === 0 ? 'lasted.wholeHours' : 'lasted.hours', { hours, minutes: minutes % 60 });
  const days = Math.floor(hours / 24);
  return t(hours % 24 === 0 ? 'lasted.wholeDays' : 'lasted.days', { days, hours: hours % 24 });
}

export function incidentColumns(t: Translate): GridColumn<Incident>[] {
  return [
    {
      id: 'title',
      header: t('column.title'),
      minWidth: 200,
      fixed: true,
      cell: (incident) => (
        <b>
          <IncidentTitle incident={incident} />
        </b>
      ),
      skeleton: 'text',
    },
    {
      id: 'state',
      header: t('column.state'),
      width: 110,
      fixed: true,
      cell: (incident) => <IncidentState incident={incident} />,
      skeleton: 'status',
    },
    {
      id: 'source',
      header: t('column.source'),
      width: 96,
      leaves: 3,
      cell: ({ kind }) => t(`source.${kind}`),
      skeleton: 'text',
    },
    {
      id: 'begun',
      header: t('column.begun'),
      width: 140,
      cell: ({ begun_at }) => <Moment timestamp={begun_at} />,
      skeleton: 'text',
    },
    {
      id: 'lasted',
      header: t('column.lasted'),
      width: 110,
      align: 'right',
      leaves: 4,
      cell: (incident) => <Lasted incident={incident} />,
      skeleton: 'number',
    },
    {
      id: 'models',
      header: t('column.models'),
      width: 220,
      leaves: 1,
      cell: ({ models }) => (models.length === 0 ? <Empty /> : models.join(', ')),
      skeleton: 'text',
    },
    {
      id: 'refused',
      header: t('column.refused'),
      width: 84,
      align: 'right',
      leaves: 2,
      cell: ({ refused }) => <Count value={refused} />,
      skeleton: 'number',
    },
  ];
}
