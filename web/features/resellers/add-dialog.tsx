/** Makes a user a reseller: whom, found by name, and the rate. */
import { NumberInput, Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '#web/api.ts';
import { FormDialog } from '#web/ui/feedback/form-dialog.tsx';
import { toast } from '#web/ui/feedback/toast.tsx';
import { useForm } from '#web/ui/input/use-form.ts';
import { RESELLERS_KEY } from './queries.ts';

const FIRST_PERCENT = 10;
const LISTED = 10;
const PAUSE_MILLISECONDS = 250;

export function AddResellerDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('resellers');
  const [typed, setTyped] = useState('');
  const [keyword] = useDebouncedValue(typed.trim(), PAUSE_MILLISECONDS);
  const found = useQuery({
    queryKey: [...RESELLERS_KEY, 'candidates', keyword],
    queryFn: ({ signal }) =>
      api.userManagement.search({ query: { keyword, page_size: LISTED, role: 1 }, signal }),
    placeholderData: keepPreviousData,
  });
  const candidates = (found.data?.items ?? []).filter(
    ({ agent_rate_percent, DeletedAt }) => agent_rate_percent === null && DeletedAt === null,
  );
  const form = useForm({
    begin: () => ({ user_id: '', rate_percent: FIRST_PERCENT }),
    problemsOf: ({ rate_percent: rate }) =>
      rate >= 0 && rate <= 100 ? {} : { rate_percent: t('add.badRate') },
    send: ({ user_id, rate_percent }) =>
      api.agents.set({
        body: {
          user_id: Number(user_id),
          active: true,
          rate_percent,
          based_on: { active: false, rate_percent: null },
        },
      }),
    onSent: () => {
      toast.success(t('add.done'));
      onClose();
    },
    refresh: [RESELLERS_KEY],
  });
  return (
    <FormDialog
      title={t('add.title')}
      submitLabel={t('add.submit')}
      disabled={form.values.user_id === '' || !form.isReady}
      className="stack12"
      buttons="buttons-below"
      form={form}
      onClose={onClose}
    >
      <Select
        label={t('add.user')}
        description={t('add.userHint')}
        placeholder={t('add.search')}
        searchable
        data-autofocus
        data={candidates.map(({ id, username }) => ({ value: String(id), label: `${username} #${id}` }))}
        value={form.values.user_id || null}
        // The server has matched the text, also by email.
        filter={({ options }) => options}
        nothingFoundMessage={t('add.nobody')}
        onSearchChange={setTyped}
        onChange={(value) => form.set('user_id', value ?? '')}
        error={form.errorOf('user_id')}
      />
      <NumberInput
        {...form.number('rate_percent')}
        label={t('add.rate')}
        min={0}
        max={100}
        decimalScale={2}
        allowNegative={false}
        error={form.errorOf('rate_percent')}
      />
    </FormDialog>
  );
}
