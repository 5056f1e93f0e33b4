/** The empty list, with buttons that create the first channel. */
import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { ChannelType } from '#contract/relay/channel-fields.ts';
import { EmptyState } from '#web/ui/feedback/states.tsx';
import { ProviderMark } from './provider-mark.tsx';
import classes from '#web/features/channels/channels.module.css';

const COMMON = 6;

export function EmptyChannels({
  types,
  onAdd,
}: {
  types: readonly ChannelType[] | undefined;
  onAdd: () => void;
}) {
  const { t } = useTranslation('channels');
  const offered = (types ?? []).filter((type) => type.is_ready).slice(0, COMMON);
  return (
    <EmptyState
      title={t('empty.title')}
      text={t('empty.text')}
      action={
        <>
          <div className={classes.offered} aria-hidden>
            {offered.map((type) => (
              <ProviderMark key={type.type} type={type.type} mark={type.mark} />
            ))}
          </div>
          <Button leftSection={<IconPlus size={15} stroke={1.8} />} onClick={onAdd}>
            {t('empty.action')}
          </Button>
        </>
      }
    />
  );
}
