/** Imports a bill: the file, its shape, and the channels that it covers. */
import { Button, FileInput, MultiSelect, Select, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
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
import { Drawer, DrawerFoot } from '#web/ui/drawer/drawer.tsx';
import { useWhileShown } from '#web/ui/drawer/use-while-shown.ts';
import { toast } from '#web/ui/feedback/toast.tsx';
import { Field } from '#web/ui/input/field.tsx';
import layout from '#web/ui/input/form.module.css';
import { useFields } from '#web/ui/input/use-fields.ts';
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
  const { t: ui } = useTranslation('ui');
  const client = useQueryClient();
  const channels = useQuery(supplierQueries.list());
  const [nameId, shapeId, channelsId, fileId] = [useId(), useId(), useId(), useId()];
  const form = useFields<Values, Problem>({
    begin: () => ({ name: '', shape: 'openai', channel_ids: [], csv: null, mapping: {} }),
    problemsOf,
    sentenceOf: (problem) => t(`bill.error.${problem}`),
  });
  const { values } = form;
  const finish = useWhileShown(onClose);
  const save = useMutation({
    ...form.refusal.mutation,
    mutationFn: async () => {
      const { name, shape, channel_ids, csv, mapping } = values;
      return api.suppliers.importBill({
        body: {
          name,
          shape,
          mapping: shape === 'own' ? mapping : {},
          channel_ids: channel_ids.map(Number),
          csv: (await csv?.text()) ?? '',
        },
      });
    },
    onSuccess: () => {
      form.unsaved.end();
      toast.success(t('bill.done'));
      void client.invalidateQueries({ queryKey: SUPPLIERS_KEY });
      finish();
    },
  });
  return (
    <Drawer
      title={t('bill.import')}
      onClose={onClose}
      onSubmit={() => {
        if (form.check() && !save.isPending) save.mutate();
      }}
      form={form}
      footer={
        <DrawerFoot changed={0} problems={form.shownProblems} refusal={form.refusal}>
          <Button type="submit" loading={save.isPending}>
            {t('bill.import')}
          </Button>
          <Button variant="default" onClick={onClose}>
            {ui('action.cancel')}
          </Button>
        </DrawerFoot>
      }
    >
      <div className={`stack12 ${layout.stack}`}>
        <Field label={t('bill.name')} htmlFor={nameId} hint={t('bill.nameHint')} error={form.errorOf('name')}>
          <TextInput
            id={nameId}
            data-autofocus
            maxLength={100}
            error={Boolean(form.errorOf('name'))}
            value={values.name}
            onChange={(event) => form.set('name', event.currentTarget.value)}
            onBlur={() => form.leave('name')}
          />
        </Field>
        <Field label={t('bill.shape')} htmlFor={shapeId}>
          <Select
            id={shapeId}
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
        <Field
          label={t('bill.channels')}
          htmlFor={channelsId}
          hint={t('bill.channelsHint')}
          error={form.errorOf('channel_ids')}
        >
          <MultiSelect
            id={channelsId}
            searchable
            clearable
            limit={100}
            error={Boolean(form.errorOf('channel_ids'))}
            data={(channels.data ?? []).map(({ channel_id, channel_name }) => ({
              value: String(channel_id),
              label: `#${channel_id} ${channel_name}`,
            }))}
            value={values.channel_ids}
            onChange={(ids) => form.set('channel_ids', ids)}
          />
        </Field>
        <Field label={t('bill.file')} htmlFor={fileId} hint={t('bill.fileHint')} error={form.errorOf('csv')}>
          <FileInput
            id={fileId}
            accept=".csv,text/csv"
            error={Boolean(form.errorOf('csv'))}
            placeholder="usage.csv"
            value={values.csv}
            onChange={(file) => form.set('csv', file)}
          />
        </Field>
      </div>
    </Drawer>
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
