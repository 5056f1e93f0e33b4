/** What a page or a part of it shows while its data is on the way: the outline of what will be there, or three posts. */
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { PostLoader } from '#web/ui/badge/posts.tsx';
import classes from './loading.module.css';

/** Uneven sizes, in percent: equal bars look like a broken page. */
const LINES = [62, 44, 71, 53, 38, 66, 48, 57];
const POSTS = [
  34, 52, 41, 68, 57, 80, 62, 45, 73, 88, 66, 54, 79, 92, 70, 58, 83, 64, 49, 76, 61, 85, 55, 40,
];
const FIGURES = [42, 36, 48, 33, 45];
const FACTS = [30, 46, 38, 52, 34, 42];

const bone = (percent: number): ReactNode => <i style={{ width: `${percent}%` }} />;

const lines = LINES.map((width) => (
  <div key={width} className={classes.line}>
    {bone(width)}
  </div>
));

const figures = (
  <div className={classes.figures}>
    {FIGURES.map((width) => (
      <div key={width}>
        {bone(width)}
        <i className={classes.number} style={{ width: `${width + 24}%` }} />
      </div>
    ))}
  </div>
);

const posts = (
  <div className={classes.posts}>
    {POSTS.map((height) => (
      <i key={height} style={{ height: `${height}%` }} />
    ))}
  </div>
);

const fields = FACTS.map((width) => (
  <div key={width} className={classes.field}>
    {bone(width)}
    <i className={classes.control} />
  </div>
));

const cards = (
  <div className={classes.cards}>
    {FIGURES.slice(0, 3).map((width) => (
      <div key={width}>
        {bone(width)}
        <i className={classes.number} style={{ width: `${width + 12}%` }} />
        {bone(84)}
        {bone(66)}
        <i className={classes.control} />
      </div>
    ))}
  </div>
);

const facts = (
  <div className={classes.facts}>
    {FACTS.map((width) => (
      <div key={width} className={classes.line}>
        <i style={{ width: '24%' }} />
        {bone(width)}
      </div>
    ))}
  </div>
);

const SHAPES = {
  /** Rows from edge to edge. */
  lines,
  /** Figures above a chart. */
  figures: (
    <>
      {figures}
      {posts}
      {lines}
    </>
  ),
  cards,
  /** Labels above their fields, as in settings and drawers. */
  form: <div className={classes.form}>{fields}</div>,
  /** The page of a thing: facts, figures, hours. */
  thing: (
    <>
      {facts}
      {figures}
      {posts}
    </>
  ),
};

interface LoadingProps {
  /** Rows where the page will be. */
  page?: boolean;
  shape?: keyof typeof SHAPES;
}

export function Loading({ page = false, shape = page ? 'lines' : undefined }: LoadingProps) {
  const { t } = useTranslation('ui');
  if (shape === undefined)
    return (
      <div className={classes.loading}>
        <PostLoader label={t('grid.loading')} />
      </div>
    );
  return (
    <div className={classes.bones}>
      <span role="status" className="hidden">
        {t('grid.loading')}
      </span>
      <div aria-hidden>{SHAPES[shape]}</div>
    </div>
  );
}
