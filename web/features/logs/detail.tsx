/** An opened row: the charge as an equation, the attempts, further facts, and actions. */
import { Button } from '@mantine/core';
import { IconCopy, IconFilter, IconMessage2Code, IconTerminal2 } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { UPSTREAM_FAILED } from '#contract/relay/failure-cause.ts';
import { LOG_TYPE, type LogView } from '#contract/admin/logs.ts';
import { toast } from '#web/ui/feedback/toast.tsx';
import { copyText } from '#web/ui/copy/copy.ts';
import { useDisplay } from '#web/ui/format/display.ts';
import { groupDigits, renderQuota } from '#web/ui/format/number.ts';

import { useAttribution } from './attribution.tsx';
import { causeOf } from './cause.ts';
import { isCall } from './cells.tsx';
import { chargeOf } from './charge.ts';
import { asCharged, Corrections } from './corrections.tsx';
import { Doubts } from './doubts.tsx';
import { Breakdown, ChargeTags, Explanation } from './equation.tsx';
import { Equation, EquationSwitch, useRatiosFirst } from './price-equation.tsx';
import type { LogDetails, RefusedDetails } from './other.ts';
import { secondsText } from './attempts.ts';
import { hedgeWord } from './hedge.ts';
import { keptWord } from './kept.ts';
import { RouteLine } from './route-line.tsx';
import type { LogSearch } from './search.ts';
import { ChannelLink } from './channel-link.tsx';
import { AttemptStrip, AttemptWaterfall } from './waterfall.tsx';
import { curlOf } from './curl.ts';
import classes from './detail.module.css';

interface DetailProps {
  row: LogView;
  details: LogDetails;
  admin: boolean;
  channelName: (id: number) => string | undefined;
  onFilter: (filter: Partial<LogSearch>) => void;
}

export function LogDetail({ row, details, admin, channelName, onFilter }: DetailProps) {
  const { t } = useTranslation('logs');
  const { quotaPerUnit } = useDisplay();
  const [ratios, setRatios] = useRatiosFirst();
  const charged = asCharged(row, details);
  const charge = chargeOf(charged.row, charged.details, quotaPerUnit);
  return (
    <div className={classes.detail}>
      <div className={classes.left}>
        {charge ? (
          <>
            <div className={classes.head}>
              <b>{t('charge.title')}</b>
              <ChargeTags row={row} details={details} />
              <EquationSwitch ratios={ratios} onChange={setRatios} />
            </div>
            <Equation charge={charge} row={charged.row} ratios={ratios} />
            <Breakdown charge={charge} />
            <Explanation charge={charge} />
            <Doubts details={details} />
            <Corrections details={details} />
          </>
        ) : null}
        {row.type === LOG_TYPE.error ? <Cause row={row} details={details} /> : null}
        {details.refused ? <RefusedCalls row={row} refused={details.refused} /> : null}
        {!charge && row.type !== LOG_TYPE.error && !details.refused ? (
          <p className="top8 caption">{row.content || t('charge.none')}</p>
        ) : null}
        <DetailActions row={row} details={details} onFilter={onFilter} />
      </div>
      {isCall(row) ? (
        <div className={classes.right}>
          {admin && details.attempts ? (
            <AttemptWaterfall details={details} useTimeSeconds={row.use_time} channelName={channelName} />
          ) : (
            <AttemptStrip
              details={details}
              useTimeSeconds={row.use_time}
              isFailed={row.type === LOG_TYPE.error}
            />
          )}
          <Facts row={row} details={details} admin={admin} />
        </div>
      ) : null}
    </div>
  );
}

export function Cause({ row, details }: { row: LogView; details: LogDetails }) {
  const { t } = useTranslation('logs');
  const cause = causeOf(row, details);
  return (
    <div className={`top4 stack2 ${classes.cause}`}>
      <b>{t(`cause.${cause}.what`)}</b>
      <span>{t(`cause.${cause}.fix`)}</span>
      {row.content && row.code !== UPSTREAM_FAILED ? <small>{row.content}</small> : null}
    </div>
  );
}

/** What the callers read, how often, and the ids of the first calls. */
export function RefusedCalls({ row, refused }: { row: LogView; refused: RefusedDetails }) {
  const { t } = useTranslation('logs');
  return (
    <div className={`top4 stack2 ${classes.cause}`}>
      <b>{row.content}</b>
      <span>{t('refused.count', { count: refused.count, calls: groupDigits(refused.count) })}</span>
      {refused.isListed ? null : <span>{t('refused.notListed')}</span>}
      <code>{refused.code}</code>
      {refused.requestIds.map((id) => (
        <code key={id}>{id}</code>
      ))}
    </div>
  );
}

const ENDINGS = ['client_left', 'broken', 'timeout', 'error', 'quota', 'revoked'] as const;

function Facts({ row, details, admin }: { row: LogView; details: LogDetails; admin: boolean }) {
  const { t } = useTranslation('logs');
  const display = useDisplay();
  const ending = ENDINGS.find((known) => known === details.ending) ?? 'other';
  const client = [
    row.ip,
    details.reasoningEffort && t('facts.effort', { effort: details.reasoningEffort }),
    details.isWebSocket && t('facts.webSocket'),
  ].filter(Boolean);
  const attribution = useAttribution(row);
  const facts: [string, ReactNode][] = [
    ...attribution,
    ...(admin && row.channel > 0
      ? [
          [t('facts.channel'), <ChannelLink key="" id={row.channel} name={row.channel_name} />] as [
            string,
            ReactNode,
          ],
        ]
      : []),
    ...(admin && row.upstream_model && row.upstream_model !== row.model_name
      ? [[t('facts.upstreamModel'), row.upstream_model] as [string, string]]
      : []),
    ...(details.route
      ? [
          [t('facts.route'), <RouteLine key="" route={details.route} isLinked={admin} />] as [
            string,
            ReactNode,
          ],
        ]
      : []),
    ...(details.hedge
      ? [
          [
            t('facts.hedge'),
            t(`hedge.${hedgeWord(details.hedge, { channel: row.channel, isAnswered: row.type === 2 })}`, {
              seconds: secondsText(details.hedge.after),
            }),
          ] as [string, string],
        ]
      : []),
    ...(details.hit
      ? [
          [
            t('facts.hit'),
            t('facts.hitText', {
              seconds: groupDigits(details.hit.age),
              saved: renderQuota(details.hit.saved, display, 6),
            }),
          ] as [string, string],
        ]
      : []),
    ...(details.kept
      ? [
          [
            t('facts.conversation'),
            t(`kept.${keptWord(details.kept, row.channel)}`, { channel: details.kept.channel }),
          ] as [string, string],
        ]
      : []),
    ...(typeof row.cost === 'number'
      ? [[t('facts.cost'), renderQuota(row.cost, display, 6)] as [string, string]]
      : []),
    ...(client.length > 0 ? [[t('facts.client'), client.join(' · ')] as [string, string]] : []),
    ...(details.path ? [[t('facts.endpoint'), details.path] as [string, string]] : []),
    ...(details.taskId ? [[t('facts.task'), details.taskId] as [string, string]] : []),
    ...(details.outputLimit > 0
      ? [
          [t('facts.outputLimit'), t('facts.lowered', { tokens: groupDigits(details.outputLimit) })] as [
            string,
            string,
          ],
        ]
      : []),
    ...(details.ending
      ? [[t('facts.ending'), t(`ending.${ending}`, { ending: details.ending })] as [string, string]]
      : []),
  ];
  if (facts.length === 0) return null;
  return (
    <dl className={classes.facts}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function DetailActions({ row, details, onFilter }: Pick<DetailProps, 'row' | 'details' | 'onFilter'>) {
  const { t } = useTranslation('logs');
  const { t: ui } = useTranslation('ui');
  const navigate = useNavigate();
  const copy = async (text: string) => {
    if (await copyText(text)) toast.success(ui('copy.done'));
  };
  const icon = { size: 14, stroke: 1.6 };
  return (
    <div className={`wrap8 ${classes.actions}`}>
      {row.request_id ? (
        <Button
          variant="default"
          size="compact-sm"
          leftSection={<IconCopy {...icon} />}
          onClick={() => void copy(row.request_id)}
        >
          {t('action.copyId')}
        </Button>
      ) : null}
      {row.model_name && details.path ? (
        <Button
          variant="default"
          size="compact-sm"
          leftSection={<IconTerminal2 {...icon} />}
          onClick={() => void copy(curlOf(window.location.origin, row, details))}
        >
          {t('action.copyCurl')}
        </Button>
      ) : null}
      {row.model_name && details.path.endsWith('/chat/completions') ? (
        <Button
          variant="default"
          size="compact-sm"
          leftSection={<IconMessage2Code {...icon} />}
          onClick={() => void navigate({ to: '/playground', search: { model: row.model_name } })}
        >
          {t('action.playground')}
        </Button>
      ) : null}
      <Button
        variant="default"
        size="compact-sm"
        leftSection={<IconFilter {...icon} />}
        onClick={() =>
          onFilter({
            type: row.type,
            model: row.model_name || undefined,
            token: row.token_name || undefined,
          })
        }
      >
        {t('action.like')}
      </Button>
      {/* Refused calls list theirs above, the one of the row among them. */}
      {row.request_id && !details.refused?.requestIds.includes(row.request_id) ? (
        <code className="size12 muted anywhere">{row.request_id}</code>
      ) : null}
    </div>
  );
}
