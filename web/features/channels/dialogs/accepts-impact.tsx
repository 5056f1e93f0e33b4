/** Asks before models lose their last channel. */
import { useTranslation } from 'react-i18next';
import { CHANNEL_STATUS, type ChannelView } from '#contract/relay/channel-fields.ts';
import { api } from '#web/api.ts';
import { errorMessage } from '#web/api/errors.ts';
import { confirm } from '#web/ui/feedback/dialog-store.ts';
import { toast } from '#web/ui/feedback/toast.tsx';
import { ImpactList, lostModels } from './impact-list.tsx';

/** The values that the channels get; blank: they are disabled or deleted. */
interface Change {
  models?: string | undefined;
  groups?: string | undefined;
}

export const enabledOf = (channels: readonly ChannelView[]): number[] =>
  channels.filter(({ status }) => status === CHANNEL_STATUS.enabled).map(({ id }) => id);

/** Resolves to true when no model loses its last channel, or the operator confirms. */
export function useAcceptsImpact() {
  const { t } = useTranslation('channels');
  return async (
    ids: readonly number[],
    action: 'disable' | 'remove' | 'change',
    change: Change = {},
  ): Promise<boolean> => {
    if (ids.length === 0) return true;
    const impact = await api.channels
      .impact({ body: { ids: [...ids], ...change } })
      .catch((error: unknown) => {
        toast.error(errorMessage(error));
        return undefined;
      });
    if (impact === undefined) return false;
    const count = lostModels(impact);
    if (count === 0) return true;
    return confirm({
      title: t('impact.title', { count }),
      body: <ImpactList impact={impact} />,
      confirmLabel: t(`impact.${action}`),
      danger: true,
    });
  };
}
