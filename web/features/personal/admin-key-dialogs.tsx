/** The dialogs of a new admin key: its name, and the key, which is shown once. */
import { Checkbox, Modal, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import limits from 'virtual:limits/adminKeys.create';
import {
  ADMIN_KEY_PREFIX,
  ANTHROPIC_ADMIN_KEY_PREFIX,
  type AdminKeyView,
} from '#contract/admin/admin-keys.ts';
import { unixSeconds } from '#contract/time.ts';
import { api } from '#web/api.ts';
import { CopyButton } from '#web/ui/copy/copy-button.tsx';
import { NoticeBox } from '#web/ui/feedback/notice.tsx';
import { useReturnFocus } from '#web/ui/feedback/use-return-focus.ts';
import { useForm } from '#web/ui/input/use-form.ts';
import { PersonalDialog } from './dialog.tsx';
import dialogClasses from './dialog.module.css';

interface CreateDialogProps {
  mayReadSite: boolean;
  onClose: () => void;
  onMade: (key: AdminKeyView) => void;
}

export function CreateDialog({ mayReadSite, onClose, onMade }: CreateDialogProps) {
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
export function MadeDialog({ secret, onClose }: { secret: string; onClose: () => void }) {
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
