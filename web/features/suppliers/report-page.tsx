/** The report for a supplier: to print, or to send as Markdown or CSV. */
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import {
  evidenceName,
  evidenceValue,
  findingSentence,
  provingEvidence,
  reportCsv,
  reportMarkdown,
  SIGNAL_NAMES,
} from '#contract/suppliers/supplier-report.ts';
import type { EvidenceView, SupplierDetail } from '#contract/suppliers/suppliers.ts';
import { errorMessage } from '#web/api/errors.ts';
import { Loading } from '#web/ui/feedback/loading.tsx';
import { ErrorState } from '#web/ui/feedback/states.tsx';
import { utcTime } from '#web/ui/format/time.ts';
import { downloadFile } from '#web/ui/grid/csv.ts';
import { Page } from '#web/ui/page/page.tsx';
import {
  Paper,
  PaperHead,
  PaperNotes,
  PaperTable,
  PrintButton,
  withDetail,
  type PaperColumn,
} from '#web/ui/paper/paper.tsx';
import { useStatus } from '#web/api/status.ts';
import { useLanguage } from './cells.tsx';
import { supplierQueries } from './queries.ts';
import { supplierReportSearch } from './search.ts';

export function SupplierReportPage() {
  const { t } = useTranslation('suppliers');
  const { id = 0 } = supplierReportSearch.parse(useSearch({ strict: false }));
  const supplier = useQuery(supplierQueries.one(id));
  const { data, error } = supplier;
  return (
    <Page title={t('report.title')}>
      <Paper label={t('report.title')} tools={data ? <Tools supplier={data} /> : undefined}>
        {error ? <ErrorState message={errorMessage(error)} onRetry={() => void supplier.refetch()} /> : null}
        {!error && data ? <Sheet supplier={data} /> : null}
        {error || data ? null : <Loading />}
      </Paper>
    </Page>
  );
}

function Tools({ supplier }: { supplier: SupplierDetail }) {
  const { t } = useTranslation('suppliers');
  const language = useLanguage();
  const name = `supplier-${supplier.channel_id}`;
  return (
    <>
      <PrintButton />
      <Button
        variant="default"
        onClick={() => downloadFile(`${name}.md`, reportMarkdown(supplier, language), 'text/plain')}
      >
        {t('report.markdown')}
      </Button>
      <Button variant="default" onClick={() => downloadFile(`${name}.csv`, reportCsv(supplier), 'text/csv')}>
        {t('report.csv')}
      </Button>
    </>
  );
}

interface Found {
  key: string;
  model: string;
  name: string;
  sentence: string;
}

function Sheet({ supplier }: { supplier: SupplierDetail }) {
  const { t } = useTranslation('suppliers');
  const language = useLanguage();
  const status = useStatus();
  const found: Found[] = supplier.models.flatMap(({ model, findings }) =>
    findings.map((finding) => ({
      key: `${model} ${finding.signal}`,
      model,
      name: SIGNAL_NAMES[finding.signal][language],
      sentence: findingSentence(finding, language),
    })),
  );
  const foundColumns: PaperColumn<Found>[] = [
    { header: t('report.model'), cell: ({ model }) => model, isWhole: true },
    {
      header: t('report.what'),
      cell: ({ name, sentence }) => withDetail(name, sentence),
    },
  ];
  const callColumns: PaperColumn<EvidenceView>[] = [
    { header: t('report.time'), cell: ({ at }) => utcTime(at) },
    { header: t('report.request'), cell: ({ request_id }) => request_id },
    { header: t('report.model'), cell: ({ model }) => model, isWide: true },
    { header: t('report.what'), cell: ({ signal }) => evidenceName(signal, language), isWide: true },
    {
      header: t('report.claimed'),
      cell: (call) => evidenceValue(call, call.claimed, language),
      isNumber: true,
    },
    {
      header: t('report.counted'),
      cell: (call) => evidenceValue(call, call.counted, language),
      isNumber: true,
    },
  ];
  const calls = provingEvidence(supplier);
  return (
    <>
      <PaperHead
        from={<b>{status?.system_name ?? ''}</b>}
        title={t('report.title')}
        facts={[
          [t('report.channel'), `#${supplier.channel_id} ${supplier.channel_name}`],
          [t('report.score'), supplier.score === null ? t('tooFew') : `${supplier.score} / 100`],
          [t('report.computed'), supplier.computed_at > 0 ? `${utcTime(supplier.computed_at)} UTC` : '—'],
        ]}
      />
      {found.length === 0 ? (
        <p className="paragraph">{t('report.nothing')}</p>
      ) : (
        <>
          <PaperTable
            title={t('report.found')}
            columns={foundColumns}
            rows={found}
            rowKey={({ key }) => key}
          />
          <PaperTable
            title={t('report.calls')}
            columns={callColumns}
            rows={calls}
            rowKey={({ request_id, signal }) => `${request_id} ${signal}`}
          />
        </>
      )}
      <PaperNotes>{t('report.note')}</PaperNotes>
    </>
  );
}
