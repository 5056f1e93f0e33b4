/** The form of a token in its drawer, for a new one and for one that exists. */
import { ActionIcon, Button, TextInput, Tooltip } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { IconLink, IconPlugConnected } from '@tabler/icons-react';
import { useEffect, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { TOKEN_KEY_PREFIX, type TokenView } from '#contract/admin/tokens.ts';
import { api } from '#web/api.ts';
import { Tag } from '#web/ui/badge/tag.tsx';
import { copyText } from '#web/ui/copy/copy.ts';
import { Secret } from '#web/ui/copy/secret.tsx';
import { Drawer, DrawerFoot } from '#web/ui/drawer/drawer.tsx';
import { useWhileShown } from '#web/ui/drawer/use-while-shown.ts';
import { saveOnBase } from '#web/ui/conflict/save-on-base.ts';
import { toast } from '#web/ui/feedback/toast.tsx';
import { Field } from '#web/ui/input/field.tsx';
import { usePhone } from '#web/ui/page/breakpoints.ts';
import layout from '#web/ui/input/form.module.css';
import { tokenQueries, TOKENS_KEY } from '#web/features/tokens/queries.ts';
import type { FocusField } from '#web/features/tokens/search.ts';
import { AddressesSection } from './addresses.tsx';
import { BatchField, previewSuffixes } from './batch.tsx';
import { BudgetSection } from './budget.tsx';
import { ConversionSection } from './conversion.tsx';
import { DrawingSection } from './drawing.tsx';
import { EXPIRY_FIELD_ID, ExpiryField } from './expiry.tsx';
import { GroupField, type Groups } from './group.tsx';
import { LimitsSection } from './limits.tsx';
import { ModelsSection } from './models.tsx';
import { QUOTA_FIELD_ID, QuotaField } from './quota.tsx';
import { useTokenForm } from './use-token-form.ts';
import { baseBody, changeBody, createBody } from './values.ts';

/** By the names of the request. */
const LABELS = {
  name: 'form.name',
  group: 'form.group',
  expired_time: 'form.expires',
  unlimited_quota: 'form.unlimited',
  model_limits_enabled: 'form.modelsSwitch',
  model_limits: 'form.models',
  allow_ips: 'form.allow',
  deny_ips: 'form.deny',
  requests_per_minute: 'form.requests',
  tokens_per_minute: 'form.tokens',
  concurrent_calls: 'form.concurrent',
  rate_limit_message: 'form.limitMessage',
  day_budget: 'form.perDay',
  month_budget: 'form.perMonth',
  strict_conversion: 'form.strict',
  mj_mode: 'form.drawingSpeed',
  mj_image_proxy: 'form.drawingProxy',
  mj_backup_pool: 'form.drawingPool',
} as const;

interface TokenFormProps {
  /** Undefined: a new one. */
  token: TokenView | undefined;
  groups: Groups | undefined;
  ownGroup: string;
  focus?: FocusField;
  onClose: () => void;
  onCreated: (tokens: TokenView[]) => void;
  onConnect: (id: number) => void;
}

export function TokenForm({ token, groups, ownGroup, focus, onClose, onCreated, onConnect }: TokenFormProps) {
  const { t } = useTranslation('tokens');
  const { t: common } = useTranslation('ui');
  const client = useQueryClient();
  // The form saves its difference to this copy: a refetch of the token must not change what is saved.
  const [loaded] = useState(token);
  const form = useTokenForm(loaded);
  const [suffixes] = useState(previewSuffixes);
  const nameId = useId();

  const phone = usePhone();
  useEffect(() => {
    // The focus would open the phone's keyboard although the user may only want to look.
    if (phone && loaded && !focus) return undefined;
    const id = { expired_time: EXPIRY_FIELD_ID, remain_quota: QUOTA_FIELD_ID, name: nameId }[focus ?? 'name'];
    // The focus trap of the drawer sets the focus in the next task; the requested field must get it after that.
    const timer = setTimeout(() => {
      const field = document.getElementById(id);
      field?.focus();
      if (focus) field?.scrollIntoView({ block: 'center' });
    }, 20);
    return () => clearTimeout(timer);
  }, [focus, nameId, phone, loaded]);

  const finish = useWhileShown((created: TokenView[] | undefined) => {
    if (created) onCreated(created);
    else onClose();
  });
  const save = useMutation({
    ...form.refusal.mutation,
    mutationFn: async () => {
      if (loaded) {
        await saveOnBase({
          body: { ...changeBody(form.values, loaded), based_on: baseBody(loaded, form) },
          send: (body) => api.tokens.change({ query: {}, body }),
          labelOf: (field) => (field in LABELS ? t(LABELS[field as keyof typeof LABELS]) : field),
        });
        return undefined;
      }
      return api.tokens.create({ body: createBody(form.values, suffixes) });
    },
    onSuccess: (created) => {
      form.unsaved.end();
      void client.invalidateQueries({ queryKey: TOKENS_KEY });
      for (const made of created ?? []) client.setQueryData(tokenQueries.one(made.id).queryKey, made);
      toast.success(created ? t('message.created') : t('message.updated'));
      finish(created);
    },
  });
  const submit = () => {
    if (form.check() && !save.isPending) save.mutate();
  };
  const { count } = form.values;
  const createLabel = count > 1 ? t('form.createMany', { count }) : t('form.create');

  return (
    <Drawer
      title={token ? t('form.editTitle') : t('form.createTitle')}
      subtitle={
        token ? (
          <>
            <span className={layout.named} tabIndex={-1} data-autofocus>
              <Tag>#{token.id}</Tag>
            </span>
            <Secret value={token.key} prefix={TOKEN_KEY_PREFIX} label={t('form.key')} withReveal={false} />
          </>
        ) : undefined
      }
      headActions={
        token ? (
          <Tooltip label={t('action.copyLink')}>
            <ActionIcon
              aria-label={t('action.copyLink')}
              onClick={() => {
                void copyText(window.location.href).then((copied) => {
                  if (copied) toast.success(t('message.copied'));
                });
              }}
            >
              <IconLink size={16} stroke={1.6} />
            </ActionIcon>
          </Tooltip>
        ) : undefined
      }
      onClose={onClose}
      onSubmit={submit}
      form={form}
      footer={
        <DrawerFoot
          changed={token ? form.changed : 0}
          problems={form.shownProblems}
          refusal={form.refusal}
          right={
            token ? (
              <Button
                variant="subtle"
                leftSection={<IconPlugConnected size={15} stroke={1.6} />}
                onClick={() => onConnect(token.id)}
              >
                {t('action.connect')}
              </Button>
            ) : undefined
          }
        >
          <Button type="submit" loading={save.isPending} disabled={token ? form.changed === 0 : false}>
            {token ? common('action.save') : createLabel}
          </Button>
          <Button variant="default" onClick={onClose}>
            {common('action.cancel')}
          </Button>
        </DrawerFoot>
      }
    >
      <div className={`stack12 ${layout.stack}`}>
        <div className="pair">
          <Field label={t('form.name')} htmlFor={nameId} required error={form.errorOf('name')}>
            <TextInput
              id={nameId}
              value={form.values.name}
              placeholder={t('form.namePlaceholder')}
              autoComplete="off"
              aria-required
              error={Boolean(form.errorOf('name'))}
              onChange={(event) => form.set('name', event.currentTarget.value)}
              onBlur={() => {
                if (form.values.name !== '') form.leave('name');
              }}
            />
          </Field>
          <GroupField form={form} groups={groups} ownGroup={ownGroup} />
        </div>
        <ExpiryField form={form} />
        <QuotaField form={form} token={token} />
        {token ? null : <BatchField form={form} suffixes={suffixes} />}
      </div>
      <BudgetSection form={form} token={token} />
      <ModelsSection form={form} />
      <AddressesSection form={form} name="allow_ips" />
      <AddressesSection form={form} name="deny_ips" />
      <LimitsSection form={form} />
      <ConversionSection form={form} />
      <DrawingSection form={form} />
    </Drawer>
  );
}
