/** The page of a thing before its data, or in its place: it is loading, it does not exist, or it could not be read. */
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Loading } from '#web/ui/feedback/loading.tsx';
import { EmptyState, ErrorState } from '#web/ui/feedback/states.tsx';
import { Page } from '#web/ui/page/page.tsx';

interface ThingWaitingProps {
  title: string;
  /** A link to the list. */
  back: ReactNode;
  /** The message of an error. */
  error?: string | undefined;
  /** There is no such thing, or it is not the reader's. */
  isMissing?: boolean;
  onRetry: () => void;
}

export function ThingWaiting({ title, back, error, isMissing = false, onRetry }: ThingWaitingProps) {
  const { t } = useTranslation('thing');
  return (
    <Page title={title}>
      {isMissing ? (
        <EmptyState title={t('missing.title')} text={t('missing.text')} action={back} />
      ) : error === undefined ? (
        <Loading shape="thing" />
      ) : (
        <ErrorState message={error} onRetry={onRetry} />
      )}
    </Page>
  );
}
