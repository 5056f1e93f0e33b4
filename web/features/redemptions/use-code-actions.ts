/** What rows and the selection do: enable, disable, delete, copy, download. The query client shows errors as toasts. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import {
  REDEMPTION_STATUS,
  type REDEMPTION_BATCH_ACTIONS,
  type RedemptionView,
} from '#contract/money/redemptions.ts';
import { api } from '#web/api.ts';
import { copyText } from '#web/ui/copy/copy.ts';
import { confirm } from '#web/ui/feedback/dialog-store.ts';
import { toast } from '#web/ui/feedback/toast.tsx';
import { codeLines, downloadCodes, namedLines, type FileFormat } from './files.ts';
import { REDEMPTIONS_KEY } from './queries.ts';

type BatchAction = (typeof REDEMPTION_BATCH_ACTIONS)[number];
type Codes = readonly RedemptionView[];

export interface CodeActions {
  setEnabled: (code: RedemptionView, enabled: boolean) => void;
  batch: (codes: Codes, action: BatchAction) => Promise<void>;
  /** Several codes are copied with their names, one alone as it is. */
  copy: (codes: Codes) => Promise<void>;
  download: (codes: Codes, format: FileFormat) => void;
}

export function useCodeActions(): CodeActions {
  const { t } = useTranslation('redemptions');
  const client = useQueryClient();
  const refresh = () => client.invalidateQueries({ queryKey: REDEMPTIONS_KEY });

  const status = useMutation({
    mutationFn: ({ id, enabled }: { id: number; enabled: boolean }) =>
      api.redemptions.change({
        query: { status_only: 'true' },
        body: { id, status: enabled ? REDEMPTION_STATUS.unused : REDEMPTION_STATUS.disabled },
      }),
    onSuccess: () => toast.success(t('message.done')),
    onSettled: refresh,
  });
  const many = useMutation({
    mutationFn: (body: { ids: number[]; action: BatchAction }) => api.redemptions.batch({ body }),
    onSuccess: ({ changed, refused }, { action }) => {
      if (action === 'delete') toast.success(t('message.removed', { count: changed.length }));
      else if (refused.length > 0)
        toast.warning(t('message.partly', { changed: changed.length, refused: refused.length }));
      else toast.success(t('message.done'));
    },
    onSettled: refresh,
  });
  const isNone = (codes: Codes) => {
    if (codes.length === 0) toast.error(t('message.noneSelected'));
    return codes.length === 0;
  };

  return {
    setEnabled: ({ id }, enabled) => status.mutate({ id, enabled }),
    batch: async (codes, action) => {
      if (isNone(codes)) return;
      const isMeant =
        action !== 'delete' ||
        (await confirm({
          title: t('remove.title', { count: codes.length }),
          body: t('remove.text'),
          confirmLabel: t('remove.confirm'),
          danger: true,
        }));
      if (isMeant) many.mutate({ ids: codes.map(({ id }) => id), action });
    },
    copy: async (codes) => {
      if (isNone(codes)) return;
      const text = codes.length === 1 ? codeLines(codes) : namedLines(codes);
      if (await copyText(text)) toast.success(t('message.copied'));
    },
    download: (codes, format) => {
      if (!isNone(codes)) downloadCodes(codes, format);
    },
  };
}
