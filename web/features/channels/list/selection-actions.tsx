/** Actions on the selected channels. A selected tag selects all of its channels. */
import { Button } from '@mantine/core';
import { IconCircleCheck, IconCircleMinus, IconPlayerPlay, IconTag, IconTrash } from '@tabler/icons-react';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { CHANNEL_STATUS, type ChannelView } from '#contract/relay/channel-fields.ts';
import type { GridSelection } from '#web/ui/grid/types.ts';
import { channelsOf, type ListRow } from './rows.ts';
import type { ChannelActions } from '#web/features/channels/use-channel-actions.tsx';

interface SelectionActionsProps {
  selection: GridSelection<ListRow>;
  actions: ChannelActions;
  onTest: (channels: readonly ChannelView[]) => void;
  onSetTag: (channels: readonly ChannelView[]) => void;
  /** Reports the selection to the page's menu, which is outside the selection bar. */
  onSelected: (channels: readonly ChannelView[], clear: () => void) => void;
}

const SIZE = { size: 15, stroke: 1.6 };

export function SelectionActions({
  selection,
  actions,
  onTest,
  onSetTag,
  onSelected,
}: SelectionActionsProps) {
  const { t } = useTranslation('channels');
  const channels = channelsOf(selection.rows);
  useEffect(() => {
    onSelected(channels, selection.clear);
    return () => onSelected([], () => undefined);
  });
  const run = (work: () => Promise<void>) => void work().then(selection.clear);
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconCircleCheck {...SIZE} />}
        onClick={() => run(() => actions.setStatus(channels, CHANNEL_STATUS.enabled))}
      >
        {t('action.enable')}
      </Button>
      <Button
        variant="default"
        leftSection={<IconCircleMinus {...SIZE} />}
        onClick={() => run(() => actions.setStatus(channels, CHANNEL_STATUS.disabled))}
      >
        {t('action.disable')}
      </Button>
      <Button variant="default" leftSection={<IconPlayerPlay {...SIZE} />} onClick={() => onTest(channels)}>
        {t('action.test')}
      </Button>
      <Button variant="default" leftSection={<IconTag {...SIZE} />} onClick={() => onSetTag(channels)}>
        {t('action.setTag')}
      </Button>
      <Button
        variant="default"
        color="red"
        leftSection={<IconTrash {...SIZE} />}
        onClick={() => run(() => actions.remove(channels))}
      >
        {t('action.remove')}
      </Button>
    </>
  );
}
