/** In the wallet of an organization: the company data of its receipts. */
import { Button, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import limits from 'virtual:limits/organizations.changeCompany';
import type { CompanyFields } from '#contract/admin/organizations.ts';
import { api } from '#web/api.ts';
import { errorMessage } from '#web/api/errors.ts';
import { ORGANIZATIONS_KEY } from '#web/api/holders.ts';
import { organizationQuery } from '#web/api/queries.ts';
import { mayChange, useScope } from '#web/api/scope.ts';
import { saveOnBase } from '#web/ui/conflict/save-on-base.ts';
import { FormDialog } from '#web/ui/feedback/form-dialog.tsx';
import { Loading } from '#web/ui/feedback/loading.tsx';
import { ErrorState } from '#web/ui/feedback/states.tsx';
import { toast } from '#web/ui/feedback/toast.tsx';
import { useForm } from '#web/ui/input/use-form.ts';
import classes from './organizations.module.css';

const FIELDS = ['company_name', 'company_address', 'tax_id', 'billing_email'] as const;

export function Company() {
  const { t } = useTranslation('organizations');
  const [isOpen, setIsOpen] = useState(false);
  const scope = useScope();
  const { data, error, refetch } = useQuery(organizationQuery);
  if (!data)
    return error ? <ErrorState message={errorMessage(error)} onRetry={() => void refetch()} /> : <Loading />;
  const { company } = data;
  if (company === null) return null;
  const given = FIELDS.filter((field) => company[field] !== '');
  return (
    <div className="stack8 start">
      {given.length === 0 ? <p className="caption">{t('company.none')}</p> : null}
      {given.length > 0 ? (
        <dl className={classes.company}>
          {given.map((field) => (
            <div key={field}>
              <dt className="note">{t(`field.${field}`)}</dt>
              <dd className="anywhere">{company[field]}</dd>
            </div>
          ))}
        </dl>
      ) : null}
      {mayChange(scope, 'billing.manage') ? (
        <Button variant="default" onClick={() => setIsOpen(true)}>
          {t('company.edit')}
        </Button>
      ) : null}
      {isOpen ? <CompanyDialog company={company} onClose={() => setIsOpen(false)} /> : null}
    </div>
  );
}

function CompanyDialog({ company, onClose }: { company: CompanyFields; onClose: () => void }) {
  const { t } = useTranslation('organizations');
  const form = useForm({
    begin: () => company,
    limits,
    draft: { name: 'organization-company' },
    send: (values, { base }) =>
      saveOnBase({
        body: { ...values, based_on: { ...base } },
        send: (body) => api.organizations.changeCompany({ body }),
        labelOf: (field) => (field in values ? t(`field.${field as keyof CompanyFields}`) : field),
      }),
    onSent: () => {
      toast.success(t('company.saved'));
      onClose();
    },
    refresh: [ORGANIZATIONS_KEY],
  });
  return (
    <FormDialog
      title={t('company.title')}
      submitLabel={t('setting.save')}
      buttons="buttons-below"
      form={form}
      onClose={onClose}
    >
      <TextInput {...form.field('company_name')} label={t('field.company_name')} data-autofocus />
      <Textarea {...form.field('company_address')} label={t('field.company_address')} autosize minRows={2} />
      <TextInput {...form.field('tax_id')} label={t('field.tax_id')} />
      <TextInput
        {...form.field('billing_email')}
        label={t('field.billing_email')}
        description={t('company.email')}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        inputMode="email"
      />
    </FormDialog>
  );
}
