/** The drawer that the URL selects: new codes, or one code to edit; a used or disabled one is only shown. */
import { useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { REDEMPTION_STATUS, type RedemptionView } from '#contract/money/redemptions.ts';
import { ApiError, errorMessage } from '#web/api/errors.ts';
import { Tag } from '#web/ui/badge/tag.tsx';
import { Secret } from '#web/ui/copy/secret.tsx';
import { Drawer } from '#web/ui/drawer/drawer.tsx';
import { NoticeBox } from '#web/ui/feedback/notice.tsx';
import { Loading } from '#web/ui/feedback/loading.tsx';
import { ErrorState } from '#web/ui/feedback/states.tsx';
import { Quota } from '#web/ui/format/amount.tsx';
import { useDisplay } from '#web/ui/format/display.ts';
import { renderQuota } from '#web/ui/format/number.ts';
import { absoluteTime } from '#web/ui/format/time.ts';
import type { CodeRow } from './files.ts';
import { CodeForm } from './code-form.tsx';
import { redemptionQueries, REDEMPTIONS_KEY, type RedemptionPage } from './queries.ts';

interface CodeDrawerProps {
  /** Undefined: new codes. */
  id: number | undefined;
  onClose: () => void;
  onCreated: (codes: readonly CodeRow[]) => void;
}

export function CodeDrawer({ id, onClose, onCreated }: CodeDrawerProps) {
  if (id === undefined)
    return <CodeForm key="new" code={undefined} onClose={onClose} onCreated={onCreated} />;
  return <OneCode key={id} id={id} onClose={onClose} />;
}

function OneCode({ id, onClose }: { id: number; onClose: () => void }) {
  const { t } = useTranslation('redemptions');
  const client = useQueryClient();
  const { data, error, refetch } = useQuery({
    ...redemptionQueries.one(id),
    initialData: () => listedCode(client, id),
  });
  if (data?.status === REDEMPTION_STATUS.unused)
    return <CodeForm code={data} onClose={onClose} onCreated={onClose} />;
  const isMissing = error instanceof ApiError && error.status === 404;
  return (
    <Drawer title={t('form.code')} subtitle={<Tag>#{id}</Tag>} onClose={onClose}>
      {data ? <FixedCode code={data} /> : null}
      {error && !data ? (
        <ErrorState
          message={isMissing ? t('form.missing') : errorMessage(error)}
          onRetry={isMissing ? undefined : () => void refetch()}
        />
      ) : null}
      {data || error ? null : <Loading shape="form" />}
    </Drawer>
  );
}

function FixedCode({ code }: { code: RedemptionView }) {
  const { t } = useTranslation('redemptions');
  const display = useDisplay();
  const isUsed = code.status === REDEMPTION_STATUS.used;
  return (
    <>
      <NoticeBox tone="info">{isUsed ? t('form.fixed.used') : t('form.fixed.disabled')}</NoticeBox>
      <p className="paragraph">
        <b>{code.name}</b>
        {code.name === renderQuota(code.quota, display) ? null : (
          <>
            {' '}
            <Quota quota={code.quota} />
          </>
        )}
      </p>
      <Secret value={code.key} label={t('form.code')} />
      {isUsed ? (
        <p className="paragraph">
          {t('form.redeemedBy', {
            name: code.used_username || `#${code.used_user_id}`,
            time: absoluteTime(code.redeemed_time),
          })}
        </p>
      ) : null}
    </>
  );
}

function listedCode(client: QueryClient, id: number): RedemptionView | undefined {
  return client
    .getQueriesData<RedemptionPage>({ queryKey: [...REDEMPTIONS_KEY, 'list'] })
    .flatMap(([, page]) => page?.items ?? [])
    .find((code) => code.id === id);
}
