/** Errors in the upstream's own words, most first; one opens to the raw answer, the calls and what to send the supplier. */
import { Button, UnstyledButton } from '@mantine/core';
import { IconChevronDown, IconChevronRight, IconCopy } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { copyText } from '#web/ui/copy/copy.ts';
import { announce } from '#web/ui/feedback/announce.ts';
import { groupDigits } from '#web/ui/format/number.ts';
import { absoluteTime } from '#web/ui/format/time.ts';
import classes from './lists.module.css';

export interface ErrorGroup {
  key: string;
  count: number;
  /** The upstream's status; 0: no answer. */
  status: number;
  /** What the upstream said. */
  words: string;
  /** Below the words: the upstream's kind of error, and what the gateway did about it. */
  did?: ReactNode;
  /** How many in each post of the window. */
  posts: readonly number[];
  lastAt: number;
  /** It switched the thing off. */
  isLoud?: boolean;
  /** The raw answer. */
  raw?: string;
  /** Below the raw answer: which calls, of whom. */
  detail?: ReactNode;
  /** What is copied for the supplier. */
  copy?: string;
  /** Links beside the copy button. */
  links?: ReactNode;
}

const POST_WIDTH = 3;
const STRIP_HEIGHT = 16;

function Strip({ posts }: { posts: readonly number[] }) {
  return (
    <svg width={posts.length * (POST_WIDTH + 1)} height={STRIP_HEIGHT} className={classes.strip} aria-hidden>
      {posts.map((count, index) => {
        const x = index * (POST_WIDTH + 1);
        return count > 0 ? (
          <rect key={x} x={x} y={0} width={POST_WIDTH} height={STRIP_HEIGHT} fill="var(--danger-mark)" />
        ) : (
          <rect key={x} x={x} y={STRIP_HEIGHT - 1} width={2} height={1} fill="var(--bar)" />
        );
      })}
    </svg>
  );
}

export function ErrorGroups({ groups, isLong = false }: { groups: readonly ErrorGroup[]; isLong?: boolean }) {
  const [open, setOpen] = useState<string | undefined>(groups.find(({ isLoud }) => isLoud)?.key);
  return (
    <ul className={classes.errors}>
      {groups.map((group) => (
        <Group
          key={group.key}
          group={group}
          isLong={isLong}
          isOpen={open === group.key}
          onToggle={() => setOpen(open === group.key ? undefined : group.key)}
        />
      ))}
    </ul>
  );
}

interface GroupProps {
  group: ErrorGroup;
  /** The window is longer than a day: the day is said with the time. */
  isLong: boolean;
  isOpen: boolean;
  onToggle: () => void;
}

function Group({ group, isLong, isOpen, onToggle }: GroupProps) {
  const { t } = useTranslation('thing');
  const { count, status, words, did, posts, lastAt, isLoud, raw, detail, copy, links } = group;
  const Chevron = isOpen ? IconChevronDown : IconChevronRight;
  const time = absoluteTime(lastAt);
  return (
    <li data-loud={isLoud || undefined}>
      <UnstyledButton className={classes.error} aria-expanded={isOpen} onClick={onToggle}>
        <span className={classes.count}>
          <b>{groupDigits(count)}</b>
          <small>×</small>
        </span>
        <span className={classes.status}>
          {status > 0 ? status : <span aria-label={t('errors.noStatus')}>–</span>}
        </span>
        <span className={classes.words}>
          <q className="code cut block">{words}</q>
          {did ? <span className="note block">{did}</span> : null}
        </span>
        <Strip posts={posts} />
        <time className="note nowrap" dateTime={new Date(lastAt * 1000).toISOString()} title={time}>
          {isLong ? time.slice(5, 16) : time.slice(11, 16)}
        </time>
        <Chevron size={14} stroke={1.6} aria-hidden />
      </UnstyledButton>
      {isOpen ? (
        <div className={classes.opened}>
          {raw ? <pre className="code">{raw}</pre> : null}
          {detail ? <p className="caption">{detail}</p> : null}
          <div className="wrap8">
            {copy ? (
              <Button
                variant="default"
                leftSection={<IconCopy size={14} stroke={1.6} />}
                onClick={() =>
                  void copyText(copy).then((done) => {
                    if (done) announce(t('errors.copied'));
                  })
                }
              >
                {t('errors.copy')}
              </Button>
            ) : null}
            {links}
          </div>
        </div>
      ) : null}
    </li>
  );
}
