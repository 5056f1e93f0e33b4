/** Hides an item of what needs the reader until it changes, or shows it again. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { AttentionItem } from '#contract/admin/attention.ts';
import { api } from '#web/api.ts';
import { attentionQuery } from './queries.ts';

export function useSnooze({ id, mark, is_snoozed }: AttentionItem): {
  isPending: boolean;
  toggle: () => void;
} {
  const client = useQueryClient();
  const { isPending, mutate } = useMutation({
    mutationFn: () => api.attention.snooze({ body: { id, mark, is_snoozed: !is_snoozed } }),
    // A refusal means that the item has changed: the list is read again either way.
    onSettled: () => client.invalidateQueries({ queryKey: attentionQuery.queryKey }),
  });
  return { isPending, toggle: () => mutate() };
}
