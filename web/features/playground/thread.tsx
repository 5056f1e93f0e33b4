/** The turns: the prompt spans the panes, each answer has its pane; one line compares cost and speed. */
import { ActionIcon, Tooltip } from '@mantine/core';
import { IconPencil } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { AnswerView, type AnswerActions } from './answer.tsx';
import { AttachmentList } from './attachment-list.tsx';
import { isRunning, type Conversation, type Turn } from './conversation.ts';
import { PANE_LETTERS } from './settings.ts';
import { Verdict } from './verdict.tsx';
import playgroundClasses from './playground.module.css';
import classes from './thread.module.css';

interface ThreadProps {
  conversation: Conversation;
  /** The model of each pane now. */
  models: readonly string[];
  /** Those that an answer can be written anew by. */
  options: readonly string[];
  onEdit: (turn: Turn) => void;
  onAgain: (turnId: string, pane: number, model?: string) => void;
  onBranch: (turnId: string) => void;
  onTools: (turnId: string, pane: number, results: readonly string[]) => void;
  presetOf: AnswerActions['presetOf'];
}

const NEAR_PIXELS = 160;
/** What a reader scrolls with. */
const TOUCHES = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const;
/** A scroll that is this close to one of them is the reader's. */
const READER_MILLISECONDS = 1000;

export function Thread(props: ThreadProps) {
  const { conversation, models, onEdit } = props;
  const end = useRef<HTMLDivElement>(null);
  const { turns } = conversation;
  const last = turns.at(-1);
  const follows = useRef(true);
  useEffect(() => {
    const scroller = end.current?.parentElement;
    if (!scroller) return undefined;
    let top = scroller.scrollTop;
    let touchedAt = -Infinity;
    const touch = () => {
      touchedAt = performance.now();
    };
    // Only the reader ends the following, by scrolling up: content that becomes shorter moves the position as well.
    const note = () => {
      const isNear = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < NEAR_PIXELS;
      const isReaders = performance.now() - touchedAt < READER_MILLISECONDS;
      if (isNear) follows.current = true;
      else if (isReaders && scroller.scrollTop < top) follows.current = false;
      top = scroller.scrollTop;
    };
    scroller.addEventListener('scroll', note, { passive: true });
    for (const name of TOUCHES) scroller.addEventListener(name, touch, { passive: true });
    return () => {
      scroller.removeEventListener('scroll', note);
      for (const name of TOUCHES) scroller.removeEventListener(name, touch);
    };
  }, []);
  const shownTurns = useRef(turns.length);
  useEffect(() => {
    // A question that was sent is followed again.
    if (turns.length > shownTurns.current) follows.current = true;
    shownTurns.current = turns.length;
    if (follows.current) end.current?.scrollIntoView({ block: 'end' });
  });
  useEffect(() => {
    const scroller = end.current?.parentElement;
    if (!scroller || turns.length === 0) return undefined;
    // Code is coloured and pictures arrive after the text: an answer also grows by itself.
    const grown = new ResizeObserver(() => {
      if (follows.current) end.current?.scrollIntoView({ block: 'end' });
    });
    for (const part of scroller.children) grown.observe(part);
    return () => grown.disconnect();
  }, [turns.length]);
  return (
    <>
      {turns.map((turn) => (
        <section key={turn.id} className={classes.turn}>
          <Prompt turn={turn} onEdit={() => onEdit(turn)} />
          <div className={playgroundClasses.answers} data-panes={turn.answers.length}>
            {turn.answers.map((answer, pane) => (
              <AnswerView
                key={`${turn.id}-${PANE_LETTERS[pane] ?? pane}`}
                answer={answer}
                isLast={turn === last}
                showsModel={answer.model !== models[pane]}
                models={props.options}
                presetOf={props.presetOf}
                onAgain={(model) => props.onAgain(turn.id, pane, model)}
                onBranch={() => props.onBranch(turn.id)}
                onTools={(results) => props.onTools(turn.id, pane, results)}
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
        <AttachmentList images={turn.images} files={turn.files ?? []} />
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
