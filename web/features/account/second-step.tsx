/** The second step of a sign-in: a code of the authenticator app, or one of the recovery codes. */
import { Button, TextInput, UnstyledButton } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { SessionUser } from '#contract/session.ts';
import { api } from '#web/api.ts';
import { ApiError, errorMessage } from '#web/api/errors.ts';
import { toast } from '#web/ui/feedback/toast.tsx';
import { AccountForm } from './account-form.tsx';
import classes from './account.module.css';

interface SecondStepProps {
  onDone: (user: SessionUser) => void;
  /** Time or tries are over, or it was given up: the first step again. */
  onBack: () => void;
}

export function SecondStep({ onDone, onBack }: SecondStepProps) {
  const { t } = useTranslation('account');
  useDocumentTitle(t('secondStep.title'));
  const [recovery, setRecovery] = useState(false);
  const [code, setCode] = useState('');
  const [problem, setProblem] = useState('');
  const check = useMutation({
    mutationFn: (entered: string) => api.signIn.loginSecondStep({ body: { code: entered } }),
    onSuccess: onDone,
    meta: { silent: true },
    onError: (error) => {
      if (error instanceof ApiError && error.code === 'second_step_expired') {
        toast.error(error.message);
        onBack();
      } else setProblem(errorMessage(error));
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
      <h1 className={classes.title}>{t('secondStep.title')}</h1>
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
          error={problem || undefined}
          onChange={(event) => {
            setCode(event.currentTarget.value);
            setProblem('');
          }}
        />
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
          }}
        >
          {recovery ? t('secondStep.useCode') : t('secondStep.useRecovery')}
        </UnstyledButton>
        <UnstyledButton onClick={onBack}>{t('secondStep.back')}</UnstyledButton>
      </div>
    </>
  );
}
