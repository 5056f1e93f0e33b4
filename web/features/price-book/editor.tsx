/**
 * The editor of prices, at the model that the address names: the draft it names, else the newest open one, else one of the running
 * prices, which is stored with its first save.
 */
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconArrowLeft } from '@tabler/icons-react';
import { useEffect, useEffectEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { PriceDraftDetail, PriceVersionDetail } from '#contract/money/price-book-views.ts';
import { errorMessage } from '#web/api/errors.ts';
import { Loading } from '#web/ui/feedback/loading.tsx';
import { ErrorState } from '#web/ui/feedback/states.tsx';
import type { Filtering } from '#web/ui/sheet/price-sheet.tsx';
import { DraftForm } from './draft-form.tsx';
import { DraftState } from './drafts.tsx';
import { priceQueries } from './queries.ts';
import { NO_EDITOR, type PartProps } from './search.ts';
import classes from './price-book.module.css';

export function Editor({ search, change }: PartProps) {
  const { t } = useTranslation('price-book');
  const filtering = useState({ text: search.model ?? '', unpriced: search.unpriced === true });
  const { draft, error, retry } = useEdited(search.draft);
  // From now on the address names the draft: what others do does not move what is typed to another one.
  const found = draft?.id ?? 0;
  const name = useEffectEvent(() => change({ draft: found }, { replace: true }));
  useEffect(() => {
    if (search.draft === undefined && found !== 0) name();
  }, [search.draft, found]);
  if (error && draft === undefined) return <ErrorState message={errorMessage(error)} onRetry={retry} />;
  if (draft === undefined) return <Loading page />;
  return (
    <div className={`stack12 scroll ${classes.draft}`}>
      <div className={`wrap8 ${classes.bar}`}>
        <Button
          variant="subtle"
          leftSection={<IconArrowLeft size={15} stroke={1.6} />}
          onClick={() => change({ ...NO_EDITOR, tab: 'drafts' })}
        >
          {t('draft.back')}
        </Button>
        <h2>{draft.id === 0 ? t('draft.new') : t('draft.title', { id: draft.id })}</h2>
        {draft.id === 0 ? null : <DraftState draft={draft} />}
      </div>
      <Form
        draft={draft}
        filtering={filtering}
        onCreated={(id) => change({ draft: id }, { replace: true })}
      />
    </div>
  );
}

/** What was typed belongs to one draft. */
const Form = (props: { draft: PriceDraftDetail; filtering: Filtering; onCreated: (id: number) => void }) => (
  <DraftForm key={props.draft.id} {...props} />
);

/** `wanted`: the number of a draft; undefined: whichever is open. */
function useEdited(wanted: number | undefined) {
  const finds = wanted === undefined;
  const open = useQuery({ ...priceQueries.openDraft(), enabled: finds });
  const id = wanted ?? (open.isFetching ? undefined : open.data);
  const named = useQuery({ ...priceQueries.draft(id ?? 0), enabled: id !== undefined && id !== 0 });
  const running = useQuery({ ...priceQueries.running(), enabled: id === 0 });
  const queries = [open, named, running];
  return {
    draft: id === 0 ? running.data && draftOf(running.data) : named.data,
    error: queries.find(({ error }) => error !== null)?.error,
    retry: () => queries.forEach((query) => query.isError && void query.refetch()),
  };
}

const draftOf = ({ id, prices }: PriceVersionDetail): PriceDraftDetail => ({
  id: 0,
  status: 'draft',
  based_on: id,
  running: id,
  prices,
  created_at: 0,
  created_name: '',
  updated_at: 0,
  updated_name: '',
  revision: 0,
  publish_at: 0,
  version_id: 0,
  reason: '',
  source: 'operator',
  error: '',
  changes: [],
  since: [],
  conflicts: [],
});
