/** The first steps: what works and what is left, each with the button that opens its form. */
import { ActionIcon, Button, Tooltip } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { IconAlertTriangleFilled, IconCheck, IconCircleDashed, IconRefresh } from '@tabler/icons-react';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { FirstStepView } from '#contract/admin/first-run.ts';
import { languageOf } from '#contract/language.ts';
import { unixSeconds } from '#contract/time.ts';
import { api } from '#web/api.ts';
import { firstRunQuery } from '#web/api/queries.ts';
import { toast } from '#web/ui/feedback/toast.tsx';
import { relativeTime } from '#web/ui/format/time.ts';
import { usePhone } from '#web/ui/page/breakpoints.ts';
import classes from './panel.module.css';

const MARKS = { done: IconCheck, open: IconCircleDashed, failed: IconAlertTriangleFilled } as const;

export function FirstStepsPanel({ steps }: { steps: readonly FirstStepView[] }) {
  const { t } = useTranslation('first-run');
  const client = useQueryClient();
  const heading = useId();
  const refresh = () => client.invalidateQueries({ queryKey: firstRunQuery.queryKey });
  const hide = useMutation({
    mutationFn: () => api.options.save({ body: { key: 'FirstStepsEnabled', value: 'false' } }),
    onSuccess: async () => {
      toast.info(t('hidden'));
      await refresh();
    },
  });
  const done = steps.filter(({ state }) => state === 'done').length;
  const [next] = steps.filter(({ state }) => state !== 'done');
  const phone = usePhone();
  // The whole list would leave no room for the page of a phone.
  const [isOpen, setIsOpen] = useState(false);
  const shown = phone && !isOpen ? steps.filter((step) => step === next) : steps;
  return (
    <section className={classes.panel} aria-labelledby={heading}>
      <header className={`row10 ${classes.head}`}>
        <h2 id={heading}>{t('title')}</h2>
        <span role="status">{t('progress', { done, total: steps.length })}</span>
        {phone ? (
          <Button variant="subtle" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
            {t(isOpen ? 'less' : 'all')}
          </Button>
        ) : null}
        <Tooltip label={t('check')}>
          <ActionIcon aria-label={t('check')} onClick={() => void refresh()}>
            <IconRefresh size={15} stroke={1.6} />
          </ActionIcon>
        </Tooltip>
        <Button variant="subtle" loading={hide.isPending} onClick={() => hide.mutate()}>
          {t('hide')}
        </Button>
      </header>
      <ol className={classes.steps}>
        {shown.map((step) => (
          <Step key={step.name} step={step} isNext={step === next} />
        ))}
      </ol>
    </section>
  );
}

function Step({ step, isNext }: { step: FirstStepView; isNext: boolean }) {
  const { t } = useTranslation('first-run');
  const Mark = MARKS[step.state];
  return (
    <li className={`row10 ${classes.step}`} data-state={step.state}>
      <span className={classes.mark} role="img" aria-label={t(`state.${step.state}`)}>
        <Mark size={16} stroke={1.8} aria-hidden />
      </span>
      <div className={`stack grow ${classes.words}`}>
        <b>{t(`${step.name}.title`)}</b>
        <StepText step={step} />
      </div>
      {step.state === 'done' ? null : <StepAction step={step} isNext={isNext} />}
    </li>
  );
}

/** Every reason of a step has its sentence under the step's own words. */
function StepText({ step: { name, state, reason = 'none', detail, at } }: { step: FirstStepView }) {
  const { t, i18n } = useTranslation('first-run');
  const key = state === 'done' ? 'done' : reason;
  const when = at === 0 ? '' : relativeTime(at, unixSeconds(), languageOf(i18n.language));
  return <span>{t(`${name}.${key}` as 'channel.done', { detail, when })}</span>;
}

function StepAction({ step: { name, reason }, isNext }: { step: FirstStepView; isNext: boolean }) {
  const { t } = useTranslation('first-run');
  const look = { size: 'xs', variant: isNext ? 'filled' : 'default', className: classes.action } as const;
  if (name === 'channel')
    return (
      <Button
        {...look}
        renderRoot={(props) => (
          <Link {...props} to="/channel" search={reason === 'none' ? { quick: true } : {}} />
        )}
      >
        {t(reason === 'none' ? 'channel.action' : 'channel.retry')}
      </Button>
    );
  if (name === 'token')
    return (
      <Button {...look} renderRoot={(props) => <Link {...props} to="/token" search={{ new: 1 }} />}>
        {t('token.action')}
      </Button>
    );
  if (name === 'price')
    return (
      <Button {...look} renderRoot={(props) => <Link {...props} to="/prices" search={{ unpriced: true }} />}>
        {t('price.action')}
      </Button>
    );
  return (
    <Button {...look} renderRoot={(props) => <Link {...props} to="/setting" search={SETTINGS[name]} />}>
      {t(`${name}.action`)}
    </Button>
  );
}

const SETTINGS = {
  address: { tab: 'system', section: 'address' },
  mail: { tab: 'system', section: 'smtp' },
  payment: { tab: 'system', section: 'payment' },
  backup: { tab: 'system', section: 'backup' },
} as const;
