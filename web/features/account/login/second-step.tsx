/** The second step of a sign-in: a code of the authenticator app, or one of the recovery codes. */
import { Button, TextInput, UnstyledButton } from '@mantine/core';
import { usePageTitle } from '#web/ui/page/document-title.ts';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { SessionUser } from '#contract/admin/session.ts';
import { api } from '#web/api.ts';
import { ApiError } from '#web/api/errors.ts';
import { toast } from '#web/ui/feedback/toast.tsx';
import { FormElement } from '#web/ui/input/form-element.tsx';
import { RefusalNotice } from '#web/ui/input/refusal.tsx';
import { useForm } from '#web/ui/input/use-form.ts';
import classes from '#web/features/account/account.module.css';

interface SecondStepProps {
  onDone: (user: SessionUser) => void;
  /** The step expired or the user gave up: back to the first step. */
  onBack: () => void;
}

export function SecondStep({ onDone, onBack }: SecondStepProps) {
  const { t } = useTranslation('account');
  usePageTitle(t('secondStep.title'));
  const [recovery, setRecovery] = useState(false);
  const form = useForm({
    begin: () => ({ code: '' }),
    problemsOf: ({ code }) => (code.trim() ? {} : { code: t('secondStep.required') }),
    send: ({ code }) => api.signIn.loginSecondStep({ body: { code: code.trim() } }),
    onSent: onDone,
    onRefused: (error) => {
      if (!(error instanceof ApiError && error.code === 'second_step_expired')) return undefined;
      toast.error(error.message);
      onBack();
      return false;
    },
  });
  const field = recovery
    ? ({ key: 'recovery', label: t('secondStep.recovery'), autoComplete: 'off' } as const)
    : ({
        key: 'code',
        label: t('secondStep.code'),
        autoComplete: 'one-time-code',
        inputMode: 'numeric',
      } as const);
  const { key, ...attributes } = field;
  return (
    <>
      <h1 className="amount">{t('secondStep.title')}</h1>
      <p className={classes.lead}>{recovery ? t('secondStep.recoveryText') : t('secondStep.text')}</p>
      <FormElement form={form} className="stack14">
        <TextInput
          key={key}
          {...attributes}
          {...form.field('code')}
          size="md"
          name="second-step"
          autoFocus
          spellCheck={false}
          autoCapitalize="none"
        />
        <RefusalNotice refusal={form.refusal} />
        <Button type="submit" size="md" fullWidth loading={form.isSending}>
          {t('secondStep.submit')}
        </Button>
      </FormElement>
      <div className={classes.links}>
        <UnstyledButton
          onClick={() => {
            setRecovery(!recovery);
            form.restart();
          }}
        >
          {recovery ? t('secondStep.useCode') : t('secondStep.useRecovery')}
        </UnstyledButton>
        <UnstyledButton onClick={onBack}>{t('secondStep.back')}</UnstyledButton>
      </div>
    </>
  );
}
