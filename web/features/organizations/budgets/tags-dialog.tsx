/** Which tags of calls the organization keeps. */
import { TagsInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { TAG_KEY, TAG_KEYS_MAX } from '#contract/admin/organization-budgets.ts';
import { api } from '#web/api.ts';
import { FormDialog } from '#web/ui/feedback/form-dialog.tsx';
import { toast } from '#web/ui/feedback/toast.tsx';
import { useForm } from '#web/ui/input/use-form.ts';
import { saveOnBase } from '#web/ui/conflict/save-on-base.ts';
import { BUDGETS_KEY, budgetQueries } from './queries.ts';

export function TagsDialog({ onClose }: { onClose: () => void }) {
  const { data } = useQuery(budgetQueries.tagKeys());
  return data ? <TagsForm keys={data.keys} onClose={onClose} /> : null;
}

function TagsForm({ keys: loaded, onClose }: { keys: readonly string[]; onClose: () => void }) {
  const { t } = useTranslation('organizations');
  const form = useForm({
    begin: () => ({ keys: [...loaded] }),
    problemsOf: ({ keys }) => {
      const bad = keys.find((key) => !TAG_KEY.test(key));
      return { keys: bad === undefined ? undefined : t('budgets.tags.bad', { tag: bad }) };
    },
    live: ['keys'],
    send: ({ keys }, { initial }) =>
      saveOnBase({
        body: { keys, based_on: { keys: initial.keys } },
        send: (body) => api.budgets.changeTagKeys({ body }),
        labelOf: () => t('budgets.tags.title'),
      }),
    onSent: () => {
      toast.success(t('budgets.tags.saved'));
      onClose();
    },
    refresh: [BUDGETS_KEY],
  });
  return (
    <FormDialog
      title={t('budgets.tags.title')}
      submitLabel={t('budgets.bar.save')}
      buttons="buttons-below"
      disabled={form.changed === 0}
      form={form}
      onClose={onClose}
    >
      <p className="soft">{t('budgets.tags.text')}</p>
      <TagsInput
        data-autofocus
        label={t('budgets.tags.label')}
        placeholder={t('budgets.tags.placeholder')}
        maxTags={TAG_KEYS_MAX}
        value={form.values.keys}
        error={form.errorOf('keys')}
        onChange={(keys) =>
          form.set(
            'keys',
            keys.map((key) => key.trim().toLowerCase()),
          )
        }
      />
    </FormDialog>
  );
}
