/** Admin keys of usage and cost reports: create, shown once, list, revoke. */
import { ActionIcon, Button, Checkbox, Modal, TextInput, Tooltip } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { IconKey, IconPlus, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import limits from 'virtual:limits/adminKeys.create';
import { isRoot } from '#contract/access.ts';
import {
  ADMIN_KEY_PREFIX,
  ANTHROPIC_ADMIN_KEY_PREFIX,
  type AdminKeyView,
} from '#contract/admin/admin-keys.ts';
import { unixSeconds } from '#contract/time.ts';
import { api } from '#web/api.ts';
import { errorMessage } from '#web/api/errors.ts';
import { PostLoader } from '#web/ui/badge/posts.tsx';
import { Tag } from '#web/ui/badge/tag.tsx';
import { CopyButton } from '#web/ui/copy/copy-button.tsx';
import { confirm } from '#web/ui/feedback/dialog-store.ts';
import { NoticeBox } from '#web/ui/feedback/notice.tsx';
import { ErrorState } from '#web/ui/feedback/states.tsx';
import { toast } from '#web/ui/feedback/toast.tsx';
import { Moment } from '#web/ui/format/moment.tsx';
import { useForm } from '#web/ui/input/use-form.ts';
import { PersonalDialog } from './dialog.tsx';
import { Row } from './block.tsx';
import { ADMIN_KEYS_KEY, personalQueries } from './queries.ts';
import dialogClasses from './dialog.module.css';
import { useReturnFocus } from '#web/ui/feedback/use-return-focus.ts';

export function AdminKeys({ role }: { role: number }) {
  const { t } = useTranslation('personal');
  const { t: ui } = useTranslation('ui');
  const client = useQueryClient();
  const keys = useQuery(personalQueries.adminKeys());
  const [dialog, setDialog] = useState<'create' | AdminKeyView>();
  const refresh = () => client.invalidateQueries({ queryKey: ADMIN_KEYS_KEY });
  const revoke = useMutation({
    mutationFn: (id: number) => api.adminKeys.remove({ params: { id } }),
    onSuccess: () => toast.success(t('adminKeys.revoked')),
    onSettled: refresh,
  });
  const askRevoke = async ({ id, name }: AdminKeyView) => {
    const sure = await confirm({
      title: t('adminKeys.revokeTitle'),
      body: t('adminKeys.revokeText', { name }),
      confirmLabel: t('adminKeys.revoke'),
      danger: true,
    });
    if (sure) revoke.mutate(id);
  };
  if (keys.error && !keys.data)
    return <ErrorState message={errorMessage(keys.error)} onRetry={() => void keys.refetch()} />;
  if (!keys.data) return <PostLoader label={ui('grid.loading')} />;
  return (
    <div className="stack">
      {keys.data.map((key) => (
        <Row
          key={key.id}
          icon={<IconKey size={17} stroke={1.6} aria-hidden />}
          name={<span title={key.name}>{key.name}</span>}
          value={
            <>
              <code>{key.key}</code>
              {' · '}
              {key.last_used_at > 0 ? (
                <>
                  {t('adminKeys.lastUsed')} <Moment timestamp={key.last_used_at} />
                </>
              ) : (
                t('adminKeys.never')
              )}
            </>
          }
        >
          {key.scope === 'site' ? <Tag>{t('adminKeys.site')}</Tag> : null}
          <Tooltip label={t('adminKeys.revoke')}>
            <ActionIcon
              aria-label={`${t('adminKeys.revoke')} ${key.name}`}
              onClick={() => void askRevoke(key)}
            >
              <IconTrash size={15} stroke={1.6} />
            </ActionIcon>
          </Tooltip>
        </Row>
      ))}
      <Row name={keys.data.length === 0 ? t('adminKeys.none') : ''}>
        <Button
          variant="default"
          leftSection={<IconPlus size={15} stroke={1.6} />}
          onClick={() => setDialog('create')}
        >
          {t('adminKeys.create')}
        </Button>
      </Row>
      {dialog === 'create' ? (
        <CreateDialog
          mayReadSite={isRoot(role)}
          onClose={() => setDialog(undefined)}
          onMade={(made) => {
            setDialog(made);
            void refresh();
          }}
        />
      ) : null}
      {typeof dialog === 'object' ? (
        <MadeDialog secret={dialog.key} onClose={() => setDialog(undefined)} />
      ) : null}
    </div>
  );
}

interface CreateDialogProps {
  mayReadSite: boolean;
  onClose: () => void;
  onMade: (key: AdminKeyView) => void;
}

function CreateDialog({ mayReadSite, onClose, onMade }: CreateDialogProps) {
  const { t } = useTranslation('personal');
  const form = useForm({
    begin: () => ({ name: '', isSite: false }),
    limits,
    problemsOf: ({ name }) => (name.trim() === '' ? { name: t('adminKeys.nameRequired') } : {}),
    send: ({ name, isSite }) => {
      const body = { name: name.trim() };
      return isSite ? api.adminKeys.createForSite({ body }) : api.adminKeys.create({ body });
    },
    onSent: onMade,
  });
  return (
    <PersonalDialog
      title={t('adminKeys.create')}
      submitLabel={t('adminKeys.create')}
      form={form}
      onClose={onClose}
    >
      <TextInput
        {...form.field('name')}
        data-autofocus
        label={t('adminKeys.name')}
        placeholder={t('adminKeys.namePlaceholder')}
      />
      {mayReadSite ? (
        <Checkbox
          {...form.checked('isSite')}
          label={t('adminKeys.forSite')}
          description={t('adminKeys.forSiteText')}
        />
      ) : null}
    </PersonalDialog>
  );
}

/** Both prefixes lead to the same key: some tools refuse one that does not begin as they expect. */
function MadeDialog({ secret, onClose }: { secret: string; onClose: () => void }) {
  const { t } = useTranslation('personal');
  const { t: ui } = useTranslation('ui');
  useReturnFocus();
  const [weekAgo] = useState(() => unixSeconds() - 7 * 86_400);
  const forms = [
    { label: t('adminKeys.forOpenAi'), text: secret },
    {
      label: t('adminKeys.forAnthropic'),
      text: secret.replace(ADMIN_KEY_PREFIX, ANTHROPIC_ADMIN_KEY_PREFIX),
    },
    {
      label: t('adminKeys.example'),
      text: `curl -H "Authorization: Bearer ${secret}" "${location.origin}/v1/organization/costs?start_time=${weekAgo}"`,
    },
  ];
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('adminKeys.made')}
      closeButtonProps={{ 'aria-label': ui('action.close') }}
    >
      <div className={`stack12 ${dialogClasses.fields}`}>
        <NoticeBox tone="warning">{t('adminKeys.shownOnce')}</NoticeBox>
        {forms.map(({ label, text }) => (
          <div key={label}>
            <span className="note">{label}</span>
            <p className={`start flex6 ${dialogClasses.key}`}>
              <code>{text}</code>
              <CopyButton text={text} label={ui('copy.named', { name: label })} />
            </p>
          </div>
        ))}
      </div>
    </Modal>
  );
}
