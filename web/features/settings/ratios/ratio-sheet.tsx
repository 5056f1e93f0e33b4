/** The model ratios of the settings as a sheet; it edits the same drafts as the JSON view. */
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { errorMessage } from '#web/api/errors.ts';
import { optionQueries } from '#web/features/settings/queries.ts';
import type { OptionsForm } from '#web/features/settings/use-options.ts';
import { ErrorState } from '#web/ui/feedback/states.tsx';
import { PriceSheet } from '#web/ui/sheet/price-sheet.tsx';
import { OpenPriceBook, ResetRatios, ViewSwitch } from './ratio-tools.tsx';

const NO_MODELS: never[] = [];

export function RatioSheet({ form }: { form: OptionsForm }) {
  const { t } = useTranslation('settings');
  const { data: models, error, refetch } = useQuery(optionQueries.models());
  if (error && !models) return <ErrorState message={errorMessage(error)} onRetry={() => void refetch()} />;
  return (
    <PriceSheet
      form={form}
      models={models ?? NO_MODELS}
      label={t('section.pricing')}
      start={<ViewSwitch view="sheet" />}
      end={
        <>
          <OpenPriceBook />
          <ResetRatios />
        </>
      }
    />
  );
}
