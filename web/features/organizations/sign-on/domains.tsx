/** Mail domains: each with the TXT record that proves it, until it is verified. */
import { ActionIcon, Button, TextInput, Tooltip } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import limits from 'virtual:limits/organizationSignOn.addDomain';
import type { SignOnDomain } from '#contract/admin/sign-on.ts';
import { api } from '#web/api.ts';
import { ORGANIZATIONS_KEY } from '#web/api/holders.ts';
import { StatusBadge, type StatusKind } from '#web/ui/badge/status.tsx';
import { confirm } from '#web/ui/feedback/dialog-store.ts';
import { NoticeBox } from '#web/ui/feedback/notice.tsx';
import { toast } from '#web/ui/feedback/toast.tsx';
import { absoluteTime } from '#web/ui/format/time.ts';
import { FormElement } from '#web/ui/input/form-element.tsx';
import { RefusalNotice } from '#web/ui/input/refusal.tsx';
import { useForm } from '#web/ui/input/use-form.ts';
import { Copied } from './copied.tsx';

interface DomainsProps {
  domains: readonly SignOnDomain[];
  manages: boolean;
}

export function Domains({ domains, manages }: DomainsProps) {
  const { t } = useTranslation('organizations');
  return (
    <div className="stack12">
      {domains.length === 0 ? <p className="soft">{t('signOn.noDomains')}</p> : null}
      {domains.map((domain) => (
        <Domain key={domain.id} domain={domain} manages={manages} />
      ))}
      {/* A new one takes the place of the one that was added. */}
      {manages ? <Add key={domains.length} /> : null}
    </div>
  );
}

const KINDS = {
  verified: 'enabled',
  missing: 'auto-disabled',
  lost: 'expired',
  unverified: 'queued',
} as const satisfies Record<string, StatusKind>;

function Domain({ domain, manages }: { domain: SignOnDomain; manages: boolean }) {
  const { t } = useTranslation('organizations');
  const client = useQueryClient();
  const refresh = () => client.invalidateQueries({ queryKey: ORGANIZATIONS_KEY });
  const params = { id: domain.id };
  const verify = useMutation({
    mutationFn: () => api.organizationSignOn.verifyDomain({ params }),
    onSuccess: () => toast.success(t('signOn.verifiedNow', { domain: domain.domain })),
    onSettled: refresh,
  });
  const remove = useMutation({
    mutationFn: () => api.organizationSignOn.removeDomain({ params }),
    onSettled: refresh,
  });
  const askRemove = async () => {
    const sure = await confirm({
      title: t('signOn.removeDomain', { domain: domain.domain }),
      body: t('signOn.removeDomainText'),
      confirmLabel: t('signOn.remove'),
      danger: true,
    });
    if (sure) remove.mutate();
  };
  const isVerified = domain.verified_at > 0;
  const isMissing = domain.missing_since > 0;
  const state = isVerified ? (isMissing ? 'missing' : 'verified') : isMissing ? 'lost' : 'unverified';
  return (
    <div className="stack8">
      <div className="row8 between">
        <span className="flow8 shrink">
          <b className="anywhere">{domain.domain}</b>
          <StatusBadge kind={KINDS[state]}>{t(`signOn.${state}`)}</StatusBadge>
        </span>
        {manages ? (
          <Tooltip label={t('signOn.removeDomain', { domain: domain.domain })}>
            <ActionIcon
              aria-label={t('signOn.removeDomain', { domain: domain.domain })}
              loading={remove.isPending}
              onClick={() => void askRemove()}
            >
              <IconTrash size={15} stroke={1.6} />
            </ActionIcon>
          </Tooltip>
        ) : null}
      </div>
      {state === 'verified' ? null : (
        <>
          {state === 'missing' ? (
            <NoticeBox tone="warning">
              {t('signOn.missingText', { until: absoluteTime(domain.ends_at).slice(0, 16) })}
            </NoticeBox>
          ) : (
            <p className="note">{t(state === 'lost' ? 'signOn.lostText' : 'signOn.record')}</p>
          )}
          <Copied label={t('signOn.recordName')} text={domain.record_name} />
          <Copied label={t('signOn.recordValue')} text={domain.record_value} />
          {manages && !isVerified ? (
            <div>
              <Button variant="default" loading={verify.isPending} onClick={() => verify.mutate()}>
                {t('signOn.verify')}
              </Button>
            </div>
          ) : null}
        </>
      )}
    </div>
  );
}

function Add() {
  const { t } = useTranslation('organizations');
  const form = useForm({
    begin: () => ({ domain: '' }),
    limits,
    problemsOf: ({ domain }) => ({ domain: domain.trim() === '' ? t('signOn.needed') : undefined }),
    send: (body) => api.organizationSignOn.addDomain({ body }),
    refresh: [ORGANIZATIONS_KEY],
  });
  return (
    <FormElement form={form} className="stack8">
      <TextInput
        {...form.field('domain')}
        label={t('signOn.newDomain')}
        placeholder="example.com"
        autoComplete="off"
        spellCheck={false}
      />
      <RefusalNotice refusal={form.refusal} />
      <div>
        <Button type="submit" variant="default" loading={form.isSending}>
          {t('signOn.addDomain')}
        </Button>
      </div>
    </FormElement>
  );
}
