/** One answer with its state, its folded reasoning, and its figures: first token, speed, tokens, cost. */
import { ActionIcon, Tooltip } from '@mantine/core';
import { IconAlertTriangleFilled, IconCode, IconRefresh } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { PostLoader } from '#web/ui/badge/posts.tsx';
import { CopyButton } from '#web/ui/copy/copy-button.tsx';
import { Amount } from '#web/ui/format/amount.tsx';
import { formatMoney, groupDigits } from '#web/ui/format/number.ts';
import { AnswerMenu } from './answer-menu.tsx';
import { answerTotal, isRunning, type Answer } from './conversation.ts';
import { Markdown } from './markdown.tsx';
import { AnswerSteps, OpenCalls } from './tool-calls.tsx';
import classes from './answer.module.css';
import playgroundClasses from './playground.module.css';

export interface AnswerActions {
  /** The models that it can be written anew by. */
  models: readonly string[];
  onAgain: (model?: string) => void;
  onBranch: () => void;
  /** Sends what the tools answered. */
  onTools: (results: readonly string[]) => void;
  presetOf: (toolName: string) => string;
}

interface AnswerViewProps extends AnswerActions {
  answer: Answer;
  /** The tools of earlier turns are not answered any more. */
  isLast: boolean;
  /** Its model is not the one that the pane has now. */
  showsModel: boolean;
}

/** A bare JSON answer is read as code. */
function shownText({ content, status }: Answer): string {
  const text = content.trim();
  if (status !== 'complete' || !/^[[{]/.test(text)) return content;
  try {
    return `\`\`\`json\n${JSON.stringify(JSON.parse(text), null, 2)}\n\`\`\``;
  } catch {
    return content;
  }
}

export function AnswerView(props: AnswerViewProps) {
  const { answer, isLast, showsModel, onAgain } = props;
  const { t } = useTranslation('playground');
  const [isRaw, setRaw] = useState(false);
  const running = isRunning(answer);
  const calls = answer.calls ?? [];
  const word = answer.isStopped ? t('status.stopped') : t(`status.${answer.status}`);
  const rawLabel = isRaw ? t('answer.rendered') : t('answer.raw');
  return (
    <article className={classes.answer} data-status={answer.status} aria-label={`${answer.model}: ${word}`}>
      {showsModel ? <p className={classes.modelTag}>{answer.model}</p> : null}
      {answer.steps ? <AnswerSteps steps={answer.steps} /> : null}
      {answer.reasoning ? (
        <details className={classes.reasoning} open={running && answer.content === ''}>
          <summary>{t('answer.reasoning')}</summary>
          <p>{answer.reasoning}</p>
        </details>
      ) : null}
      <AnswerText answer={answer} isRaw={isRaw} />
      {calls.length > 0 ? (
        <OpenCalls
          calls={calls}
          presetOf={props.presetOf}
          onSend={isLast && answer.status === 'complete' ? props.onTools : undefined}
        />
      ) : null}
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
            {isLast ? (
              <Tooltip label={t('answer.again')}>
                <ActionIcon size={24} aria-label={t('answer.again')} onClick={() => onAgain()}>
                  <IconRefresh size={14} stroke={1.6} />
                </ActionIcon>
              </Tooltip>
            ) : null}
            <AnswerMenu
              model={answer.model}
              models={props.models}
              onAgain={onAgain}
              onBranch={props.onBranch}
            />
          </span>
        )}
      </div>
    </article>
  );
}

function AnswerText({ answer, isRaw }: { answer: Answer; isRaw: boolean }) {
  const { t } = useTranslation('playground');
  const { content, status, calls = [], isStopped } = answer;
  if (status === 'error')
    return (
      <div className={classes.error} role="alert">
        <IconAlertTriangleFilled size={15} aria-hidden />
        <p>{content}</p>
      </div>
    );
  if (content === '' && calls.length > 0) return null;
  if (content === '' && !isRunning(answer))
    return (
      <p className={`note ${playgroundClasses.dim}`}>{isStopped ? t('status.stopped') : t('answer.empty')}</p>
    );
  if (!isRaw) return <Markdown text={shownText(answer)} />;
  return (
    <pre className={classes.raw} tabIndex={0}>
      {content}
    </pre>
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
  const cost = answerTotal(answer);
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
      {cost === undefined ? null : (
        <div>
          <dd>
            <Amount text={formatMoney(cost, cost >= 0.01 ? 4 : 6)} />
          </dd>
          <dt>{t('stat.cost')}</dt>
        </div>
      )}
    </dl>
  );
}
