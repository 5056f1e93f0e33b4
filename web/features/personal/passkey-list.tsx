/** The passkeys of the account: add, name, remove. */
import { ActionIcon, Button, TextInput, Tooltip } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { IconFingerprint, IconPencil, IconPlus, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import limits from 'virtual:limits/security.passkeyRename';
import type { PasskeyView } from '#contract/admin/security.ts';
import { api } from '#web/api.ts';
import { confirm } from '#web/ui/feedback/dialog-store.ts';
import { toast } from '#web/ui/feedback/toast.tsx';
import { Moment } from '#web/ui/format/moment.tsx';
import { useForm } from '#web/ui/input/use-form.ts';
import { PersonalDialog } from './dialog.tsx';
import { Row } from './block.tsx';
import { createPasskey, hasPasskeys, PasskeyCancelled } from './passkeys.ts';
import { SECURITY_KEY } from './queries.ts';

export function Passkeys({ passkeys }: { passkeys: readonly PasskeyView[] }) {
  const { t } = useTranslation('personal');
  const client = useQueryClient();
  const [naming, setNaming] = useState<PasskeyView | 'new'>();
  const refresh = () => client.invalidateQueries({ queryKey: SECURITY_KEY });
  const remove = useMutation({
    mutationFn: (id: number) => api.security.passkeyRemove({ params: { id } }),
    onSuccess: () => {
      toast.success(t('passkey.removed'));
      void refresh();
    },
  });
  const askRemove = async (passkey: PasskeyView) => {
    const sure = await confirm({
      title: t('passkey.removeTitle'),
      body: t('passkey.removeText', { name: passkey.name }),
      confirmLabel: t('passkey.remove'),
      danger: true,
    });
    if (sure) remove.mutate(passkey.id);
  };
  const supported = hasPasskeys();
  return (
    <div className="stack">
      {passkeys.map((passkey) => (
        <Row
          key={passkey.id}
          icon={<IconFingerprint size={17} stroke={1.6} aria-hidden />}
          name={passkey.name}
          value={
            <>
              {t('passkey.created')} <Moment timestamp={passkey.created_at} />
              {' · '}
              {passkey.last_used_at > 0 ? (
                <>
                  {t('passkey.lastUsed')} <Moment timestamp={passkey.last_used_at} />
                </>
              ) : (
                t('passkey.never')
              )}
            </>
          }
        >
          <Tooltip label={t('passkey.rename')}>
            <ActionIcon
              aria-label={`${t('passkey.rename')} ${passkey.name}`}
              onClick={() => setNaming(passkey)}
            >
              <IconPencil size={15} stroke={1.6} />
            </ActionIcon>
          </Tooltip>
          <Tooltip label={t('passkey.remove')}>
            <ActionIcon
              aria-label={`${t('passkey.remove')} ${passkey.name}`}
              onClick={() => void askRemove(passkey)}
            >
              <IconTrash size={15} stroke={1.6} />
            </ActionIcon>
          </Tooltip>
        </Row>
      ))}
      <Row
        name={passkeys.length === 0 ? t('passkey.none') : ''}
        value={supported ? undefined : t('passkey.unsupported')}
      >
        <Button
          variant="default"
          leftSection={<IconPlus size={15} stroke={1.6} />}
          disabled={!supported}
          onClick={() => setNaming('new')}
        >
          {t('passkey.add')}
        </Button>
      </Row>
      {naming ? (
        <NameDialog passkey={naming} onClose={() => setNaming(undefined)} onSaved={() => void refresh()} />
      ) : null}
    </div>
  );
}

interface NameDialogProps {
  passkey: PasskeyView | 'new';
  onClose: () => void;
  onSaved: () => void;
}

function NameDialog({ passkey, onClose, onSaved }: NameDialogProps) {
  const { t } = useTranslation('personal');
  const isNew = passkey === 'new';
  const form = useForm<{ name: string }, unknown>({
    begin: () => ({ name: isNew ? t('passkey.defaultName') : passkey.name }),
    limits,
    live: ['name'],
    problemsOf: ({ name }) => (name.trim() === '' ? { name: t('passkey.nameRequired') } : {}),
    send: async (values) => {
      const name = values.name.trim();
      if (!isNew) return await api.security.passkeyRename({ params: { id: passkey.id }, body: { name } });
      const credential = await createPasskey(await api.security.passkeyRegisterBegin());
      return await api.security.passkeyRegisterFinish({ body: { name, credential } });
    },
    onSent: () => {
      toast.success(isNew ? t('passkey.added') : t('passkey.renamed'));
      onSaved();
      onClose();
    },
    onRefused: (error) => !(error instanceof PasskeyCancelled),
  });
  return (
    <PersonalDialog
      title={isNew ? t('passkey.nameTitle') : t('passkey.rename')}
      submitLabel={isNew ? t('passkey.add') : t('passkey.rename')}
      form={form}
      onClose={onClose}
    >
      <TextInput {...form.field('name')} data-autofocus label={t('passkey.name')} />
    </PersonalDialog>
  );
}
