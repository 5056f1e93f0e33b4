/** The address of SCIM and its tokens: each is shown once. */
import { ActionIcon, Button, TextInput, Tooltip } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import limits from 'virtual:limits/organizationSignOn.createToken';
import type { ScimToken, SignOnView } from '#contract/admin/sign-on.ts';
import { api } from '#web/api.ts';
import { ORGANIZATIONS_KEY } from '#web/api/holders.ts';
import { confirm } from '#web/ui/feedback/dialog-store.ts';
import { DialogFrame } from '#web/ui/feedback/dialog-frame.tsx';
import { FormDialog } from '#web/ui/feedback/form-dialog.tsx';
import { NoticeBox } from '#web/ui/feedback/notice.tsx';
import { Moment } from '#web/ui/format/moment.tsx';
import { useForm } from '#web/ui/input/use-form.ts';
import { Copied } from './copied.tsx';

export function ScimTokens({ view: { scim_url, tokens }, manages }: { view: SignOnView; manages: boolean }) {
  const { t } = useTranslation('organizations');
  const [dialog, setDialog] = useState<'new' | { secret: string }>();
  return (
    <div className="stack12">
      <Copied label={t('signOn.scimAddress')} text={scim_url} />
      {tokens.length === 0 ? <p className="soft">{t('signOn.noTokens')}</p> : null}
      {tokens.map((token) => (
        <Token key={token.id} token={token} manages={manages} />
      ))}
      {manages ? (
        <div>
          <Button variant="default" onClick={() => setDialog('new')}>
            {t('signOn.newToken')}
          </Button>
        </div>
      ) : null}
      {dialog === 'new' ? (
        <NewToken onClose={() => setDialog(undefined)} onMade={(secret) => setDialog({ secret })} />
      ) : null}
      {typeof dialog === 'object' ? (
        <DialogFrame title={t('signOn.tokenMade')} onClose={() => setDialog(undefined)}>
          <div className="stack12">
            <NoticeBox tone="warning">{t('signOn.tokenOnce')}</NoticeBox>
            <Copied label={t('signOn.token')} text={dialog.secret} />
          </div>
        </DialogFrame>
      ) : null}
    </div>
  );
}

function Token({ token: { id, name, hint, last_used_at }, manages }: { token: ScimToken; manages: boolean }) {
  const { t } = useTranslation('organizations');
  const client = useQueryClient();
  const revoke = useMutation({
    mutationFn: () => api.organizationSignOn.revokeToken({ params: { id } }),
    onSettled: () => client.invalidateQueries({ queryKey: ORGANIZATIONS_KEY }),
  });
  const ask = async () => {
    const sure = await confirm({
      title: t('signOn.revoke', { name }),
      body: t('signOn.revokeText'),
      confirmLabel: t('signOn.revokeNow'),
      danger: true,
    });
    if (sure) revoke.mutate();
  };
  return (
    <div className="row8 between">
      <div className="shrink">
        <b className="anywhere">{name}</b>
        <p className="note">
          <code>…{hint}</code> ·{' '}
          {last_used_at > 0 ? (
            <>
              {t('signOn.lastUsed')} <Moment timestamp={last_used_at} />
            </>
          ) : (
            t('signOn.neverUsed')
          )}
        </p>
      </div>
      {manages ? (
        <Tooltip label={t('signOn.revoke', { name })}>
          <ActionIcon
            aria-label={t('signOn.revoke', { name })}
            loading={revoke.isPending}
            onClick={() => void ask()}
          >
            <IconTrash size={15} stroke={1.6} />
          </ActionIcon>
        </Tooltip>
      ) : null}
    </div>
  );
}

function NewToken({ onClose, onMade }: { onClose: () => void; onMade: (secret: string) => void }) {
  const { t } = useTranslation('organizations');
  const form = useForm({
    begin: () => ({ name: '' }),
    limits,
    problemsOf: ({ name }) => ({ name: name.trim() === '' ? t('signOn.needed') : undefined }),
    send: (body) => api.organizationSignOn.createToken({ body }),
    onSent: ({ token }) => onMade(token),
    refresh: [ORGANIZATIONS_KEY],
  });
  return (
    <FormDialog title={t('signOn.newToken')} submitLabel={t('signOn.create')} form={form} onClose={onClose}>
      <TextInput {...form.field('name')} label={t('signOn.tokenName')} data-autofocus autoComplete="off" />
    </FormDialog>
  );
}
