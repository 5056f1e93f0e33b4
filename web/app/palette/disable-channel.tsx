/** Disables a channel from the palette, never without a question: it says which models lose their last channel. */
import { CHANNEL_STATUS } from '#contract/relay/channel-fields.ts';
import { api, queryClient } from '#web/api.ts';
import { errorMessage } from '#web/api/errors.ts';
import { ImpactList } from '#web/features/channels/dialogs/impact-list.tsx';
import { CHANNELS_KEY } from '#web/features/channels/queries.ts';
import { loadMessages } from '#web/i18n/i18n.ts';
import { confirm } from '#web/ui/feedback/dialog-store.ts';
import { toast } from '#web/ui/feedback/toast.tsx';

export interface DisableWords {
  title: string;
  /** No model loses its last channel. */
  harmless: string;
  confirmLabel: string;
  done: string;
}

export async function disableChannel(id: number, words: DisableWords): Promise<void> {
  try {
    const [impact] = await Promise.all([
      api.channels.impact({ body: { ids: [id] } }),
      loadMessages('channels'),
    ]);
    const sure = await confirm({
      title: words.title,
      body: impact.length > 0 ? <ImpactList impact={impact} /> : words.harmless,
      confirmLabel: words.confirmLabel,
      danger: true,
    });
    if (!sure) return;
    await api.channels.setStatus({ body: { ids: [id], status: CHANNEL_STATUS.disabled } });
    toast.success(words.done);
    await queryClient.invalidateQueries({ queryKey: CHANNELS_KEY });
  } catch (error) {
    toast.error(errorMessage(error));
  }
}
