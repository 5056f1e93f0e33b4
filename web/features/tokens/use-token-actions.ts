/** What rows and the selection do: enable, disable, delete with undo, copy. The query client shows errors as toasts. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { TOKEN_STATUS, type TOKEN_BATCH_ACTIONS, type TokenView } from '#contract/admin/tokens.ts';
import { api } from '#web/api.ts';
import { ApiError } from '#web/api/errors.ts';
import { copyText } from '#web/ui/copy/copy.ts';
import { toast, undoToast } from '#web/ui/feedback/toast.tsx';
import { copyTextOf, type CopyFormat } from './copy-formats.ts';
import { TOKENS_KEY } from './queries.ts';
import { FOCUS_FIELDS, type FocusField } from './search.ts';

type BatchAction = (typeof TOKEN_BATCH_ACTIONS)[number];

export interface TokenActions {
  setEnabled: (token: TokenView, enabled: boolean) => void;
  remove: (token: TokenView) => void;
  batch: (tokens: readonly TokenView[], action: Exclude<BatchAction, 'restore'>) => void;
  copy: (tokens: readonly TokenView[], format: CopyFormat) => Promise<void>;
  busy: boolean;
}

/** `openField`: opens the form at the field that keeps a token from being enabled (expired or exhausted). */
export function useTokenActions(openField: (id: number, field: FocusField) => void): TokenActions {
  const { t } = useTranslation('tokens');
  const client = useQueryClient();
  const refresh = () => client.invalidateQueries({ queryKey: TOKENS_KEY });

  const status = useMutation({
    mutationFn: ({ token, enabled }: { token: TokenView; enabled: boolean }) =>
      api.tokens.change({
        query: { status_only: 'true' },
        body: { id: token.id, status: enabled ? TOKEN_STATUS.enabled : TOKEN_STATUS.disabled },
      }),
    onSuccess: () => toast.success(t('message.done')),
    onError: (error, { token }) => {
      const refused = error instanceof ApiError ? error.fields[0]?.field : undefined;
      const field = FOCUS_FIELDS.find((name) => name === refused);
      if (field) openField(token.id, field);
    },
    onSettled: refresh,
  });

  const restore = useMutation({
    mutationFn: (ids: number[]) => api.tokens.batch({ body: { ids, action: 'restore' } }),
    onSuccess: () => toast.success(t('message.restored')),
    onSettled: refresh,
  });

  const remove = useMutation({
    mutationFn: (token: TokenView) => api.tokens.remove({ params: { id: token.id } }),
    onSuccess: (_, token) =>
      undoToast(t('message.deleted', { name: token.name }), () => restore.mutate([token.id])),
    onSettled: refresh,
  });

  const batch = useMutation({
    mutationFn: ({ ids, action }: { ids: number[]; action: Exclude<BatchAction, 'restore'> }) =>
      api.tokens.batch({ body: { ids, action } }),
    onSuccess: ({ changed, refused }, { action }) => {
      if (action === 'delete') {
        undoToast(t('message.deletedMany', { count: changed.length }), () => restore.mutate(changed));
      } else if (refused.length > 0) {
        toast.warning(t('message.partly', { changed: changed.length, refused: refused.length }));
      } else toast.success(t('message.done'));
    },
    onSettled: refresh,
  });

  return {
    setEnabled: (token, enabled) => status.mutate({ token, enabled }),
    remove: (token) => remove.mutate(token),
    batch: (tokens, action) => {
      if (tokens.length === 0) toast.error(t('message.noneSelected'));
      else batch.mutate({ ids: tokens.map((token) => token.id), action });
    },
    copy: async (tokens, format) => {
      if (tokens.length === 0) toast.error(t('message.noneSelected'));
      else if (await copyText(copyTextOf(tokens, format))) toast.success(t('message.copied'));
    },
    busy: status.isPending || remove.isPending || batch.isPending,
  };
}
