/** Priority and weight in the table: saved at once for a channel, after a confirmation for a tag. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { confirm } from '#web/ui/feedback/dialog-store.ts';
import { toast } from '#web/ui/feedback/toast.tsx';
import { parsePriority, parseWeight } from '#web/features/channels/form/values.ts';
import { NumberCell } from './number-cell.tsx';
import { CHANNELS_KEY, changeListed } from '#web/features/channels/queries.ts';
import type { ListRow, TagRow } from './rows.ts';
import { saveTag } from '#web/features/channels/dialogs/save-tag.ts';
import { tagNumber, type RankField } from '#web/features/channels/dialogs/tag-values.ts';
import type { ChannelActions } from '#web/features/channels/use-channel-actions.tsx';

interface RankCellProps {
  row: ListRow;
  field: RankField;
  actions: ChannelActions;
}

export function RankCell({ row, field, actions }: RankCellProps) {
  const { t } = useTranslation('channels');
  if (row.kind === 'tag') return <TagRank row={row} field={field} />;
  const { channel } = row;
  return (
    <NumberCell
      value={channel[field]}
      label={`${t(`column.${field}`)}: ${channel.name}`}
      parse={field === 'priority' ? parsePriority : parseWeight}
      onSave={(value) => actions.setNumber(channel, field, value)}
    />
  );
}

function TagRank({ row, field }: { row: TagRow; field: RankField }) {
  const { t } = useTranslation('channels');
  const client = useQueryClient();
  const save = useMutation({
    mutationFn: (value: number) =>
      saveTag({ tag: row.tag, [field]: value }, row.channels, () => t(`column.${field}`)),
    onSuccess: (count, value) => {
      if (count === 0) void client.invalidateQueries({ queryKey: CHANNELS_KEY });
      else changeListed(client, ({ tag }) => tag === row.tag, { [field]: value });
      toast.success(t('message.tagUpdated'));
    },
  });
  const ask = async (value: number) => {
    const sure = await confirm({
      title: t('tag.rankTitle', { name: t(`column.${field}`) }),
      body: t('tag.rankBody', {
        count: row.channels.length,
        tag: row.tag,
        name: t(`column.${field}`),
        value,
      }),
      confirmLabel: t('tag.rankConfirm'),
    });
    if (sure) await save.mutateAsync(value).catch(() => undefined);
  };
  return (
    <NumberCell
      value={row[field]}
      label={`${t(`column.${field}`)}: ${row.tag}`}
      mixedLabel={t('tag.mixed')}
      parse={(text) => {
        const value = tagNumber(field, text);
        if (value === undefined) toast.error(t(`message.${field}Invalid`));
        return value;
      }}
      onSave={ask}
    />
  );
}
