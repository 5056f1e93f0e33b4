/** A channel on the phone: name and state, health and speed, use and balance. */
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { ChannelType, ChannelView } from '#contract/relay/channel-fields.ts';
import { Quota } from '#web/ui/format/amount.tsx';
import { ModelsCell, NameCell, ResponseCell } from './cells.tsx';
import { AutoDisabledWhy, HealthCell, StatusCell, statusKind } from './health-cells.tsx';
import type { TagRow } from './rows.ts';
import { TagNameCell, TagStatusCell } from './tag-cells.tsx';
import { CardHead, CardLine } from '#web/ui/grid/card-line.tsx';
import classes from './card.module.css';

interface ChannelCardProps {
  channel: ChannelView;
  type: ChannelType | undefined;
  menu: ReactNode;
}

export function ChannelCard({ channel, type, menu }: ChannelCardProps) {
  const { t } = useTranslation('channels');
  return (
    <>
      <CardHead name={<NameCell channel={channel} type={type} />}>
        <StatusCell channel={channel} />
        {menu}
      </CardHead>
      {statusKind(channel.status) === 'auto-disabled' && channel.other_info !== '' ? (
        <p className="small danger anywhere">
          <AutoDisabledWhy channel={channel} />
        </p>
      ) : null}
      <CardLine>
        <HealthCell health={channel.health} channel={channel} />
        <ResponseCell channel={channel} />
      </CardLine>
      <CardLine>
        <ModelsCell models={channel.models} />
        <span className={classes.cardFacts}>
          <span>{t('card.rank', { priority: channel.priority, weight: channel.weight })}</span>
          <Quota quota={channel.used_quota} plain />
        </span>
      </CardLine>
    </>
  );
}

export function TagCard({ row, menu, onToggle }: { row: TagRow; menu: ReactNode; onToggle: () => void }) {
  return (
    <>
      <CardHead name={<TagNameCell row={row} onToggle={onToggle} />}>
        <TagStatusCell row={row} />
        {menu}
      </CardHead>
      <CardLine>
        <HealthCell health={row.health} />
        <Quota quota={row.usedQuota} plain />
      </CardLine>
    </>
  );
}
