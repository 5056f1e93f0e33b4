/** Pictures, music or videos: what is sent on the left, what came of it on the right. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { MAX_PAGE_SIZE } from '#contract/lists.ts';
import { tokenStatusAt, TOKEN_STATUS } from '#contract/admin/tokens.ts';
import { unixSeconds } from '#contract/time.ts';
import { api } from '#web/api.ts';
import { selfQuery } from '#web/api/queries.ts';
import { useUser } from '#web/api/session.ts';
import { EmptyState } from '#web/ui/feedback/states.tsx';
import { takeAgain, type PlaygroundMedia } from '#web/ui/media/again.ts';
import { Page } from '#web/ui/page/page.tsx';
import { pricingQuery } from '#web/api/price-list.ts';
import { RunCard } from './run-card.tsx';
import { startRun, useRuns } from './runs.ts';
import { StudioForm } from './studio-form.tsx';
import { studioModels, studioPrice } from './studio-price.ts';
import type { StudioDraft } from './studio-request.ts';
import classes from './studio.module.css';

const TOKEN_KEY = 'playground-token';

const tokensQuery = {
  queryKey: ['tokens', 'playground'],
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    api.tokens.list({ query: { p: 0, size: MAX_PAGE_SIZE }, signal }),
};

function firstDraft(kind: PlaygroundMedia): StudioDraft {
  const again = takeAgain();
  const blank = { model: '', prompt: '', title: '', tags: '', size: '', seconds: 0, pictureUrls: '' };
  return { ...blank, ...(again?.kind === kind ? again : {}), kind, count: 1, reference: undefined };
}

export function Studio({ kind, tabs }: { kind: PlaygroundMedia; tabs: ReactNode }) {
  const { t } = useTranslation('playground');
  const user = useUser();
  const queries = useQueryClient();
  const userId = user?.id ?? 0;
  const [typed, setDraft] = useState<StudioDraft>(() => firstDraft(kind));
  const [tokenId, setTokenId] = useState(() => Number(localStorage.getItem(TOKEN_KEY)));
  const list = useQuery(pricingQuery(userId)).data;
  const tokens = useQuery(tokensQuery).data?.data.filter(
    (token) => tokenStatusAt(token, unixSeconds()) === TOKEN_STATUS.enabled,
  );
  const runs = useRuns(userId, kind);
  const token = tokens?.find(({ id }) => id === tokenId) ?? tokens?.[0];
  const group = token?.group || (user?.group ?? '');
  const ratio = list?.group_ratio[group] ?? 1;
  const models = list ? studioModels(list.data, kind, group, token) : [];
  const model = models.includes(typed.model) ? typed.model : (models[0] ?? '');
  const draft = { ...typed, model };
  const entry = list?.data.find(({ model_name }) => model_name === model);
  const send = () => {
    if (token === undefined || model === '' || draft.prompt.trim() === '') return;
    const onEnd = () => void queries.invalidateQueries({ queryKey: selfQuery.queryKey });
    startRun({ userId, key: token.key, draft, unreachable: t('answer.unreachable'), onEnd });
  };
  const chooseToken = (id: number) => {
    localStorage.setItem(TOKEN_KEY, String(id));
    setTokenId(id);
  };
  return (
    <Page title={t('title')} tabs={tabs}>
      <div className={classes.studio}>
        <StudioForm
          draft={draft}
          onChange={setDraft}
          onSend={send}
          tokens={tokens}
          token={token}
          onToken={chooseToken}
          models={list === undefined ? undefined : models}
          price={entry === undefined ? undefined : studioPrice(entry, ratio, draft)}
        />
        <section className={classes.results} aria-label={t('studio.results')} aria-live="polite">
          {runs.length === 0 ? (
            <EmptyState title={t(`studio.empty.${kind}`)} text={t('studio.emptyText')} />
          ) : (
            runs.map((run) => <RunCard key={run.id} run={run} />)
          )}
        </section>
      </div>
    </Page>
  );
}
