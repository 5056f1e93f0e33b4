/** The second step of a sign-in: a code of the authenticator app, or one of the recovery codes. */
import { Button, TextInput, UnstyledButton } from '@mantine/core';
import { usePageTitle } from '#web/ui/page/document-title.ts';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { SessionUser } from '#contract/admin/session.ts';
import { api } from '#web/api.ts';
import { ApiError } from '#web/api/errors.ts';
import { toast } from '#web/ui/feedback/toast.tsx';
import { RefusalNotice, useRefusal } from '#web/ui/input/refusal.tsx';
import { AccountForm } from '#web/features/account/account-form.tsx';
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
  const [code, setCode] = useState('');
  const [problem, setProblem] = useState('');
  const refusal = useRefusal(['code']);
  const check = useMutation({
    ...refusal.mutation,
    mutationFn: (entered: string) => api.signIn.loginSecondStep({ body: { code: entered } }),
    onSuccess: onDone,
    onError: (error) => {
      if (error instanceof ApiError && error.code === 'second_step_expired') {
        toast.error(error.message);
        onBack();
      } else refusal.mutation.onError(error);
    },
  });
  const submit = () => {
    const entered = code.trim();
    if (!entered) return setProblem(t('secondStep.required'));
    setProblem('');
    return check.mutate(entered);
  };
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
      <AccountForm onSubmit={submit}>
        <TextInput
          key={key}
          {...attributes}
          size="md"
          name="second-step"
          autoFocus
          spellCheck={false}
          autoCapitalize="none"
          value={code}
          error={problem || refusal.errorOf('code')}
          onChange={(event) => {
            setCode(event.currentTarget.value);
            setProblem('');
            refusal.clear();
          }}
        />
        <RefusalNotice refusal={refusal} />
        <Button type="submit" size="md" fullWidth loading={check.isPending}>
          {t('secondStep.submit')}
        </Button>
      </AccountForm>
      <div className={classes.links}>
        <UnstyledButton
          onClick={() => {
            setRecovery(!recovery);
            setCode('');
            setProblem('');
            refusal.clear();
          }}
        >
          {recovery ? t('secondStep.useCode') : t('secondStep.useRecovery')}
        </UnstyledButton>
        <UnstyledButton onClick={onBack}>{t('secondStep.back')}</UnstyledButton>
      </div>
    </>
  );
}
