/** Drains a node after a question, or takes it back. A silent node hears neither. */
import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { NodeView } from '#contract/operating/cluster.ts';
import { api } from '#web/api.ts';
import { confirm } from '#web/ui/feedback/dialog-store.ts';
import { toast } from '#web/ui/feedback/toast.tsx';
import { nameOf } from './cells.tsx';
import { CLUSTER_KEY } from './queries.ts';
import classes from './cluster.module.css';

export function DrainButton({ node }: { node: NodeView }) {
  const { t } = useTranslation('cluster');
  const client = useQueryClient();
  const name = nameOf(node);
  const isDrained = node.drain_wanted;
  const change = useMutation({
    mutationFn: () => api.cluster[isDrained ? 'resume' : 'drain']({ params: { id: node.id } }),
    onSuccess: () => toast.success(t(isDrained ? 'resumed' : 'drained', { name })),
    onSettled: () => client.invalidateQueries({ queryKey: CLUSTER_KEY }),
  });
  if (node.state === 'silent') return null;
  const ask = async () => {
    const question = { title: t('confirm', { name }), body: t('confirmText'), confirmLabel: t('drain') };
    if (isDrained || (await confirm(question))) change.mutate();
  };
  return (
    <Button
      size="compact-xs"
      variant="subtle"
      className={classes.change}
      loading={change.isPending}
      aria-label={t(isDrained ? 'resumeNode' : 'drainNode', { name })}
      onClick={(event) => {
        // The row behind the button opens on a click.
        event.stopPropagation();
        void ask();
      }}
    >
      {t(isDrained ? 'resume' : 'drain')}
    </Button>
  );
}
