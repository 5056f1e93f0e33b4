/** Actions of rows, tags and the selection. Disabling and deleting first show which models lose their last channel; both have undo. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { CHANNEL_STATUS, type ChannelView } from '#contract/relay/channel-fields.ts';
import { api } from '#web/api.ts';
import { errorMessage } from '#web/api/errors.ts';
import { saveOnBase } from '#web/ui/conflict/save-on-base.ts';
import { confirm } from '#web/ui/feedback/dialog-store.ts';
import { toast, undoToast } from '#web/ui/feedback/toast.tsx';
import { useAllowing } from './allow-address.tsx';
import { enabledOf, useAcceptsImpact } from './dialogs/accepts-impact.tsx';
import { saveTagOfMany } from './dialogs/save-tag.ts';
import { CHANNELS_KEY, changeListed } from './queries.ts';

type Status = typeof CHANNEL_STATUS.enabled | typeof CHANNEL_STATUS.disabled;

export interface BalanceFailure {
  id: number;
  name: string;
  error: string;
}

export interface ChannelActions {
  setStatus: (channels: readonly ChannelView[], status: Status) => Promise<void>;
  setTagStatus: (tag: string, channels: readonly ChannelView[], status: Status) => Promise<void>;
  setNumber: (channel: ChannelView, field: 'priority' | 'weight', value: number) => Promise<void>;
  remove: (channels: readonly ChannelView[]) => Promise<void>;
  removeDisabled: (count: number) => Promise<void>;
  copy: (channel: ChannelView) => void;
  test: (channel: ChannelView, model?: string) => void;
  updateBalance: (channel: ChannelView) => void;
  /** The channels whose balance could not be read. */
  updateBalances: () => Promise<readonly BalanceFailure[]>;
  fix: () => void;
  /** Rejects when the server refuses: the dialog shows it. */
  setTag: (channels: readonly ChannelView[], tag: string) => Promise<void>;
}

const idsOf = (channels: readonly ChannelView[]) => channels.map((channel) => channel.id);

export function useChannelActions(): ChannelActions {
  const { t } = useTranslation('channels');
  const client = useQueryClient();
  const refresh = () => client.invalidateQueries({ queryKey: CHANNELS_KEY });
  const run = useMutation({
    mutationFn: (work: () => Promise<void>) => work(),
    onSettled: refresh,
  });
  const rank = useMutation({ mutationFn: (work: () => Promise<void>) => work() });
  /** The mutation shows errors as toasts; the rest of `work` is skipped. */
  const perform = async (work: () => Promise<void>) => {
    await run.mutateAsync(work).catch(() => undefined);
  };
  const done = () => toast.success(t('message.done'));

  const allowing = useAllowing();
  const acceptsImpact = useAcceptsImpact();
  const accepts = (channels: readonly ChannelView[], action: 'disable' | 'remove') =>
    acceptsImpact(enabledOf(channels), action);

  const applyStatus = (ids: number[], status: Status) => api.channels.setStatus({ body: { ids, status } });

  return {
    setStatus: async (channels, status) => {
      if (status === CHANNEL_STATUS.disabled && !(await accepts(channels, 'disable'))) return;
      const changing = channels.filter((channel) => channel.status !== status);
      await perform(async () => {
        await applyStatus(idsOf(channels), status);
        if (status === CHANNEL_STATUS.enabled || changing.length === 0) done();
        else
          undoToast(
            t('message.disabled', { count: changing.length }),
            () => void perform(async () => void (await applyStatus(idsOf(changing), CHANNEL_STATUS.enabled))),
          );
      });
    },
    setTagStatus: async (tag, channels, status) => {
      if (status === CHANNEL_STATUS.disabled && !(await accepts(channels, 'disable'))) return;
      await perform(async () => {
        const call = status === CHANNEL_STATUS.enabled ? api.channels.enableTag : api.channels.disableTag;
        await call({ body: { tag } });
        done();
      });
    },
    setNumber: async (channel, field, value) => {
      if (value === channel[field]) return;
      // The list is not read again: its new order would move the row away from the operator's eyes.
      await rank
        .mutateAsync(async () => {
          const saved = await saveOnBase({
            body: { id: channel.id, [field]: value, based_on: { [field]: channel[field] } },
            send: (body) => api.channels.change({ body }),
            labelOf: () => t(`column.${field}`),
          });
          changeListed(client, ({ id }) => id === channel.id, { [field]: saved[field] });
        })
        .catch(() => undefined);
    },
    remove: async (channels) => {
      if (channels.length === 0) {
        toast.error(t('message.noneToRemove'));
        return;
      }
      if (!(await accepts(channels, 'remove'))) return;
      const ids = idsOf(channels);
      await perform(async () => {
        const [only] = ids;
        const count =
          ids.length === 1 && only !== undefined
            ? await api.channels.remove({ params: { id: only } }).then(() => 1)
            : await api.channels.removeMany({ body: { ids } });
        undoToast(
          t('message.removed', { count }),
          () => void perform(async () => void (await api.channels.restore({ body: { ids } }))),
        );
      });
    },
    removeDisabled: async (count) => {
      const sure = await confirm({
        title: t('removeDisabled.title'),
        body: t('removeDisabled.body', { count }),
        confirmLabel: t('removeDisabled.confirm'),
        danger: true,
      });
      if (!sure) return;
      await perform(async () => {
        const removed = await api.channels.removeDisabled();
        toast.success(t('message.removedDisabled', { count: removed }));
      });
    },
    copy: (channel) => {
      run.mutate(async () => {
        try {
          await api.channels.copy({ params: { id: channel.id } });
        } catch (error) {
          throw new Error(t('message.copyFailed', { cause: errorMessage(error) }), { cause: error });
        }
        toast.success(t('message.copied'));
      });
    },
    test: (channel, model) => {
      void perform(async () => {
        const tested = await allowing(() =>
          api.channelUpstream.test({ params: { id: channel.id }, query: { model } }),
        );
        if (tested === undefined) return;
        toast.success(t('message.tested', { name: channel.name, seconds: tested.time.toFixed(2) }));
      });
    },
    updateBalance: (channel) => {
      void perform(async () => {
        const params = { id: channel.id };
        const updated = await allowing(() => api.channelUpstream.updateBalance({ params }));
        if (updated === undefined) return;
        toast.success(t('message.balanceUpdated', { name: channel.name }));
      });
    },
    updateBalances: async () => {
      let failed: readonly BalanceFailure[] = [];
      await perform(async () => {
        const { failures, ...counts } = await api.channelUpstream.updateBalances();
        failed = failures;
        const words = t('message.balancesUpdated', counts);
        if (counts.failed > 0) toast.warning(words);
        else toast.success(words);
      });
      return failed;
    },
    fix: () => {
      void perform(async () => {
        const count = await api.channels.fix();
        toast.success(t('message.fixed', { count }));
      });
    },
    setTag: async (channels, tag) => {
      const count = await saveTagOfMany(tag, channels, t('form.tag'));
      void refresh();
      if (count === 0) return;
      undoToast(
        t('message.tagged', { count }),
        () =>
          void perform(async () => {
            for (const old of new Set(channels.map((channel) => channel.tag))) {
              const tagged = channels
                .filter((channel) => channel.tag === old)
                .map((each) => ({ ...each, tag }));
              await saveTagOfMany(old, tagged, t('form.tag'));
            }
          }),
      );
    },
  };
}
