/** The cells of a tag row. */
import { Tooltip, UnstyledButton } from '@mantine/core';
import { IconChevronDown, IconChevronRight, IconTag } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { CHANNEL_STATUS } from '#contract/relay/channel-fields.ts';
import { Pill } from '#web/ui/badge/tag.tsx';
import { ModelLines } from './cells.tsx';
import type { TagRow } from './rows.ts';
import classes from './cells.module.css';

export function TagNameCell({ row, onToggle }: { row: TagRow; onToggle: () => void }) {
  const { t } = useTranslation('ui');
  const Chevron = row.isOpen ? IconChevronDown : IconChevronRight;
  return (
    <span className={`row6 relative ${classes.tagName}`}>
      <UnstyledButton
        className={classes.toggle}
        aria-expanded={row.isOpen}
        aria-label={`${row.isOpen ? t('grid.collapse') : t('grid.expand')}: ${row.tag}`}
        onClick={onToggle}
      >
        <Chevron size={14} stroke={1.6} />
      </UnstyledButton>
      <IconTag size={14} stroke={1.6} className={classes.tagIcon} aria-hidden />
      <span className="ellipsis" title={row.tag}>
        {row.tag}
      </span>
      <Pill>{row.channels.length}</Pill>
    </span>
  );
}

const MOST_POSTS = 12;

/** `3/4` and a bar for each channel; enabled ones are tall. */
export function TagStatusCell({ row }: { row: TagRow }) {
  const { t } = useTranslation('channels');
  const states = row.channels.slice(0, MOST_POSTS).map((channel) => channel.status);
  return (
    <Tooltip label={t('tag.enabledOf', { enabled: row.enabled, total: row.channels.length })}>
      <span className={`inline8 ${classes.tagStatus}`} data-status={row.status}>
        {row.enabled}/{row.channels.length}
        <svg width={states.length * 5} height={12} aria-hidden>
          {states.map((status, index) => {
            const on = status === CHANNEL_STATUS.enabled;
            return (
              <rect
                key={index * 5}
                x={index * 5}
                y={on ? 0 : 6}
                width={3}
                height={on ? 12 : 6}
                data-state={on ? 'on' : status === CHANNEL_STATUS.autoDisabled ? 'auto' : 'off'}
              />
            );
          })}
        </svg>
      </span>
    </Tooltip>
  );
}

export function TagModelsCell({ row }: { row: TagRow }) {
  const { t } = useTranslation('channels');
  return (
    <Tooltip label={<ModelLines models={row.models} />}>
      <span className="muted">{t('tag.models', { count: row.models.length })}</span>
    </Tooltip>
  );
}
