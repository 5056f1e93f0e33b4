/** Links that show a conversation to others: make one, copy it, take it back. */
import { Button } from '@mantine/core';
import { IconLink } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { ShareView } from '#contract/admin/chats.ts';
import { api } from '#web/api.ts';
import { errorMessage } from '#web/api/errors.ts';
import { CopyButton } from '#web/ui/copy/copy-button.tsx';
import { DialogFrame } from '#web/ui/feedback/dialog-frame.tsx';
import { ErrorState } from '#web/ui/feedback/states.tsx';
import { toast } from '#web/ui/feedback/toast.tsx';
import type { Conversation } from './conversation.ts';
import { sharesQuery } from './queries.ts';
import { sharedChat } from './server-chats.ts';
import classes from './share-dialog.module.css';

export function ShareDialog({ conversation, onClose }: { conversation: Conversation; onClose: () => void }) {
  const { t } = useTranslation('playground');
  const client = useQueryClient();
  const { data: shares = [], error, refetch } = useQuery(sharesQuery);
  const onError = (failure: unknown) => toast.error(errorMessage(failure));
  const onSettled = () => client.invalidateQueries({ queryKey: sharesQuery.queryKey });
  const create = useMutation({
    mutationFn: () => api.chats.share({ body: { chat_id: conversation.id, chat: sharedChat(conversation) } }),
    onError,
    onSettled,
  });
  const revoke = useMutation({
    mutationFn: (id: number) => api.chats.revoke({ params: { id } }),
    onSuccess: () => toast.success(t('share.revoked')),
    onError,
    onSettled,
  });
  const own = shares.filter((share) => share.chat_id === conversation.id);
  const others = shares.filter((share) => share.chat_id !== conversation.id);
  return (
    <DialogFrame title={t('share.title')} width={560} onClose={onClose}>
      <div className="stack12">
        <p className="note">{t('share.about')}</p>
        {error ? <ErrorState message={errorMessage(error)} onRetry={() => void refetch()} /> : null}
        <Links title={t('share.links')} shares={own} onRevoke={revoke.mutate} />
        <Links title={t('share.others')} shares={others} onRevoke={revoke.mutate} />
        <div className="buttons">
          <Button
            data-autofocus
            leftSection={<IconLink size={15} stroke={1.6} />}
            loading={create.isPending}
            onClick={() => create.mutate()}
          >
            {t('share.create')}
          </Button>
        </div>
      </div>
    </DialogFrame>
  );
}

interface LinksProps {
  title: string;
  shares: readonly ShareView[];
  onRevoke: (id: number) => void;
}

function Links({ title, shares, onRevoke }: LinksProps) {
  const { t, i18n } = useTranslation('playground');
  if (shares.length === 0) return null;
  const time = new Intl.DateTimeFormat(i18n.language, { dateStyle: 'medium', timeStyle: 'short' });
  return (
    <section aria-label={title}>
      <h3 className={classes.head}>{title}</h3>
      <ul className={classes.links}>
        {shares.map((share) => {
          const address = `${window.location.origin}${share.path}`;
          return (
            <li key={share.id}>
              <a className="cut grow" href={share.path} target="_blank" rel="noreferrer">
                {share.title || t('share.untitled')}
              </a>
              <span className="fixed note">{time.format(share.created_at * 1000)}</span>
              <CopyButton text={address} label={t('share.copy')} />
              <Button size="compact-sm" variant="subtle" color="red" onClick={() => onRevoke(share.id)}>
                {t('share.revoke')}
              </Button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
