/** An agent's overview: the balance and what can be done with it, this month, the link, and what is earned. */
import { Button, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconCopy } from '@tabler/icons-react';
import { useId, useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { AgentOverview } from '#contract/money/resellers.ts';
import { errorMessage } from '#web/api/errors.ts';
import { copyText } from '#web/ui/copy/copy.ts';
import { Loading } from '#web/ui/feedback/loading.tsx';
import { NoticeBox } from '#web/ui/feedback/notice.tsx';
import { ErrorState } from '#web/ui/feedback/states.tsx';
import { toast } from '#web/ui/feedback/toast.tsx';
import { StatAmount } from '#web/ui/format/page-amounts.tsx';
import { useDisplay } from '#web/ui/format/display.ts';
import { groupDigits, renderQuota } from '#web/ui/format/number.ts';
import { Qr } from '#web/ui/qr/qr.tsx';
import { resellerQueries } from './queries.ts';
import { TransferDialog } from './transfer-dialog.tsx';
import { WithdrawDialog } from './withdraw-dialog.tsx';
import classes from './resellers.module.css';

export function Own() {
  const { data, error, refetch } = useQuery(resellerQueries.overview());
  if (error && data === undefined)
    return <ErrorState message={errorMessage(error)} onRetry={() => void refetch()} />;
  return <div className={`scroll ${classes.own}`}>{data ? <Overview agent={data} /> : <Loading />}</div>;
}

function Overview({ agent }: { agent: AgentOverview }) {
  const { t } = useTranslation('resellers');
  const display = useDisplay();
  const [dialog, setDialog] = useState<'transfer' | 'withdraw'>();
  const close = () => setDialog(undefined);
  const canWithdraw = agent.withdrawal.methods.length > 0;
  return (
    <>
      {agent.active ? null : <NoticeBox tone="info">{t('ended')}</NoticeBox>}
      {agent.owed > 0 ? (
        <NoticeBox tone="warning">{t('own.owed', { amount: renderQuota(agent.owed, display) })}</NoticeBox>
      ) : null}
      <Block title={t('own.balance')}>
        <div className={`row amount ${classes.balance}`}>
          <StatAmount quota={agent.balance} />
          <Button disabled={agent.balance === 0} onClick={() => setDialog('transfer')}>
            {t('own.transfer')}
          </Button>
          {canWithdraw ? (
            <Button
              variant="default"
              disabled={agent.balance < agent.withdrawal.minimum}
              onClick={() => setDialog('withdraw')}
            >
              {t('own.withdraw')}
            </Button>
          ) : (
            <span className={`note regular ${classes.hint}`}>{t('own.noWithdrawal')}</span>
          )}
        </div>
        <Figures agent={agent} />
      </Block>
      <Block title={t('own.link')}>
        <InviteLink code={agent.aff_code} />
      </Block>
      <Block title={t('own.terms')}>
        <Terms agent={agent} />
      </Block>
      {dialog === 'transfer' ? <TransferDialog balance={agent.balance} onClose={close} /> : null}
      {dialog === 'withdraw' ? <WithdrawDialog agent={agent} onClose={close} /> : null}
    </>
  );
}

function Block({ title, children }: { title: string; children: ReactNode }) {
  const id = useId();
  return (
    <section className={classes.block} aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}

function Figures({ agent }: { agent: AgentOverview }) {
  const { t } = useTranslation('resellers');
  const display = useDisplay();
  const basis = t(`basis.${agent.basis}`);
  return (
    <dl className={classes.figures}>
      <Figure
        name={t('own.month')}
        hint={t('own.monthRevenue', { revenue: renderQuota(agent.month_revenue, display), basis })}
      >
        <StatAmount quota={agent.month_dividends} />
      </Figure>
      <Figure name={t('own.total')}>
        <StatAmount quota={agent.dividends} />
      </Figure>
      <Figure
        name={t('own.customers')}
        hint={
          agent.second_level_customers > 0
            ? t('own.secondLevel', { total: groupDigits(agent.second_level_customers) })
            : undefined
        }
      >
        {groupDigits(agent.customers)}
      </Figure>
      {agent.withdrawing > 0 ? (
        <Figure name={t('own.withdrawing')}>
          <StatAmount quota={agent.withdrawing} />
        </Figure>
      ) : null}
      {agent.withdrawn > 0 ? (
        <Figure name={t('own.withdrawn')}>
          <StatAmount quota={agent.withdrawn} />
        </Figure>
      ) : null}
    </dl>
  );
}

function Figure({ name, hint, children }: { name: string; hint?: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
      {hint ? <dd className={`note regular ${classes.hint}`}>{hint}</dd> : null}
    </div>
  );
}

function InviteLink({ code }: { code: string }) {
  const { t } = useTranslation('resellers');
  const link = `${location.origin}/register?aff=${encodeURIComponent(code)}`;
  return (
    <div className={classes.link}>
      <TextInput
        aria-label={t('own.link')}
        value={link}
        readOnly
        onFocus={(event) => event.currentTarget.select()}
      />
      <Button
        variant="default"
        leftSection={<IconCopy size={15} stroke={1.6} />}
        onClick={() => {
          void copyText(link).then((copied) => copied && toast.success(t('own.copied')));
        }}
      >
        {t('own.copy')}
      </Button>
      <Qr text={link} label={t('own.link')} size={104} />
    </div>
  );
}

function Terms({ agent }: { agent: AgentOverview }) {
  const { t } = useTranslation('resellers');
  const basis = t(`basis.${agent.basis}`);
  return (
    <ul className={classes.terms}>
      <li>{t('own.rate', { percent: agent.rate_percent, basis })}</li>
      {agent.second_level_percent > 0 ? (
        <li>{t('own.second', { percent: agent.second_level_percent, basis })}</li>
      ) : null}
      <li>{t(agent.basis === 'payment' ? 'own.refund' : 'own.spendDelay')}</li>
    </ul>
  );
}
