/** What is behind the score of a channel: findings, distributions, probes. */
import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { findingSentence, SIGNAL_NAMES } from '#contract/suppliers/supplier-report.ts';
import type { ModelScore, ProbeView, SupplierDetail } from '#contract/suppliers/suppliers.ts';
import { api } from '#web/api.ts';
import { errorMessage } from '#web/api/errors.ts';
import { StatusBadge, type StatusKind } from '#web/ui/badge/status.tsx';
import { Loading } from '#web/ui/feedback/loading.tsx';
import { ErrorState } from '#web/ui/feedback/states.tsx';
import { Moment } from '#web/ui/format/moment.tsx';
import { groupDigits } from '#web/ui/format/number.ts';
import { Bars } from './bars.tsx';
import { useLanguage } from './cells.tsx';
import { supplierQueries, SUPPLIERS_KEY } from './queries.ts';
import classes from './suppliers.module.css';

const SHOWN_PROBES = 12;

export function SupplierPanel({ id }: { id: number }) {
  const supplier = useQuery(supplierQueries.one(id));
  if (supplier.error && !supplier.data)
    return <ErrorState message={errorMessage(supplier.error)} onRetry={() => void supplier.refetch()} />;
  return supplier.data ? <Panel supplier={supplier.data} /> : <Loading />;
}

function Panel({ supplier }: { supplier: SupplierDetail }) {
  return (
    <div className={`stack12 ${classes.detail}`}>
      <Actions supplier={supplier} />
      {supplier.models.map((model) => (
        <Model key={model.model} model={model} supplier={supplier} />
      ))}
      <Probes probes={supplier.probes} />
    </div>
  );
}

function Actions({ supplier: { channel_id, is_trusted } }: { supplier: SupplierDetail }) {
  const { t } = useTranslation('suppliers');
  const client = useQueryClient();
  const trust = useMutation({
    mutationFn: () => api.suppliers.trust({ params: { id: channel_id }, body: { is_trusted: !is_trusted } }),
    onSuccess: () => client.invalidateQueries({ queryKey: SUPPLIERS_KEY }),
  });
  return (
    <div className="flow8">
      <Button
        size="xs"
        variant="default"
        renderRoot={(props) => <Link to="/suppliers/report" search={{ id: channel_id }} {...props} />}
      >
        {t('detail.report')}
      </Button>
      <Button
        size="xs"
        variant="default"
        loading={trust.isPending}
        title={t('detail.trustHint')}
        onClick={() => trust.mutate()}
      >
        {is_trusted ? t('detail.untrust') : t('detail.trust')}
      </Button>
    </div>
  );
}

function Model({ model, supplier }: { model: ModelScore; supplier: SupplierDetail }) {
  const { t } = useTranslation('suppliers');
  const language = useLanguage();
  const counts = supplier.distributions.find((each) => each.model === model.model);
  const answers = groupDigits(model.answers);
  return (
    <section className={classes.model}>
      <h2>
        {model.model}{' '}
        <span className="muted">
          {model.score === null
            ? t('detail.few', { answers })
            : t('detail.score', { score: model.score, answers })}
        </span>
      </h2>
      {model.findings.length === 0 ? null : (
        <ul className={`stack4 ${classes.findings}`}>
          {model.findings.map((finding) => (
            <li key={finding.signal}>
              <b>{SIGNAL_NAMES[finding.signal][language]}</b> {findingSentence(finding, language)}{' '}
              <span className="danger">−{finding.penalty}</span>
            </li>
          ))}
        </ul>
      )}
      {counts ? (
        <div className={classes.figures}>
          <Bars label={t('detail.ratioInput')} counts={counts.input} digits={2} />
          <Bars label={t('detail.ratioOutput')} counts={counts.output} digits={2} />
          <Bars label={t('detail.firstToken')} counts={counts.first_token} digits={0} />
          <Bars label={t('detail.speed')} counts={counts.speed} digits={0} />
        </div>
      ) : null}
    </section>
  );
}

const KINDS: Record<ProbeView['verdict'], StatusKind> = {
  agrees: 'enabled',
  differs: 'failed',
  unknown: 'queued',
  failed: 'disabled',
};

function Probes({ probes }: { probes: readonly ProbeView[] }) {
  const { t } = useTranslation('suppliers');
  if (probes.length === 0) return <p className="muted">{t('detail.noProbes')}</p>;
  return (
    <section className={classes.model}>
      <h2>{t('detail.probes')}</h2>
      <ul className={`stack4 small ${classes.probes}`}>
        {probes.slice(0, SHOWN_PROBES).map((probe) => (
          <li key={probe.id}>
            <StatusBadge kind={KINDS[probe.verdict]}>{t(`detail.verdict.${probe.verdict}`)}</StatusBadge>
            <code>{probe.question}</code>
            <span className="shrink cut">{probe.answer}</span>
            {probe.verdict === 'differs' ? (
              <span className="muted">{t('detail.expected', { answer: probe.expected })}</span>
            ) : null}
            <span className="muted">
              {probe.model} <Moment timestamp={probe.created_at} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
