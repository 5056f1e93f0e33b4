/** Two-factor sign-in: its state, the number of recovery codes left, and its actions. */
import { Button, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { IconAlertTriangleFilled } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { SecurityView } from '#contract/admin/security.ts';
import { api } from '#web/api.ts';
import { toast } from '#web/ui/feedback/toast.tsx';
import { Moment } from '#web/ui/format/moment.tsx';
import { useForm } from '#web/ui/input/use-form.ts';
import { PersonalDialog } from './dialog.tsx';
import { Row } from './block.tsx';
import { SECURITY_KEY } from './queries.ts';
import { RecoveryCodes } from './recovery-codes.tsx';
import { TwoFactorSetup } from './two-factor-setup.tsx';

const FEW_CODES = 3;

export function TwoFactor({ security }: { security: SecurityView }) {
  const { t } = useTranslation('personal');
  const client = useQueryClient();
  const [open, setOpen] = useState<'disable' | 'codes'>();
  const [secret, setSecret] = useState<{ secret: string; uri: string }>();
  const [codes, setCodes] = useState<string[]>();
  const { enabled, enabled_at, recovery_codes_left } = security.two_factor;
  const refresh = () => client.invalidateQueries({ queryKey: SECURITY_KEY });
  const begin = useMutation({
    mutationFn: () => api.security.twoFactorSetup(),
    onSuccess: setSecret,
  });
  return (
    <div className="stack">
      <Row
        name={enabled ? t('twoFactor.on') : t('twoFactor.off')}
        on={enabled}
        value={
          enabled ? (
            <>
              {t('twoFactor.since')} <Moment timestamp={enabled_at} />
              {' · '}
              {t('twoFactor.left', { count: recovery_codes_left })}
            </>
          ) : undefined
        }
      >
        {enabled ? (
          <>
            <Button variant="default" onClick={() => setOpen('codes')}>
              {t('twoFactor.newCodes')}
            </Button>
            <Button variant="default" color="red" onClick={() => setOpen('disable')}>
              {t('twoFactor.disable')}
            </Button>
          </>
        ) : (
          <Button loading={begin.isPending} onClick={() => begin.mutate()}>
            {t('twoFactor.enable')}
          </Button>
        )}
      </Row>
      {enabled && recovery_codes_left <= FEW_CODES ? (
        <p className={`row6 small top4 warning`}>
          <IconAlertTriangleFilled size={13} aria-hidden />
          {t('twoFactor.lowLeft')}
        </p>
      ) : null}
      {secret ? (
        <TwoFactorSetup
          setup={secret}
          onClose={() => setSecret(undefined)}
          onEnabled={(made) => {
            setSecret(undefined);
            setCodes(made);
            toast.success(t('twoFactor.enabled'));
            void refresh();
          }}
        />
      ) : null}
      {open ? (
        <CodeDialog
          purpose={open}
          onClose={() => setOpen(undefined)}
          onDone={(made) => {
            setOpen(undefined);
            setCodes(made);
            toast.success(made ? t('twoFactor.replaced') : t('twoFactor.disabled'));
            void refresh();
          }}
        />
      ) : null}
      {codes ? <RecoveryCodes codes={codes} onClose={() => setCodes(undefined)} /> : null}
    </div>
  );
}

interface CodeDialogProps {
  purpose: 'disable' | 'codes';
  onClose: () => void;
  onDone: (recoveryCodes: string[] | undefined) => void;
}

/** Both need a code, even right after a sign-in. */
function CodeDialog({ purpose, onClose, onDone }: CodeDialogProps) {
  const { t } = useTranslation('personal');
  const form = useForm({
    begin: () => ({ code: '' }),
    problemsOf: ({ code }) => (code.trim() === '' ? { code: t('twoFactor.codeRequired') } : {}),
    send: async ({ code }) => {
      const body = { code: code.trim() };
      if (purpose === 'codes') return (await api.security.recoveryCodes({ body })).recovery_codes;
      await api.security.twoFactorDisable({ body });
      return undefined;
    },
    onSent: onDone,
  });
  const isDisable = purpose === 'disable';
  return (
    <PersonalDialog
      title={isDisable ? t('twoFactor.disableTitle') : t('twoFactor.newCodes')}
      submitLabel={isDisable ? t('twoFactor.disable') : t('twoFactor.newCodes')}
      danger={isDisable}
      form={form}
      onClose={onClose}
    >
      <TextInput
        {...form.field('code')}
        data-autofocus
        label={t('twoFactor.code')}
        description={t('twoFactor.anyCode')}
        autoComplete="one-time-code"
      />
    </PersonalDialog>
  );
}
