/** The columns that name a channel and its state; a deleted channel has status 0 and no page. */
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { CHANNEL_STATUS } from '#contract/relay/channel-fields.ts';
import { StatusBadge } from '#web/ui/badge/status.tsx';
import type { ThingColumn } from './thing-table.tsx';

interface ChannelRow {
  id: number;
  name: string;
  status: number;
}

export function useChannelColumns<Row extends ChannelRow>(count: number): ThingColumn<Row>[] {
  const { t } = useTranslation('thing');
  return [
    {
      key: 'channel',
      head: t('channel.name'),
      cell: ({ id, name, status }) =>
        status === 0 ? (
          name
        ) : (
          <Link to="/channel/$id" params={{ id: String(id) }} className="quiet-link">
            {name}
          </Link>
        ),
      foot: t('channel.foot', { count }),
    },
    { key: 'state', head: t('channel.state'), cell: ({ status }) => <State status={status} /> },
  ];
}

function State({ status }: { status: number }) {
  const { t } = useTranslation('thing');
  if (status === CHANNEL_STATUS.enabled)
    return <StatusBadge kind="enabled">{t('channel.enabled')}</StatusBadge>;
  if (status === CHANNEL_STATUS.autoDisabled)
    return <StatusBadge kind="auto-disabled">{t('channel.autoDisabled')}</StatusBadge>;
  return <StatusBadge kind="disabled">{t(status === 0 ? 'channel.gone' : 'channel.disabled')}</StatusBadge>;
}
