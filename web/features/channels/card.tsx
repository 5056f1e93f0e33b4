/** A channel on the phone: name and state, health and speed, use and balance. */
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { ChannelType, ChannelView } from '#contract/channel-fields.ts';
import { Quota } from '#web/ui/format/amount.tsx';
import {
  AutoDisabledWhy,
  HealthCell,
  ModelsCell,
  NameCell,
  ResponseCell,
  StatusCell,
  statusKind,
} from './cells.tsx';
import type { TagRow } from './rows.ts';
import { TagNameCell, TagStatusCell } from './tag-cells.tsx';
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
      <div className={classes.cardLine}>
        <span className={classes.cardName}>
          <NameCell channel={channel} type={type} />
        </span>
        <span className={classes.cardSide}>
          <StatusCell channel={channel} />
          {menu}
        </span>
      </div>
      {statusKind(channel.status) === 'auto-disabled' && channel.other_info !== '' ? (
        <p className={classes.cardWhy}>
          <AutoDisabledWhy channel={channel} />
        </p>
      ) : null}
      <div className={classes.cardLine}>
        <HealthCell health={channel.health} />
        <ResponseCell channel={channel} />
      </div>
      <div className={classes.cardLine}>
        <ModelsCell models={channel.models} />
        <span className={classes.cardFacts}>
          <span>{t('card.rank', { priority: channel.priority, weight: channel.weight })}</span>
          <Quota quota={channel.used_quota} plain />
        </span>
      </div>
    </>
  );
}

export function TagCard({ row, menu, onToggle }: { row: TagRow; menu: ReactNode; onToggle: () => void }) {
  return (
    <>
      <div className={classes.cardLine}>
        <TagNameCell row={row} onToggle={onToggle} />
        <span className={classes.cardSide}>
          <TagStatusCell row={row} />
          {menu}
        </span>
      </div>
      <div className={classes.cardLine}>
        <HealthCell health={row.health} />
        <Quota quota={row.usedQuota} plain />
      </div>
    </>
  );
}
