/** One line below the answers: which is the cheapest, and which was the fastest. */
import { IconScale } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { answerTotal, type Answer } from './conversation.ts';
import { PANE_LETTERS } from './settings.ts';
import classes from './thread.module.css';

/** The place of the smallest value, and by how much the next one is larger. */
export function smallest(
  values: readonly (number | undefined)[],
): { place: number; least: number; next: number } | undefined {
  const known = values.flatMap((value, place) => (value === undefined ? [] : [{ value, place }]));
  const [first, second] = known.toSorted((left, right) => left.value - right.value);
  if (!first || !second || known.length < values.length) return undefined;
  return { place: first.place, least: first.value, next: second.value };
}

export function Verdict({ answers }: { answers: readonly Answer[] }) {
  const { t } = useTranslation('playground');
  if (answers.length < 2 || answers.some((answer) => answer.status !== 'complete')) return null;
  const isPair = answers.length === 2;
  const words: string[] = [];
  const cheap = smallest(answers.map(answerTotal));
  if (cheap && cheap.least > 0 && cheap.least !== cheap.next) {
    const pane = PANE_LETTERS[cheap.place];
    const times = (cheap.next / cheap.least).toFixed(1);
    const other = PANE_LETTERS[1 - cheap.place];
    words.push(
      isPair ? t('verdict.cheaper', { other, pane, times }) : t('verdict.cheapest', { pane, times }),
    );
  }
  const fast = smallest(answers.map((answer) => answer.totalMs));
  if (fast && fast.next - fast.least >= 100) {
    const pane = PANE_LETTERS[fast.place];
    const seconds = ((fast.next - fast.least) / 1000).toFixed(1);
    words.push(t(isPair ? 'verdict.faster' : 'verdict.fastest', { pane, seconds }));
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
