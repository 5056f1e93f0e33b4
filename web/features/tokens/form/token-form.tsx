/** The form of a token in its drawer, for a new one and for one that exists. */
import { ActionIcon, Button, TextInput, Tooltip } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { IconLink, IconPlugConnected } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { TokenHolder } from '#contract/admin/token-holders.ts';
import { TOKEN_KEY_PREFIX, type TokenView } from '#contract/admin/tokens.ts';
import { api } from '#web/api.ts';
import { Tag } from '#web/ui/badge/tag.tsx';
import { copyText } from '#web/ui/copy/copy.ts';
import { Secret } from '#web/ui/copy/secret.tsx';
import { FormDrawer } from '#web/ui/drawer/form-drawer.tsx';
import { useWhileShown } from '#web/ui/drawer/use-while-shown.ts';
import { saveOnBase } from '#web/ui/conflict/save-on-base.ts';
import { toast } from '#web/ui/feedback/toast.tsx';
import { ExpiryField } from '#web/ui/input/expiry-field.tsx';
import { Field } from '#web/ui/input/field.tsx';
import { useForm } from '#web/ui/input/use-form.ts';
import { usePhone } from '#web/ui/page/breakpoints.ts';
import layout from '#web/ui/input/form.module.css';
import { tokenQueries, TOKENS_KEY } from '#web/features/tokens/queries.ts';
import type { FocusField } from '#web/features/tokens/search.ts';
import { AddressesSection } from './addresses.tsx';
import { BatchField, previewSuffixes } from './batch.tsx';
import { BudgetSection } from './budget.tsx';
import { CacheSection } from './cache.tsx';
import { ConversionSection } from './conversion.tsx';
import { DrawingSection } from './drawing.tsx';
import { GroupField, type Groups } from './group.tsx';
import { HolderFields } from './holder.tsx';
import { LimitsSection } from './limits.tsx';
import { ModelsSection } from './models.tsx';
import { QuotaField } from './quota.tsx';
import { useTokenRules } from './use-token-form.ts';
import { baseBody, changeBody, createBody, type TokenFormValues } from './values.ts';

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
  answer_cache: 'form.cacheWish',
  answer_cache_seconds: 'form.cacheSeconds',
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
  /** Of an organization: for whom a new one is. */
  wanted?: TokenHolder;
  onClose: () => void;
  onCreated: (tokens: TokenView[]) => void;
  onConnect: (id: number) => void;
}

export function TokenForm(props: TokenFormProps) {
  const { token, groups, ownGroup, focus, wanted, onClose, onCreated, onConnect } = props;
  const { t } = useTranslation('tokens');
  const client = useQueryClient();
  // The form saves its difference to this copy: a refetch of the token must not change what is saved.
  const [loaded] = useState(token);
  const [suffixes] = useState(previewSuffixes);

  const finish = useWhileShown((created: TokenView[] | undefined) => {
    if (created) onCreated(created);
    else onClose();
  });
  const form = useForm<TokenFormValues, TokenView[] | undefined>({
    ...useTokenRules(loaded, wanted),
    send: async (values, fields) => {
      if (!loaded) return api.tokens.create({ body: createBody(values, suffixes) });
      await saveOnBase({
        body: { ...changeBody(values, loaded), based_on: baseBody(loaded, fields) },
        send: (body) => api.tokens.change({ query: {}, body }),
        labelOf: (field) => (field in LABELS ? t(LABELS[field as keyof typeof LABELS]) : field),
      });
      return undefined;
    },
    onSent: (created) => {
      for (const made of created ?? []) client.setQueryData(tokenQueries.one(made.id).queryKey, made);
      toast.success(created ? t('message.created') : t('message.updated'));
      finish(created);
    },
    refresh: [TOKENS_KEY],
  });
  const { count } = form.values;
  const createLabel = count > 1 ? t('form.createMany', { count }) : t('form.create');
  const fieldIds = { expired_time: form.idOf('expiry'), remain_quota: form.idOf('remain_quota') };
  useFirstFocus(focus ? fieldIds[focus] : form.idOf('name'), focus !== undefined, loaded);
  return (
    <FormDrawer
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
      createLabel={token ? undefined : createLabel}
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
      form={form}
      onClose={onClose}
    >
      <div className={`stack12 ${layout.stack}`}>
        <div className="pair">
          <Field label={t('form.name')} {...form.row('name')} required>
            <TextInput
              {...form.control('name')}
              placeholder={t('form.namePlaceholder')}
              autoComplete="off"
              aria-required
            />
          </Field>
          <GroupField form={form} groups={groups} ownGroup={ownGroup} />
        </div>
        <HolderFields form={form} token={token} />
        <ExpiryField {...form.field('expiry')} label={t('form.expires')} />
        <QuotaField form={form} token={token} />
        {token ? null : <BatchField form={form} suffixes={suffixes} />}
      </div>
      <BudgetSection form={form} token={token} />
      <ModelsSection form={form} />
      <AddressesSection form={form} name="allow_ips" />
      <AddressesSection form={form} name="deny_ips" />
      <LimitsSection form={form} />
      <ConversionSection form={form} />
      <CacheSection form={form} />
      <DrawingSection form={form} />
    </FormDrawer>
  );
}

/** The field of the address, or the first one. */
function useFirstFocus(id: string, isWanted: boolean, loaded: TokenView | undefined): void {
  const phone = usePhone();
  useEffect(() => {
    // The focus would open the phone's keyboard although the user may only want to look.
    if (phone && loaded && !isWanted) return undefined;
    // The focus trap of the drawer sets the focus in the next task; the requested field must get it after that.
    const timer = setTimeout(() => {
      const field = document.getElementById(id);
      field?.focus();
      if (isWanted) field?.scrollIntoView({ block: 'center' });
    }, 20);
    return () => clearTimeout(timer);
  }, [id, isWanted, phone, loaded]);
}
