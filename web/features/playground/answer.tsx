/** One answer with its state, its folded reasoning, and its figures: first token, speed, tokens, cost. */
import { ActionIcon, Tooltip } from '@mantine/core';
import { IconAlertTriangleFilled, IconCode, IconRefresh } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { PostLoader } from '#web/ui/badge/posts.tsx';
import { CopyButton } from '#web/ui/copy/copy-button.tsx';
import { Amount } from '#web/ui/format/amount.tsx';
import { formatMoney, groupDigits } from '#web/ui/format/number.ts';
import { isRunning, type Answer } from './conversation.ts';
import { Markdown } from './markdown.tsx';
import classes from './answer.module.css';
import playgroundClasses from './playground.module.css';

interface AnswerViewProps {
  answer: Answer;
  /** Only the last turn can be regenerated. */
  onAgain?: () => void;
}

export function AnswerView({ answer, onAgain }: AnswerViewProps) {
  const { t } = useTranslation('playground');
  const [isRaw, setRaw] = useState(false);
  const running = isRunning(answer);
  const word = answer.isStopped ? t('status.stopped') : t(`status.${answer.status}`);
  const rawLabel = isRaw ? t('answer.rendered') : t('answer.raw');
  return (
    <article className={classes.answer} data-status={answer.status} aria-label={`${answer.model}: ${word}`}>
      {answer.reasoning ? (
        <details className={classes.reasoning} open={running && answer.content === ''}>
          <summary>{t('answer.reasoning')}</summary>
          <p>{answer.reasoning}</p>
        </details>
      ) : null}
      {answer.status === 'error' ? (
        <div className={classes.error} role="alert">
          <IconAlertTriangleFilled size={15} aria-hidden />
          <p>{answer.content}</p>
        </div>
      ) : answer.content === '' && !running ? (
        <p className={`note ${playgroundClasses.dim}`}>
          {answer.isStopped ? t('status.stopped') : t('answer.empty')}
        </p>
      ) : isRaw ? (
        <pre className={classes.raw} tabIndex={0}>
          {answer.content}
        </pre>
      ) : (
        <Markdown text={answer.content} />
      )}
      <div className={classes.answerFoot}>
        {running ? (
          <span className="inline8 size12 soft" role="status">
            <PostLoader /> {word}
          </span>
        ) : (
          <Stats answer={answer} />
        )}
        {running ? null : (
          <span className={classes.answerActions}>
            {answer.isStopped ? <span className={`note ${playgroundClasses.dim}`}>{word}</span> : null}
            <Tooltip label={rawLabel}>
              <ActionIcon size={24} aria-label={rawLabel} aria-pressed={isRaw} onClick={() => setRaw(!isRaw)}>
                <IconCode size={14} stroke={1.6} />
              </ActionIcon>
            </Tooltip>
            <CopyButton text={answer.content} label={t('answer.copy')} />
            {onAgain ? (
              <Tooltip label={t('answer.again')}>
                <ActionIcon size={24} aria-label={t('answer.again')} onClick={onAgain}>
                  <IconRefresh size={14} stroke={1.6} />
                </ActionIcon>
              </Tooltip>
            ) : null}
          </span>
        )}
      </div>
    </article>
  );
}

export function tokensPerSecond({ usage, firstTokenMs, totalMs }: Answer): number | undefined {
  if (!usage || firstTokenMs === undefined || totalMs === undefined) return undefined;
  // An answer that was not streamed has no speed.
  if (totalMs - firstTokenMs < 50) return undefined;
  return usage.completion / ((totalMs - firstTokenMs) / 1000);
}

function Stats({ answer }: { answer: Answer }) {
  const { t } = useTranslation('playground');
  const speed = tokensPerSecond(answer);
  const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(2)} s`;
  const cells = [
    answer.firstTokenMs === undefined
      ? undefined
      : ([t('stat.firstToken'), seconds(answer.firstTokenMs)] as const),
    answer.totalMs === undefined ? undefined : ([t('stat.total'), seconds(answer.totalMs)] as const),
    speed === undefined ? undefined : ([t('stat.speed'), groupDigits(Math.round(speed))] as const),
    answer.usage && ([t('stat.input'), groupDigits(answer.usage.prompt)] as const),
    answer.usage && ([t('stat.output'), groupDigits(answer.usage.completion)] as const),
  ].filter((cell) => cell !== undefined);
  return (
    <dl className={classes.stats}>
      {cells.map(([label, value]) => (
        <div key={label}>
          <dd>{value}</dd>
          <dt>{label}</dt>
        </div>
      ))}
      {answer.cost === undefined ? null : (
        <div>
          <dd>
            <Amount text={formatMoney(answer.cost, answer.cost >= 0.01 ? 4 : 6)} />
          </dd>
          <dt>{t('stat.cost')}</dt>
        </div>
      )}
    </dl>
  );
}
