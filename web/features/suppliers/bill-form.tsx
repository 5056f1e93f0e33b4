/** Imports a bill: the file, its shape, and the channels that it covers. */
import { FileInput, MultiSelect, Select, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import {
  BILL_FIELDS,
  BILL_LONGEST_BYTES,
  BILL_SHAPES,
  type BillMapping,
  type BillShape,
} from '#contract/suppliers/supplier-bills.ts';
import { api } from '#web/api.ts';
import { FormDrawer } from '#web/ui/drawer/form-drawer.tsx';
import { useWhileShown } from '#web/ui/drawer/use-while-shown.ts';
import { toast } from '#web/ui/feedback/toast.tsx';
import { Field } from '#web/ui/input/field.tsx';
import layout from '#web/ui/input/form.module.css';
import { sentencesOf, useForm } from '#web/ui/input/use-form.ts';
import { supplierQueries, SUPPLIERS_KEY } from './queries.ts';
import classes from './suppliers.module.css';

interface Values {
  name: string;
  shape: BillShape;
  channel_ids: string[];
  csv: File | null;
  mapping: BillMapping;
}

type Problem = 'name' | 'channels' | 'file' | 'large' | 'columns';

function problemsOf({ name, shape, channel_ids, csv, mapping }: Values) {
  const found: Partial<Record<keyof Values, Problem>> = {};
  if (name.trim() === '') found.name = 'name';
  if (channel_ids.length === 0) found.channel_ids = 'channels';
  if (csv === null) found.csv = 'file';
  else if (csv.size > BILL_LONGEST_BYTES) found.csv = 'large';
  if (shape === 'own' && !(mapping.day?.trim() && mapping.model?.trim())) found.mapping = 'columns';
  return found;
}

export function BillForm({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('suppliers');
  const channels = useQuery(supplierQueries.list());
  const finish = useWhileShown(onClose);
  const form = useForm<Values, unknown>({
    begin: () => ({ name: '', shape: 'openai', channel_ids: [], csv: null, mapping: {} }),
    problemsOf: (values) => sentencesOf(problemsOf(values), (problem) => t(`bill.error.${problem}`)),
    checksOnLeave: 'always',
    send: async ({ name, shape, channel_ids, csv, mapping }) =>
      api.suppliers.importBill({
        body: {
          name,
          shape,
          mapping: shape === 'own' ? mapping : {},
          channel_ids: channel_ids.map(Number),
          csv: (await csv?.text()) ?? '',
        },
      }),
    onSent: () => {
      toast.success(t('bill.done'));
      finish();
    },
    refresh: [SUPPLIERS_KEY],
  });
  const { values } = form;
  return (
    <FormDrawer title={t('bill.import')} createLabel={t('bill.import')} form={form} onClose={onClose}>
      <div className={`stack12 ${layout.stack}`}>
        <Field label={t('bill.name')} {...form.row('name')} hint={t('bill.nameHint')}>
          <TextInput {...form.control('name')} data-autofocus maxLength={100} />
        </Field>
        <Field label={t('bill.shape')} htmlFor={form.idOf('shape')}>
          <Select
            id={form.idOf('shape')}
            allowDeselect={false}
            data={BILL_SHAPES.map((value) => ({ value, label: t(`bill.shapes.${value}`) }))}
            value={values.shape}
            onChange={(value) => form.set('shape', BILL_SHAPES.find((shape) => shape === value) ?? 'own')}
          />
        </Field>
        {values.shape === 'own' ? (
          <Mapping
            mapping={values.mapping}
            error={form.errorOf('mapping')}
            onChange={(mapping) => form.set('mapping', mapping)}
          />
        ) : null}
        <Field label={t('bill.channels')} {...form.row('channel_ids')} hint={t('bill.channelsHint')}>
          <MultiSelect
            {...form.control('channel_ids')}
            searchable
            clearable
            limit={100}
            data={(channels.data ?? []).map(({ channel_id, channel_name }) => ({
              value: String(channel_id),
              label: `#${channel_id} ${channel_name}`,
            }))}
          />
        </Field>
        <Field label={t('bill.file')} {...form.row('csv')} hint={t('bill.fileHint')}>
          <FileInput {...form.control('csv')} accept=".csv,text/csv" placeholder="usage.csv" />
        </Field>
      </div>
    </FormDrawer>
  );
}

interface MappingProps {
  mapping: BillMapping;
  error: string | undefined;
  onChange: (mapping: BillMapping) => void;
}

function Mapping({ mapping, error, onChange }: MappingProps) {
  const { t } = useTranslation('suppliers');
  const prefix = useId();
  return (
    <Field label={t('bill.columns')} error={error}>
      <div className={classes.columns}>
        {BILL_FIELDS.map((field) => (
          <TextInput
            key={field}
            id={`${prefix}-${field}`}
            label={t(`bill.field.${field}`)}
            maxLength={200}
            value={mapping[field] ?? ''}
            onChange={(event) => onChange({ ...mapping, [field]: event.currentTarget.value })}
          />
        ))}
      </div>
    </Field>
  );
}
