/** The system access token: generated, copied, shown this once. */
import { Button, Modal } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '#web/api.ts';
import { copyText } from '#web/ui/copy/copy.ts';
import { CopyButton } from '#web/ui/copy/copy-button.tsx';
import { confirm } from '#web/ui/feedback/dialog-store.ts';
import { NoticeBox } from '#web/ui/feedback/notice.tsx';
import { toast } from '#web/ui/feedback/toast.tsx';
import { Row } from './block.tsx';
import { SECURITY_KEY } from './queries.ts';
import dialogClasses from './dialog.module.css';

export function AccessToken({ userId, has }: { userId: number; has: boolean }) {
  const { t } = useTranslation('personal');
  const { t: ui } = useTranslation('ui');
  const client = useQueryClient();
  const [token, setToken] = useState<string>();
  const generate = useMutation({
    mutationFn: () => api.self.accessToken(),
    onSuccess: async (made) => {
      setToken(made);
      void client.invalidateQueries({ queryKey: SECURITY_KEY });
      if (await copyText(made)) toast.success(t('token.done'));
    },
  });
  const ask = async () => {
    const sure =
      !has ||
      (await confirm({
        title: t('token.resetTitle'),
        body: t('token.resetText'),
        confirmLabel: t('token.reset'),
        danger: true,
      }));
    if (sure) generate.mutate();
  };
  const example = `curl -H "Authorization: Bearer ${token ?? ''}" -H "New-Api-User: ${userId}" ${location.origin}/api/user/self`;
  return (
    <div className="stack">
      <Row name={t('token.label')} value={has ? t('token.has') : t('token.none')} on={has}>
        <Button variant="default" loading={generate.isPending} onClick={() => void ask()}>
          {has ? t('token.reset') : t('token.generate')}
        </Button>
      </Row>
      {token ? (
        <Modal
          opened
          onClose={() => setToken(undefined)}
          title={t('token.label')}
          closeButtonProps={{ 'aria-label': ui('action.close') }}
        >
          <div className={`stack12 ${dialogClasses.fields}`}>
            <NoticeBox tone="warning">{t('token.shownOnce')}</NoticeBox>
            <p className={`start flex6 ${dialogClasses.key}`}>
              <code>{token}</code>
              <CopyButton text={token} label={ui('copy.named', { name: t('token.label') })} />
            </p>
            <span className="note">{t('token.example')}</span>
            <p className={`start flex6 ${dialogClasses.key}`}>
              <code>{example}</code>
              <CopyButton text={example} label={ui('copy.named', { name: t('token.example') })} />
            </p>
          </div>
        </Modal>
      ) : null}
    </div>
  );
}
