/** The turns: the prompt spans both panes, each answer has its pane; one line compares cost and speed. */
import { ActionIcon, Tooltip } from '@mantine/core';
import { IconPencil, IconScale } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { AnswerView } from './answer.tsx';
import { isRunning, type Answer, type Conversation, type Turn } from './conversation.ts';
import playgroundClasses from './playground.module.css';
import classes from './thread.module.css';

interface ThreadProps {
  conversation: Conversation;
  onEdit: (turn: Turn) => void;
  onAgain: (turnId: string, pane: number) => void;
}

const NEAR_PIXELS = 160;

export function Thread({ conversation, onEdit, onAgain }: ThreadProps) {
  const end = useRef<HTMLDivElement>(null);
  const { turns } = conversation;
  const last = turns.at(-1);
  const follows = useRef(true);
  useEffect(() => {
    const scroller = end.current?.parentElement;
    if (!scroller) return undefined;
    let top = scroller.scrollTop;
    // Only the reader ends the following, by scrolling up: new content also makes the distance to the end larger.
    const note = () => {
      const isNear = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < NEAR_PIXELS;
      if (isNear) follows.current = true;
      else if (scroller.scrollTop < top) follows.current = false;
      top = scroller.scrollTop;
    };
    scroller.addEventListener('scroll', note, { passive: true });
    return () => scroller.removeEventListener('scroll', note);
  }, []);
  const shownTurns = useRef(turns.length);
  useEffect(() => {
    // A question that was sent is followed again.
    if (turns.length > shownTurns.current) follows.current = true;
    shownTurns.current = turns.length;
    if (follows.current) end.current?.scrollIntoView({ block: 'end' });
  });
  return (
    <>
      {turns.map((turn) => (
        <section key={turn.id} className={classes.turn}>
          <Prompt turn={turn} onEdit={() => onEdit(turn)} />
          <div className={playgroundClasses.answers} data-panes={turn.answers.length}>
            {turn.answers.map((answer, pane) => (
              <AnswerView
                key={`${turn.id}-${pane < 1 ? 'a' : 'b'}`}
                answer={answer}
                onAgain={turn === last ? () => onAgain(turn.id, pane) : undefined}
              />
            ))}
          </div>
          <Verdict answers={turn.answers} />
        </section>
      ))}
      <div ref={end} />
    </>
  );
}

function Prompt({ turn, onEdit }: { turn: Turn; onEdit: () => void }) {
  const { t } = useTranslation('playground');
  return (
    <div className={classes.prompt}>
      <span className={classes.who}>{t('prompt.you')}</span>
      <div className={classes.promptText}>
        {turn.text}
        {turn.images.length > 0 ? (
          <div className={`flow8 top8 ${classes.pictures}`}>
            {turn.images.map((image, index) => (
              <img key={image.slice(-40)} src={image} alt={t('prompt.image', { number: index + 1 })} />
            ))}
          </div>
        ) : null}
      </div>
      {turn.answers.some(isRunning) ? null : (
        <Tooltip label={t('prompt.edit')}>
          <ActionIcon size={24} aria-label={t('prompt.edit')} onClick={onEdit}>
            <IconPencil size={14} stroke={1.6} />
          </ActionIcon>
        </Tooltip>
      )}
    </div>
  );
}

const PANES = ['A', 'B'];

function Verdict({ answers }: { answers: readonly Answer[] }) {
  const { t } = useTranslation('playground');
  const [first, second] = answers;
  if (!first || !second || first.status !== 'complete' || second.status !== 'complete') return null;
  const words: string[] = [];
  if (first.cost && second.cost && first.cost !== second.cost) {
    const pane = PANES[first.cost < second.cost ? 0 : 1];
    const times = Math.max(first.cost, second.cost) / Math.min(first.cost, second.cost);
    words.push(t('verdict.cheaper', { pane, times: times.toFixed(1) }));
  }
  if (first.totalMs !== undefined && second.totalMs !== undefined) {
    const pane = PANES[first.totalMs < second.totalMs ? 0 : 1];
    const seconds = Math.abs(first.totalMs - second.totalMs) / 1000;
    if (seconds >= 0.1) words.push(t('verdict.faster', { pane, seconds: seconds.toFixed(1) }));
  }
  if (words.length === 0) return null;
  return (
    <p className={classes.verdict}>
      <IconScale size={15} stroke={1.6} aria-hidden />
      {words.map((word) => (
        <b key={word}>{word}</b>
      ))}
    </p>
  );
}
